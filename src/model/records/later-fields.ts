import type { RecordSchema } from './record-schema.ts'

/*
 * Documents are stored as they were printed. One that was stored before a field was added to the schema lacks it, and is completed with null
 * whenever it is read: it is not printed again, and its record has no new version until the source gives the field.
 */

/** Completes a document with the fields that it lacks. */
export function completeDocument(schema: RecordSchema, document: string): string {
  const missing = printMissing(schema, document)
  return missing === '' ? document : `${document.slice(0, -1)}${missing}}`
}

/** As `completeDocument`, for documents as the database sends them. What lacks nothing is the same afterwards. */
export function completeDocuments(schema: RecordSchema, documents: readonly Buffer[]): readonly Buffer[] {
  if (schema.shape === 1) return documents
  return documents.map((document) => {
    const missing = printMissing(schema, document)
    return missing === '' ? document : Buffer.concat([document.subarray(0, -1), Buffer.from(`${missing}}`)])
  })
}

/** Fields stand in the order in which they came, so that the last one that is there says which are missing. */
function printMissing({ properties }: RecordSchema, document: string | Buffer): string {
  let missing = ''
  for (const { name, since } of properties.toReversed()) {
    // NOTE quotes inside a JSON string are escaped, so only a property looks like this.
    if (since === 1 || document.includes(`"${name}":`)) return missing
    missing = `,"${name}":null${missing}`
  }
  return missing
}
