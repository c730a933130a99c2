import { HEAD_FIELDS } from '../../model/records/record-schema.ts'
import { type Json, parseJson } from '../../model/values/json.ts'
import type { ChangeExample, FieldChange } from '../../store/records/replays.ts'

const EXAMPLES = 5
const MAX_TEXT = 200

/** Counts the fields in which two documents of a record differ, and keeps the first differences as examples. */
export function tallyChange(changes: FieldChange[], record: { entity: string; id: string }, before: string, after: string): void {
  const [old, now] = [parseJson(before), parseJson(after)]
  const fields = new Set([...Object.keys(old ?? {}), ...Object.keys(now ?? {})])
  for (const field of fields) {
    if (HEAD_FIELDS.has(field)) continue
    const example = { recordId: record.id, before: shown(old, field), after: shown(now, field) }
    if (JSON.stringify(propertyOf(old, field)) !== JSON.stringify(propertyOf(now, field))) note(changes, record.entity, field, example)
  }
}

function note(changes: FieldChange[], entity: string, field: string, example: ChangeExample): void {
  const known = changes.find((change) => change.entity === entity && change.field === field)
  if (!known) changes.push({ entity, field, count: 1, examples: [example] })
  else {
    known.count += 1
    if (known.examples.length < EXAMPLES) known.examples.push(example)
  }
}

function propertyOf(document: Json, field: string): Json {
  return typeof document === 'object' && document !== null && !Array.isArray(document) ? (document[field] ?? null) : null
}

function shown(document: Json, field: string): ChangeExample['before'] {
  const value = propertyOf(document, field)
  if (typeof value === 'object' && value !== null) return JSON.stringify(value)
  return typeof value === 'string' && value.length > MAX_TEXT ? `${value.slice(0, MAX_TEXT)}…` : value
}
