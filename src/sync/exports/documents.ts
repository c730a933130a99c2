import { completeDocuments } from '../../model/records/later-fields.ts'
import type { RecordSchema } from '../../model/records/record-schema.ts'
import type { EncodeSegment } from './encode-target.ts'

const LINE_END = 0x0a
const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const BACKSLASH = 0x5c
const NULL = 0x6e
const CLOSE = 0x7d
const KEY = /^"\w+":$/

/** The documents of a segment, completed with the fields of later shapes. */
export function splitDocuments(schema: RecordSchema, { lines, idBytes }: EncodeSegment): readonly Buffer[] {
  const bytes = Buffer.from(lines.buffer, lines.byteOffset, lines.byteLength)
  const documents: Buffer[] = []
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf(LINE_END, at)
    documents.push(bytes.subarray(at + idBytes, end))
    at = end + 1
  }
  return completeDocuments(schema, documents)
}

/** How a value is printed: digits or a word, a text, or a text with escapes. */
export type Printed = 'literal' | 'text' | 'escaped'

/** Callback for each value, with its bytes `from` … `to`; of a text without the quotes. */
export type TakeValue = (column: number, bytes: Buffer, from: number, to: number, printed: Printed) => void

/** Value as text. */
export function readValue(bytes: Buffer, from: number, to: number, printed: Printed): string {
  if (printed === 'escaped') return String(JSON.parse(`"${bytes.toString('utf8', from, to)}"`))
  return bytes.toString(printed === 'text' ? 'utf8' : 'latin1', from, to)
}

/**
 * Reader of flat printed documents: reports the properties of the given names, which are in the order in which they are
 * printed, and skips all others. NOTE numbers stay text, because a double would change some. Most of the time of an
 * export is spent here: documents are not parsed, and bytes are decoded only where a string is needed.
 */
export class DocumentReader {
  readonly #keys: readonly Buffer[]
  readonly #columns: ReadonlyMap<string, number>

  constructor(names: readonly string[]) {
    const keys = names.map((name) => `"${name}":`)
    this.#keys = keys.map((key) => Buffer.from(key))
    this.#columns = new Map(keys.map((key, column) => [key, column]))
  }

  /** Reads all documents of a segment; `endRow` is called after each. */
  readAll({ lines, idBytes }: EncodeSegment, take: TakeValue, endRow: () => void): void {
    const bytes = Buffer.from(lines.buffer, lines.byteOffset, lines.byteLength)
    for (let at = 0; at < bytes.length; ) {
      at = this.#read(bytes, at + idBytes, take)
      endRow()
    }
  }

  /** Reads the document at `start` except for its null properties; returns the start of the next line. */
  #read(bytes: Buffer, start: number, take: TakeValue): number {
    let at = start + 1
    for (let expected = 0; ; expected++) {
      const key = this.#keys[expected]
      let column = expected
      let from = at + (key?.length ?? 0)
      if (key === undefined || !isAt(bytes, at, key)) {
        from = bytes.indexOf(COLON, at) + 1
        const other = bytes.toString('latin1', at, from)
        if (!KEY.test(other)) throw notAsPrinted()
        column = this.#columns.get(other) ?? -1
        if (column >= 0) expected = column
      }
      const end = bytes[from] === QUOTE ? takeText(bytes, from + 1, column, take) : takeLiteral(bytes, from, column, take)
      const after = bytes[end]
      at = end + 1
      if (after === COMMA) continue
      if (after === CLOSE && bytes[at] === LINE_END) return at + 1
      throw notAsPrinted()
    }
  }
}

function isAt(bytes: Buffer, at: number, wanted: Buffer): boolean {
  for (let index = 0; index < wanted.length; index++) if (bytes[at + index] !== wanted[index]) return false
  return true
}

/** Returns the position after the closing quote. */
function takeText(bytes: Buffer, from: number, column: number, take: TakeValue): number {
  let end = from
  let printed: Printed = 'text'
  for (let byte = bytes[end]; byte !== QUOTE; byte = bytes[end]) {
    if (byte === BACKSLASH) printed = 'escaped'
    // The byte after a backslash never ends the text.
    end += byte === BACKSLASH ? 2 : 1
    if (end >= bytes.length) throw notAsPrinted()
  }
  if (column >= 0) take(column, bytes, from, end, printed)
  return end + 1
}

/** Returns the position after the digits or the word. */
function takeLiteral(bytes: Buffer, from: number, column: number, take: TakeValue): number {
  let end = from
  for (let byte = bytes[end]; byte !== COMMA && byte !== CLOSE; byte = bytes[end]) {
    end += 1
    if (end >= bytes.length) throw notAsPrinted()
  }
  if (column >= 0 && bytes[from] !== NULL) take(column, bytes, from, end, 'literal')
  return end
}

function notAsPrinted(): Error {
  return new Error('a stored document is not as it is printed')
}
