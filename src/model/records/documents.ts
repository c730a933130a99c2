import type { DocumentHead, RecordSchema } from './record-schema.ts'

/** The finished body of one record: JSON text with the fields of the specification after the head, and the text that lists sort by. */
export interface DocumentBody {
  json: string
  /**
   * The body as versions of a record are compared: without what only says when it was seen, and without fields of a later shape that are
   * null. A record that was published before a field was added is thus the same until the source gives the field.
   */
  compared: string
  sortKey: string
}

/** Turns a normalized record into the text that the API returns for it, all but the head. `id` is the record's stable id. */
export type BodyPrinter = (id: string, record: Readonly<Record<string, unknown>>) => DocumentBody

/**
 * The printer of one kind of record, made once for many. `observed` are fields that say when the record was seen and no fact of it.
 * NOTE texts that are joined take less time than an object given to `JSON.stringify`: exact numbers keep it from its short way.
 */
export function bodyPrinter(schema: RecordSchema, observed: readonly string[] = []): BodyPrinter {
  const steps = schema.properties.map((property, index) => ({
    ...property,
    start: `${index === 0 ? '{' : ','}${JSON.stringify(property.name)}:`,
    isObserved: observed.includes(property.name),
  }))
  const isComparedWhole = observed.length === 0 && schema.shape === 1
  return (id, record) => {
    let json = ''
    let compared = ''
    for (const step of steps) {
      const field = step.source === null ? id : record[step.source]
      const value = step.part ? step.part.of(field) : field
      const text = value === null ? 'null' : step.print(value)
      json += step.start + text
      if (isComparedWhole) continue
      const counted = step.isObserved ? 'null' : text
      if (step.since === 1 || counted !== 'null') compared += step.start + counted
    }
    json += '}'
    return { json, compared: isComparedWhole ? json : `${compared}}`, sortKey: schema.toSortKey(record) }
  }
}

/** Puts the head and a body into one object: the whole document. The head of all records of a page is the same, so it is printed once. */
export function documentPrinter(head: DocumentHead): (bodyJson: string) => string {
  const start = `${JSON.stringify(head).slice(0, -1)},`
  return (bodyJson) => start + bodyJson.slice(1)
}
