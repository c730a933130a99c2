import { refused, refusedAt } from '../refusal.ts'
import { hasText } from './details.ts'

/** One logical record with its continuations. */
export interface BaiRecord {
  /** `01`, `02`, `03`, `16`, `49`, `98`, `99`. */
  code: string
  /** Text after the code, without the closing slash; continuations joined. */
  body: string
  /** Whether a slash ends it. */
  isClosed: boolean
  /** Offset of its first character. */
  at: number
  /** Physical records: 1 and one for each 88. */
  count: number
}

const TAB = 0x09
const SPACE = 0x20
const COMMA = 0x2c
const SLASH = 0x2f

const CODES: ReadonlySet<string> = new Set(['01', '02', '03', '16', '49', '88', '98', '99'])

/** A further record on the same line: after a slash and blanks, and shaped like one. */
const INLINE_START = /[ \t]+(?=01,|02,|03,|16,\d{3},|49,[+-]?\d+,|88,|98,[+-]?\d+,|99,[+-]?\d+,)/y

/**
 * Splits a BAI2 text into records. Accepts common deviations: records without a closing slash, several on one line,
 * texts over several lines. Throws for a line that belongs to no record.
 */
export function* readRecords(text: string, lineAt: (offset: number) => number): Generator<BaiRecord, void> {
  let record: BaiRecord | null = null
  let inText = false
  const ends = new RecordEnds(text)
  for (let at = 0, end = 0; at < text.length; at = end + 1) {
    end = ends.after(at)
    const line = text.slice(at, end).trim()
    if (line === '') continue
    const code = codeOf(line)
    if (code === '88' || (code === null && record?.code === '16')) {
      if (record === null) throw refusedAt(lineAt(at), 'a continuation (88) follows nothing.', 'une suite (88) ne suit rien.')
      const body = code === null ? line : line.slice(3)
      if (record.code === '16' && !inText) inText = hasText(record.body)
      record.body += separator(record, inText || code === null) + withoutSlash(body)
      record.isClosed = isClosed(body)
      if (code !== null) record.count += 1
      continue
    }
    if (code === null) throw misplaced(record, line, lineAt(at))
    if (record !== null) yield record
    const body = line.slice(3)
    record = { code, body: withoutSlash(body), isClosed: isClosed(body), at, count: 1 }
    inText = false
  }
  if (record !== null) yield record
}

/**
 * Ends of physical records, requested in rising order: a match beyond the requested offset is cached, so that no text
 * is searched twice.
 */
class RecordEnds {
  readonly #text: string
  #newline = -1
  #slash = -1

  constructor(text: string) {
    this.#text = text
  }

  /** Offset of the line break, of a blank between a slash and a further record on the same line, or of the end of the text. */
  after(start: number): number {
    if (this.#newline < start) this.#newline = this.#find('\n', start)
    const end = this.#newline
    if (this.#slash < start) this.#slash = this.#find('/', start)
    for (; this.#slash < end; this.#slash = this.#find('/', this.#slash + 1)) {
      const next = this.#text.charCodeAt(this.#slash + 1)
      if (next !== SPACE && next !== TAB) continue
      INLINE_START.lastIndex = this.#slash + 1
      if (INLINE_START.test(this.#text)) return this.#slash + 1
    }
    return end
  }

  #find(mark: string, from: number): number {
    const found = this.#text.indexOf(mark, from)
    return found === -1 ? this.#text.length : found
  }
}

/** `16` of `16,475,…`; null for a line that does not begin with a record's code. */
function codeOf(line: string): string | null {
  if (line.charCodeAt(2) !== COMMA) return null
  const code = line.slice(0, 2)
  return CODES.has(code) ? code : null
}

/**
 * Separator between a record and its continuation. A slash ends the last field of its line, even an empty one; without
 * a slash a comma at the end of the line has already ended it.
 * Source: https://www.bai.org/docs/default-source/libraries/site-general-downloads/cash_management_2005.pdf (continuation record 88)
 */
function separator({ body, isClosed: hasSlash }: BaiRecord, isText: boolean): string {
  if (isText) return ' '
  return !hasSlash && body.charCodeAt(body.length - 1) === COMMA ? '' : ','
}

function isClosed(body: string): boolean {
  return body.charCodeAt(body.length - 1) === SLASH
}

function withoutSlash(body: string): string {
  return isClosed(body) ? body.slice(0, -1) : body
}

function misplaced(record: BaiRecord | null, line: string, number: number): Error {
  const code = /^\d\d(?=,)/.exec(line)?.[0]
  if (record === null && code !== undefined) {
    return refused(
      `Line ${number}: a BAI2 file begins with record 01, this one with ${code}.`,
      `Ligne ${number} : un fichier BAI2 commence par l’enregistrement 01, celui-ci par ${code}.`,
    )
  }
  return refusedAt(number, 'this line is no BAI2 record.', 'cette ligne n’est pas un enregistrement BAI2.')
}
