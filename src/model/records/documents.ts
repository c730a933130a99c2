import type { DocumentHead, RecordSchema } from './record-schema.ts'

/**
 * Printed body of one record: JSON text with the fields of the specification after the head, and the sort key of lists.
 */
export interface DocumentBody {
  json: string
  /**
   * Body for comparing versions: without fields that only tell when the record was observed, and without null fields of
   * a later shape. So a record published before a field was added is unchanged until the source reports the field.
   */
  compared: string
  sortKey: string
}

/** Prints a normalized record as the API returns it, except for the head. `id` is the record's stable id. */
export type BodyPrinter = (id: string, record: Readonly<Record<string, unknown>>) => DocumentBody

/**
 * Printer of one kind of record, built once and reused. `observed`: fields that tell when the record was observed and
 * are no fact of it.
 * NOTE joining texts is faster than `JSON.stringify` of an object: exact numbers would disable its fast path.
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

/** Joins head and body into the whole document. All records of a page share one head, so it is printed once. */
export function documentPrinter(head: DocumentHead): (bodyJson: string) => string {
  const start = `${JSON.stringify(head).slice(0, -1)},`
  return (bodyJson) => start + bodyJson.slice(1)
}
