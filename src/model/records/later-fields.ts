import type { RecordSchema } from './record-schema.ts'

/*
 * Schema evolution: documents are stored as printed. One stored before a field was added lacks it, and is completed
 * with null whenever it is read: it is not printed again, and its record gets no new version until the source reports
 * the field.
 */

/** Adds the missing fields to a document. */
export function completeDocument(schema: RecordSchema, document: string): string {
  const missing = printMissing(schema, document)
  return missing === '' ? document : `${document.slice(0, -1)}${missing}}`
}

/** Like `completeDocument`, for documents as the database sends them. A complete document is returned unchanged. */
export function completeDocuments(schema: RecordSchema, documents: readonly Buffer[]): readonly Buffer[] {
  if (schema.shape === 1) return documents
  return documents.map((document) => {
    const missing = printMissing(schema, document)
    return missing === '' ? document : Buffer.concat([document.subarray(0, -1), Buffer.from(`${missing}}`)])
  })
}

/** Fields are ordered by their introduction, so the last one present determines which are missing. */
function printMissing({ properties }: RecordSchema, document: string | Buffer): string {
  let missing = ''
  for (const { name, since } of properties.toReversed()) {
    // NOTE quotes inside a JSON string are escaped, so only a property looks like this.
    if (since === 1 || document.includes(`"${name}":`)) return missing
    missing = `,"${name}":null${missing}`
  }
  return missing
}
