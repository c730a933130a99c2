import { refused, refusedAt } from '../refusal.ts'
import { hasText } from './details.ts'

/** One logical record with its continuations. */
export interface BaiRecord {
  /** `01`, `02`, `03`, `16`, `49`, `98`, `99`. */
  code: string
  /** What follows the code, without the closing slash; continuations joined. */
  body: string
  /** Offset of its first character. */
  at: number
  /** Physical records: 1 and one for each 88. */
  count: number
}

const LINE_START = /^(?:01|02|03|16|49|88|98|99),/
/** A further record on the same line: after a slash and blanks, and shaped like one. */
const INLINE_START = /[ \t]+(?=01,|02,|03,|16,\d{3},|49,[+-]?\d+,|88,|98,[+-]?\d+,|99,[+-]?\d+,)/y

/**
 * Splits a BAI2 text into records. Takes what banks write: records without closing slash, several on one line, texts that run over
 * lines. Refuses a line that belongs to nothing.
 */
export function* readRecords(text: string, lineAt: (offset: number) => number): Generator<BaiRecord, void> {
  let record: BaiRecord | null = null
  let inText = false
  for (const { line, at } of physicalRecords(text)) {
    const code = LINE_START.test(line) ? line.slice(0, 2) : null
    if (code === '88' || (code === null && record?.code === '16')) {
      if (record === null) throw refusedAt(lineAt(at), 'a continuation (88) follows nothing.', 'une suite (88) ne suit rien.')
      const body = code === null ? line : line.slice(3)
      if (record.code === '16' && !inText) inText = hasText(record.body)
      record.body += (inText || code === null ? ' ' : ',') + withoutSlash(body)
      if (code !== null) record.count += 1
      continue
    }
    if (code === null) throw misplaced(record, line, lineAt(at))
    if (record !== null) yield record
    record = { code, body: withoutSlash(line.slice(3)), at, count: 1 }
    inText = false
  }
  if (record !== null) yield record
}

function* physicalRecords(text: string): Generator<{ line: string; at: number }, void> {
  for (let at = 0; at < text.length; ) {
    const newline = text.indexOf('\n', at)
    const end = newline === -1 ? text.length : newline
    yield* splitLine(text, at, end)
    at = end + 1
  }
}

function* splitLine(text: string, start: number, end: number): Generator<{ line: string; at: number }, void> {
  let from = start
  for (let slash = text.indexOf('/', start); slash !== -1 && slash < end; slash = text.indexOf('/', slash + 1)) {
    INLINE_START.lastIndex = slash + 1
    const blanks = INLINE_START.exec(text)?.[0]
    if (blanks === undefined) continue
    const line = text.slice(from, slash + 1).trim()
    if (line !== '') yield { line, at: from }
    from = slash + 1 + blanks.length
  }
  const line = text.slice(from, end).trim()
  if (line !== '') yield { line, at: from }
}

function withoutSlash(body: string): string {
  return body.endsWith('/') ? body.slice(0, -1) : body
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
