import type { Json } from '../../model/values/json.ts'
import { isJsonObject } from '../toolkit/http/answers.ts'

/** Maximum depth: some more levels than the charts of accounts of countries have. */
const LEVELS = 10

/** The names of the accounts above an account, in the words of `read`: `parent.name`, `parent.parent.name`, … */
export const GROUP_FIELDS: string[] = Array.from({ length: LEVELS }, (_, level) => `${'parent.'.repeat(level + 1)}name`)

/**
 * Accounts whose type is for revenue and for expense: only their position in the chart of accounts distinguishes them.
 */
export function findTwoSided(accounts: readonly { [key: string]: Json }[], types: readonly { [key: string]: Json }[]): Json[] {
  const twoSided = new Set(types.filter(({ revenue, expense }) => Boolean(revenue) && Boolean(expense)).map(({ id }) => id))
  return accounts.filter(({ type }) => type != null && twoSided.has(type)).map(({ id }) => id ?? null)
}

/** Names of the parent accounts, by account, the nearest first and without the root, which names the chart. */
export function toGroups(rows: readonly { [key: string]: Json }[]): Map<Json, string[]> {
  return new Map(rows.map((row) => [row.id ?? null, namesAbove(row['parent.']).slice(0, -1)]))
}

function namesAbove(parent: Json | undefined): string[] {
  if (!isJsonObject(parent) || typeof parent.name !== 'string') return []
  return [parent.name, ...namesAbove(parent['parent.'])]
}
