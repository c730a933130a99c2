/** One field of a SWIFT message: `:61:` with the lines that belong to it. */
export interface Field {
  tag: string
  /** Lines joined by `\n`, without carriage returns. */
  text: string
  /** The same with a bank's own fields (`:NS:`) that follow it; absent when there are none. */
  withOwnFields?: string
  /** Offset of the field's line. */
  at: number
}

/** Header lines kept before a message. */
const MAX_HEADER = 2000

const RETURN = 0x0d
const DASH = 0x2d
const ZERO = 0x30
const NINE = 0x39
const COLON = 0x3a
const UPPER_A = 0x41
const UPPER_Z = 0x5a

/**
 * Fields of all messages, one after the other; a `header` field holds what precedes a message: SWIFT blocks 1 to 3 or a
 * bank's own line.
 */
export function* readFields(text: string): Generator<Field, void> {
  let field: OpenField | null = null
  let header = ''
  for (let at = 0, next = 0; at < text.length; at = next) {
    const newline = text.indexOf('\n', at)
    next = newline === -1 ? text.length : newline + 1
    const last = newline === -1 ? text.length : newline
    const end = last > at && text.charCodeAt(last - 1) === RETURN ? last - 1 : last
    const tagLength = tagLengthAt(text, at)
    const isEnd = tagLength === 0 && text.charCodeAt(at) === DASH && (end - at < 6 || text.startsWith('-}', at))
    if (tagLength > 0 || isEnd) {
      if (field !== null) yield toField(text, field)
      const tag = text.slice(at + 1, at + 1 + tagLength)
      if (tag === '20') yield { tag: 'header', text: header, at }
      field = tagLength === 0 ? null : { tag, at, start: at + tagLength + 2, end, ownFrom: null }
      header = isEnd ? text.slice(at, end) : ''
    } else if (field === null) {
      if (header.length < MAX_HEADER) header += `${text.slice(at, end)}\n`
    } else {
      if (isOwnField(text, at)) field.ownFrom ??= field.end
      field.end = end
    }
  }
  if (field !== null) yield toField(text, field)
}

/** Field whose lines are still being read, by offsets: joining them one by one takes long for a field of many lines. */
interface OpenField {
  tag: string
  at: number
  start: number
  /** End of its last line so far. */
  end: number
  /** End of the last line before a bank's own fields; null when there are none. */
  ownFrom: number | null
}

function toField(text: string, { tag, at, start, end, ownFrom }: OpenField): Field {
  const lines = (to: number): string => {
    const content = text.slice(start, to)
    return content.includes('\r\n') ? content.replaceAll('\r\n', '\n') : content
  }
  return ownFrom === null ? { tag, text: lines(end), at } : { tag, text: lines(ownFrom), withOwnFields: lines(end), at }
}

/** 2 for a line `:61:…`, 3 for `:28C:…`; 0 for other lines. */
function tagLengthAt(text: string, start: number): 0 | 2 | 3 {
  if (text.charCodeAt(start) !== COLON || !isDigit(text.charCodeAt(start + 1)) || !isDigit(text.charCodeAt(start + 2))) return 0
  const code = text.charCodeAt(start + 3)
  if (code === COLON) return 2
  return isUpper(code) && text.charCodeAt(start + 4) === COLON ? 3 : 0
}

/**
 * `:NS:…`: a bank's own field. Texts contain none, since none of their lines begins with a colon.
 * Source: https://www2.swift.com/knowledgecentre/publications/us9m
 */
function isOwnField(text: string, start: number): boolean {
  if (text.charCodeAt(start) !== COLON || text.charCodeAt(start + 3) !== COLON) return false
  return isUpper(text.charCodeAt(start + 1)) && isUpper(text.charCodeAt(start + 2))
}

function isUpper(code: number): boolean {
  return code >= UPPER_A && code <= UPPER_Z
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE
}

/**
 * Bank's BIC in the header of a message: block 2 of an output message, block 1 of an input message, or a bank's own
 * line.
 */
export function bankOfHeader(header: string): string | null {
  const found =
    /\{2:O940\d{10}([A-Z]{6}[A-Z0-9]{2})/.exec(header)?.[1] ??
    /\{1:F01([A-Z]{6}[A-Z0-9]{2})/.exec(header)?.[1] ??
    /\b01([A-Z]{6}[A-Z0-9]{2})/.exec(header)?.[1]
  return found ?? null
}
