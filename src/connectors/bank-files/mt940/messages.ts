/** One field of a SWIFT message: `:61:` with the lines that belong to it. */
export interface Field {
  tag: string
  /** Lines joined by `\n`, without carriage returns. */
  text: string
  /** Offset of the field's line. */
  at: number
}

/** Header lines kept before a message. */
const MAX_HEADER = 2000

/** Fields of all messages, one after the other; a `header` field holds what precedes a message: SWIFT blocks 1 to 3 or a bank's own line. */
export function* readFields(text: string): Generator<Field, void> {
  let field: Field | null = null
  let header = ''
  for (let at = 0; at < text.length; ) {
    const newline = text.indexOf('\n', at)
    const next = newline === -1 ? text.length : newline + 1
    const end = newline === -1 ? text.length : newline
    const line = text.slice(at, text[end - 1] === '\r' && end > at ? end - 1 : end)
    const tag = tagOf(line)
    const isEnd = tag === null && line.startsWith('-') && (line.length < 6 || line.startsWith('-}'))
    if (tag !== null || isEnd) {
      if (field !== null) yield field
      if (tag === '20') yield { tag: 'header', text: header, at }
      field = tag === null ? null : { tag, text: line.slice(tag.length + 2), at }
      header = isEnd ? line : ''
    } else if (field === null) {
      if (header.length < MAX_HEADER) header += `${line}\n`
    } else field.text += `\n${line}`
    at = next
  }
  if (field !== null) yield field
}

/** `61` of `:61:…`, `28C` of `:28C:…`; null for other lines. */
function tagOf(line: string): string | null {
  return line.startsWith(':') ? (/^:(\d{2}[A-Z]?):/.exec(line)?.[1] ?? null) : null
}

/** The bank's BIC in what precedes a message: block 2 of an output message, block 1 of an input message, or a bank's own line. */
export function bankOfHeader(header: string): string | null {
  const found =
    /\{2:O940\d{10}([A-Z]{6}[A-Z0-9]{2})/.exec(header)?.[1] ??
    /\{1:F01([A-Z]{6}[A-Z0-9]{2})/.exec(header)?.[1] ??
    /\b01([A-Z]{6}[A-Z0-9]{2})/.exec(header)?.[1]
  return found ?? null
}
