import { expect } from 'vitest'
import { findConnection } from '../../src/store/connections/connections.ts'
import type { RecordScope } from '../../src/store/records/records.ts'
import type { SyncDeps } from '../../src/sync/context/deps.ts'
import type { SyncHarness } from '../sync/harness.ts'
import { toDay } from './bank-model.ts'
import { type ReadAccount, type ReadMovement, readAccounts, readMovements } from './owner.ts'

/** What the API showed after the last good sync, by true names. */
export interface PublishedRecords {
  /** Account by its one true name, with the id that readers know. */
  accounts: Map<number, string>
  /** Per account's id: the tags of its living movements with their record. */
  movements: Map<string, Map<string, ReadMovement>>
}

export async function readPublished(deps: SyncDeps, scope: RecordScope): Promise<unknown> {
  return [await readAccounts(deps, scope), await readMovements(deps, scope)]
}

/** All that a refused reconnect may not change. */
export async function readEverything(harness: SyncHarness, scope: RecordScope, connectionId: string): Promise<unknown> {
  const { rows } = await harness.deps.database.query(
    `select (select count(*) from record_aliases where instance_id = $1 and company_id = $2) as aliases,
       (select count(*) from record_versions where instance_id = $1 and company_id = $2) as versions,
       (select count(*) from sync_runs where instance_id = $1 and connection_id = $3) as runs,
       (select version from publications where company_id = $2) as publication`,
    [scope.instanceId, scope.companyId, connectionId],
  )
  return [await findConnection(harness.deps.database, harness.instanceId, connectionId), await readPublished(harness.deps, scope), rows]
}

/** A movement that equals no other keeps its id. */
export function checkMovementIds(was: Map<string, ReadMovement>, is: Map<string, ReadMovement>): void {
  for (const [tag, movement] of is) {
    const before = was.get(tag)
    const equals = (list: Map<string, ReadMovement>) => [...list.values()].filter((one) => keyOf(one) === keyOf(movement)).length
    if (before && equals(was) === 1 && equals(is) === 1) expect(movement.id, `the id of ${tag}`).toBe(before.id)
  }
}

/** Which account it is in truth: balances are told apart by it. */
export function toTruth(account: ReadAccount): number {
  return account.actualBalance
}

function keyOf(one: ReadMovement): string {
  return JSON.stringify([one.postedOn, one.transactionOn, one.amount, one.description])
}

/** The day of the oldest movement that the bank still tells. */
export function firstDayOf(is: Map<string, ReadMovement>, told: ReadonlySet<string>): string {
  const days = [...is.values()].filter(({ category }) => told.has(category)).map((one) => one.postedOn ?? one.transactionOn ?? '')
  return days.sort()[0] ?? toDay(0)
}

export function groupMovements(movements: readonly ReadMovement[]): PublishedRecords['movements'] {
  const groups: PublishedRecords['movements'] = new Map()
  for (const movement of movements) {
    const group = groups.get(movement.accountOrigId) ?? new Map<string, ReadMovement>()
    groups.set(movement.accountOrigId, group.set(movement.category, movement))
  }
  return groups
}
