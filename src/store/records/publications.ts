import type { Entity } from '../../model/catalogue.ts'
import { onConflict } from '../db/cluster/distribution-key.ts'
import type { Db } from '../db/database.ts'
import { eraseExportsWith, lockPins } from '../exports/exports.ts'
import { consumeAnnouncement } from './publication-changes.ts'
import { companyIdOf, toPublicationKey } from './publication-key.ts'
import { IN_RECORD_SETS, type RecordScope, scopeValues } from './records.ts'

/** Publication: what readers of one company at one service see now. `version` is raised by every change. */
export interface Publication {
  version: string
  publishedAt: Date
  accounts: number
  transactions: number
}

const COLUMNS = 'version, published_at as "publishedAt", accounts, transactions'

/**
 * Raises the version and counts the visible records; part of the transaction that changes them. Throws `NotAnnounced`.
 * NOTE versions start at the current time in microseconds, so that data that was deleted and comes back never gets a
 * version that a cache still holds. `isFirst`: the connection has published nothing before.
 */
export async function raisePublication(
  db: Db,
  scope: RecordScope,
  { at, isFirst }: { at: Date; isFirst: boolean },
  leaseMs: number,
): Promise<void> {
  await consumeAnnouncement(db, scope, leaseMs)
  const { Accounts: accounts, Transactions: transactions } = await countRecords(db, scope)
  const values = [toPublicationKey(scope), scope.instanceId, scope.companyId, scope.serviceId, at, accounts, transactions]
  const onCluster = (sql: string) => (db.isDistributed ? `, ${sql}` : '')
  const { rows } = await db.query<{ version: string }>(
    `insert into publications as p (key, instance_id, company_id, service_id, version, published_at, accounts, transactions${onCluster('first_published_at')})
     values ($1, $2, $3, $4, (extract(epoch from clock_timestamp()) * 1000000)::bigint, $5, $6, $7${onCluster('$8')})
     ${onConflict(db, 'key')} do update set version = greatest(p.version + 1, excluded.version), published_at = excluded.published_at, accounts = excluded.accounts,
       transactions = excluded.transactions${onCluster('first_published_at = excluded.first_published_at')} returning version`,
    db.isDistributed ? [...values, isFirst ? at : await findFirst(db, scope)] : values,
  )
  await noteChange(db, scope, { version: rows[0]?.version, isRemoved: false })
}

/** First publication of the connection that publishes: read from the coordinator, kept in the shard of the records. */
async function findFirst(db: Db, { instanceId, companyId, serviceId }: RecordScope): Promise<Date | null> {
  const { rows } = await db.query<{ at: Date | null }>(
    'select max(first_published_at) as at from connections where instance_id = $1 and company_id = $2 and service_id = $3',
    [instanceId, companyId, serviceId],
  )
  return rows[0]?.at ?? null
}

/**
 * For the change feed and the search, on a cluster; elsewhere a trigger does it. With the version: the note may be there
 * before the change is, which another server commits.
 */
async function noteChange(
  db: Db,
  { instanceId, companyId, serviceId }: RecordScope,
  change: { version: string | undefined; isRemoved: boolean },
): Promise<void> {
  if (!db.isDistributed) return
  await db.query(
    'insert into unplaced_publications (instance_id, company_id, service_id, version, is_removed) values ($1, $2, $3, $4, $5)',
    [instanceId, companyId, serviceId, change.version, change.isRemoved],
  )
  const values = [instanceId, companyId, serviceId]
  const note = 'insert into unindexed_publications (instance_id, company_id, service_id) values ($1, $2, $3)'
  await db.query(note, values)
  // Once more, for a reader of the first note who came before the nodes had committed.
  db.onCommitted?.(async (after) => void (await after.query(note, values)))
}

async function countRecords(db: Db, scope: RecordScope): Promise<Record<Entity, number>> {
  const { rows } = await db.query<Record<Entity, number>>(
    `select (count(*) filter (where entity = 'Accounts'))::int as "Accounts", (count(*) filter (where entity = 'Transactions'))::int as "Transactions"
     from record_versions where ${IN_RECORD_SETS} and valid_to is null and not deleted`,
    scopeValues(scope),
  )
  return rows[0] ?? { Accounts: 0, Transactions: 0 }
}

/** Removes the publication, so that readers no longer see the data, and the exports with it. Throws `NotAnnounced`. */
export async function closePublication(db: Db, scope: RecordScope, leaseMs: number): Promise<void> {
  await consumeAnnouncement(db, scope, leaseMs)
  await lockPins(db, scope.instanceId)
  const { rows } = await db.query<{ version: string }>('delete from publications where key = $1 and company_id = $2 returning version', [
    toPublicationKey(scope),
    scope.companyId,
  ])
  if (rows[0]) await noteChange(db, scope, { version: rows[0].version, isRemoved: true })
  await eraseExportsWith(db, scope)
}

export async function findPublication(db: Db, scope: RecordScope): Promise<Publication | null> {
  const { rows } = await db.query<Publication>(`select ${COLUMNS} from publications where key = $1 and company_id = $2`, [
    toPublicationKey(scope),
    scope.companyId,
  ])
  return rows[0] ?? null
}

/** Publications of a company at some services, by service; services without one are left out. */
export async function listPublicationsOfCompany(
  db: Db,
  { instanceId, companyId }: Omit<RecordScope, 'serviceId'>,
  serviceIds: readonly string[],
): Promise<Map<string, Publication>> {
  if (serviceIds.length === 0) return new Map()
  const { rows } = await db.query<Publication & { serviceId: string }>(
    `select ${COLUMNS}, service_id as "serviceId" from publications where key = any($1) and company_id = $2`,
    [serviceIds.map((serviceId) => toPublicationKey({ instanceId, companyId, serviceId })), companyId],
  )
  return new Map(rows.map(({ serviceId, ...publication }) => [serviceId, publication]))
}

/**
 * Versions of many publications in one query, by key, for the page cache; keys include the instance; keys without a
 * publication are left out.
 * NOTE runs for every read. One text in each direction takes half the time of an array and a row per key. On a cluster
 * the companies tell Citus which shards to ask.
 */
export async function findVersions(db: Db, keys: string[]): Promise<Map<string, string>> {
  const { rows } = await db.query<{ versions: string | null }>({
    name: 'find-versions',
    text: `select string_agg(key || '=' || version, ',') as versions from publications where key = any(string_to_array($1, ','))${
      db.isDistributed ? ' and company_id = any($2::uuid[])' : ''
    }`,
    values: [keys.join(','), ...(db.isDistributed ? [keys.map(companyIdOf)] : [])],
  })
  const versions = new Map<string, string>()
  for (const entry of rows[0]?.versions?.split(',') ?? []) {
    const end = entry.lastIndexOf('=')
    versions.set(entry.slice(0, end), entry.slice(end + 1))
  }
  return versions
}
