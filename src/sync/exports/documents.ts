import { completeDocuments } from '../../model/records/later-fields.ts'
import type { RecordSchema } from '../../model/records/record-schema.ts'
import type { EncodeSegment } from './encode-target.ts'

const LINE_END = 0x0a
const QUOTE = 0x22
const COMMA = 0x2c
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

/** Takes a value: a text, or the digits or the word that are printed without quotes. */
export type TakeValue = (column: number, value: string, isText: boolean) => void

/**
 * Reader of printed documents without depth, by the names of their properties in the order in which they are printed;
 * properties of other names are passed over. NOTE numbers stay the text that they are: a double would change some. This
 * is where an export spends its time: no document is parsed, and none is copied.
 */
export class DocumentReader {
  readonly #keys: readonly string[]
  readonly #columns: ReadonlyMap<string, number>

  constructor(names: readonly string[]) {
    this.#keys = names.map((name) => `"${name}":`)
    this.#columns = new Map(this.#keys.map((key, column) => [key, column]))
  }

  /** Reads all documents of a segment; `endRow` is called after each. */
  readAll({ lines, idBytes }: EncodeSegment, take: TakeValue, endRow: () => void): void {
    const text = Buffer.from(lines.buffer, lines.byteOffset, lines.byteLength).toString()
    for (let at = 0; at < text.length; ) {
      at = this.#read(text, at + idBytes, take)
      endRow()
    }
  }

  /** Reads the document that begins at `start`, without those of its properties that are null; returns where the next line begins. */
  #read(text: string, start: number, take: TakeValue): number {
    let at = start + 1
    for (let expected = 0; ; expected++) {
      let column = expected
      let key = this.#keys[expected]
      if (key === undefined || !text.startsWith(key, at)) {
        key = text.slice(at, text.indexOf(':', at) + 1)
        if (!KEY.test(key)) throw notAsPrinted()
        column = this.#columns.get(key) ?? -1
        if (column >= 0) expected = column
      }
      const from = at + key.length
      const end = text.charCodeAt(from) === QUOTE ? takeText(text, from, column, take) : takeLiteral(text, from, column, take)
      const after = text.charCodeAt(end)
      at = end + 1
      if (after === COMMA) continue
      if (after === CLOSE && text.charCodeAt(at) === LINE_END) return at + 1
      throw notAsPrinted()
    }
  }
}

/** Returns the place after the closing quote. */
function takeText(text: string, from: number, column: number, take: TakeValue): number {
  let end = text.indexOf('"', from + 1)
  while (end > 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1)
  if (end < 0) throw notAsPrinted()
  if (column >= 0) {
    const printed = text.slice(from + 1, end)
    take(column, printed.includes('\\') ? String(JSON.parse(`"${printed}"`)) : printed, true)
  }
  return end + 1
}

function isEscaped(text: string, quote: number): boolean {
  let before = quote
  while (text.charCodeAt(before - 1) === BACKSLASH) before -= 1
  return (quote - before) % 2 === 1
}

/** Returns the place after the digits or the word. */
function takeLiteral(text: string, from: number, column: number, take: TakeValue): number {
  let end = from
  for (let code = text.charCodeAt(end); code !== COMMA && code !== CLOSE; code = text.charCodeAt(end)) {
    end += 1
    if (end >= text.length) throw notAsPrinted()
  }
  if (column >= 0 && text.charCodeAt(from) !== NULL) take(column, text.slice(from, end), false)
  return end
}

function notAsPrinted(): Error {
  return new Error('a stored document is not as it is printed')
}
