import { expect } from 'vitest'
import { findConnection } from '../../src/store/connections/connections.ts'
import type { RecordScope } from '../../src/store/records/records.ts'
import type { SyncDeps } from '../../src/sync/context/deps.ts'
import type { SyncHarness } from '../sync/harness.ts'
import { toDay } from './bank-model.ts'
import { type ReadAccount, type ReadMovement, readAccounts, readMovements } from './owner.ts'

/** Records returned by the API after the last successful sync, by permanent identity. */
export interface PublishedRecords {
  /** Ids known to readers, by the account's permanent identity. */
  accounts: Map<number, string>
  /** Current transactions by tag, per account id. */
  movements: Map<string, Map<string, ReadMovement>>
}

export async function readPublished(deps: SyncDeps, scope: RecordScope): Promise<unknown> {
  return [await readAccounts(deps, scope), await readMovements(deps, scope)]
}

/** Everything that a refused reconnect must not change. */
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

/** Checks that a transaction equal to no other keeps its id. */
export function checkMovementIds(was: Map<string, ReadMovement>, is: Map<string, ReadMovement>): void {
  for (const [tag, movement] of is) {
    const before = was.get(tag)
    const equals = (list: Map<string, ReadMovement>) => [...list.values()].filter((one) => keyOf(one) === keyOf(movement)).length
    if (before && equals(was) === 1 && equals(is) === 1) expect(movement.id, `the id of ${tag}`).toBe(before.id)
  }
}

/** Permanent identity of the account, encoded in its balance. */
export function toTruth(account: ReadAccount): number {
  return account.actualBalance
}

function keyOf(one: ReadMovement): string {
  return JSON.stringify([one.postedOn, one.transactionOn, one.amount, one.description])
}

/** Date of the oldest transaction that the bank still lists. */
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
