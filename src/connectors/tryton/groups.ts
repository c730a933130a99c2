import { distinctInSlices, flatMapInSlices } from '../../model/steps/slices.ts'
import type { Json } from '../../model/values/json.ts'
import { isJsonObject } from '../toolkit/http/answers.ts'
import type { Row } from './wire.ts'

/** Maximum depth: some more levels than the charts of accounts of countries have. */
const LEVELS = 10

/** The names of the accounts above an account, in the words of `read`: `parent.name`, `parent.parent.name`, … */
export const GROUP_FIELDS: string[] = Array.from({ length: LEVELS }, (_, level) => `${'parent.'.repeat(level + 1)}name`)

/**
 * Accounts whose type is for revenue and for expense: only their position in the chart of accounts distinguishes them.
 */
export async function findTwoSided(accounts: readonly Row[], types: readonly Row[]): Promise<Json[]> {
  const twoSided = await distinctInSlices(types, ({ id, revenue, expense }) => (revenue && expense ? [id] : []))
  return await flatMapInSlices(accounts, ({ id, type }) => (type != null && twoSided.has(type) ? [id ?? null] : []))
}

/** Names of the parent accounts, by account, the nearest first and without the root, which names the chart. */
export function toGroups(rows: readonly { [key: string]: Json }[]): Map<Json, string[]> {
  return new Map(rows.map((row) => [row.id ?? null, namesAbove(row['parent.']).slice(0, -1)]))
}

function namesAbove(parent: Json | undefined): string[] {
  if (!isJsonObject(parent) || typeof parent.name !== 'string') return []
  return [parent.name, ...namesAbove(parent['parent.'])]
}
