import { completeDocument } from '../../model/records/later-fields.ts'
import type { RecordSchema } from '../../model/records/record-schema.ts'

/** Documents on lines of their own, completed with the fields of later shapes. */
export function* listDocuments(schema: RecordSchema, lines: Uint8Array): Generator<string> {
  const text = Buffer.from(lines.buffer, lines.byteOffset, lines.byteLength).toString()
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf('\n', at)
    yield completeDocument(schema, text.slice(at, end))
    at = end + 1
  }
}

/** Property of a document without depth: name, then a text, or the digits or word as they were printed. */
const PROPERTY = /"(\w+)":(?:"((?:[^"\\]|\\.)*)"|([^",}]+))/gy

/**
 * Properties of a printed document, which has no depth; those that are null are left out. NOTE numbers stay the text
 * that they are: a double would change some.
 */
export function* listValues(document: string): Generator<[name: string, value: string | { literal: string }]> {
  for (let at = 1; at < document.length; at = PROPERTY.lastIndex + 1) {
    PROPERTY.lastIndex = at
    const found = PROPERTY.exec(document)
    if (!found) throw new Error('a stored document is not as it is printed')
    const [, name = '', text, literal = ''] = found
    if (text !== undefined) yield [name, text.includes('\\') ? String(JSON.parse(`"${text}"`)) : text]
    else if (literal !== 'null') yield [name, { literal }]
  }
}
