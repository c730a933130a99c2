import type { AccountChange, AccountFields } from '../events.ts'
import { readFields } from './document-fields.ts'
import { HEAD_FIELDS } from './record-schema.ts'

/** Properties that are no fields of the account, or are listed apart from them. */
const HEAD: ReadonlySet<string> = new Set([...HEAD_FIELDS, 'id', 'origId'])

/** Maximum bytes of one change; leaves room for the rest of a body. */
const MAX_CHANGE_BYTES = 15 * 1024
/** Texts are truncated to these lengths in turn until the change fits. */
const TEXT_LIMITS = [1_000, 200, 40]

/** Change of one account by one publication: its published documents before and after. */
export interface PublishedChange {
  id: string
  /** Null when it was never published before. */
  before: string | null
  wasDeleted: boolean
  after: string
  isDeleted: boolean
}

/** Diff of an account: all fields of a new or deleted one, otherwise only those that differ. */
export function toAccountChange(change: PublishedChange): AccountChange {
  const after = readFields(change.after)
  const before = change.before === null || change.wasDeleted ? null : readFields(change.before)
  const shared = { AccountId: change.id, OrigId: String(after.get('origId') ?? '') }
  if (change.isDeleted) return shorten({ ...shared, Change: 'Deleted', Before: toRecord(before ?? new Map()), After: null })
  if (!before) return shorten({ ...shared, Change: change.wasDeleted ? 'Restored' : 'Created', Before: null, After: toRecord(after) })
  const differing = [...after.keys()].filter((name) => after.get(name) !== before.get(name))
  return shorten({
    ...shared,
    Change: 'Changed',
    Before: toRecord(before, differing),
    After: toRecord(after, differing),
  })
}

type Field = AccountFields[string]

function toRecord(fields: Map<string, Field>, names: Iterable<string> = fields.keys()): AccountFields {
  return Object.fromEntries([...names].filter((name) => !HEAD.has(name)).map((name) => [name, fields.get(name) ?? null]))
}

function shorten(change: AccountChange): AccountChange {
  let fitting = change
  for (const limit of TEXT_LIMITS) {
    if (Buffer.byteLength(JSON.stringify(fitting)) <= MAX_CHANGE_BYTES) return fitting
    fitting = { ...change, OrigId: cut(change.OrigId, limit), Before: cutAll(change.Before, limit), After: cutAll(change.After, limit) }
  }
  return fitting
}

function cutAll(fields: AccountFields | null, limit: number): AccountFields | null {
  return (
    fields &&
    Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, typeof value === 'string' ? cut(value, limit) : value]))
  )
}

function cut(text: string, limit: number): string {
  const characters = [...text]
  return characters.length <= limit ? text : `${characters.slice(0, limit).join('')}…`
}
