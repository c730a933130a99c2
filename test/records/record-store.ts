import { randomUUID } from 'node:crypto'
import type { Category, Entity } from '../../src/model/catalogue.ts'
import { readyTables } from '../../src/store/db/cluster/distribute.ts'
import { type Database, type Db, openDatabase } from '../../src/store/db/database.ts'
import { type RecordScope, VERSION_COLUMNS } from '../../src/store/records/records.ts'
import type { StagedRecord } from '../../src/store/records/staged-records.ts'
import { addCompany, addInstance } from '../harness/app/tenants.ts'
import { databaseOfOneServer } from '../harness/database.ts'
import { openForTests } from '../harness/for-tests.ts'

/** Tables as every server has them, and as a cluster has them: with both the store does the same. */
export const SHAPES = [
  { shape: 'the tables of one server', isDistributed: false },
  { shape: 'the tables of a cluster', isDistributed: true },
]

/** A database of its own on one server, whatever other tests run on. */
export function storeForTests(isDistributed: boolean): { database: Database; url: string } {
  return openForTests(
    async () => {
      const test = await databaseOfOneServer()
      if (isDistributed) await readyTables(test.database)
      const database = openDatabase(test.url, { max: 4, isDistributed })
      return { ...test, database }
    },
    async ({ database, drop }) => {
      await database.end()
      await drop()
    },
  )
}

/** A connection of a company, which may have published, and a run of it. */
export interface Books extends RecordScope {
  connectionId: string
  runId: string
}

export interface NewBooks {
  instanceId?: string
  companyId?: string
  serviceId?: string
  connectionId?: string
  category?: Category
  status?: number
  /** Of the first publication; null: there was none. */
  publishedAt?: Date | null
  createdAt?: Date
}

export const AT = new Date('2026-11-20T12:00:00Z')

/** An instant so many minutes after `AT`. */
export function minutesAfter(minutes: number): Date {
  return new Date(AT.getTime() + minutes * 60_000)
}

/** Ids in the order of their numbers. */
export function idOf(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`
}

export async function addBooks(database: Database, given: NewBooks = {}): Promise<Books> {
  const instanceId = given.instanceId ?? (await addInstance(database))
  const companyId = given.companyId ?? (await addCompany(database, instanceId))
  const { serviceId = randomUUID(), connectionId = randomUUID(), category = 'Banking', status = 9, publishedAt = AT } = given
  const runId = randomUUID()
  await database.query(
    `insert into connections (instance_id, id, company_id, service_id, connector_key, category, email, status, update_scheduled_at, refresh_hours,
       published_at, first_published_at, created_at, entity_id)
     values ($1, $2, $3, $4, 'bank', $5, '', $6, now(), 24, $7, $7, coalesce($8, clock_timestamp()), 'entity')`,
    [instanceId, connectionId, companyId, serviceId, category, status, publishedAt, given.createdAt ?? null],
  )
  const books = { instanceId, companyId, serviceId, connectionId, runId }
  await addRun(database, books, {})
  return books
}

export interface NewRun {
  id?: string
  state?: string
  reason?: string
  startedAt?: Date
  endedAt?: Date | null
}

export async function addRun(database: Database, of: Books, run: NewRun): Promise<string> {
  const { id = of.runId, state = 'published', reason = 'first', startedAt = AT, endedAt = AT } = run
  await database.query(
    `insert into sync_runs (instance_id, id, connection_id, company_id, reason, state, fence, started_at, ended_at)
     values ($1, $2, $3, $4, $5, $6, 1, $7, $8)`,
    [of.instanceId, id, of.connectionId, of.companyId, reason, state, startedAt, endedAt],
  )
  return id
}

/** Content hash of `newRecord`. */
export const HASH = Buffer.alloc(16, 7)

/** The record with a number, as it is staged; its texts name the number. */
export function newRecord(n: number, other: Partial<StagedRecord> = {}): StagedRecord {
  return {
    ...{ id: idOf(n), origId: `orig ${n}`, doc: `{"origId":"orig ${n}"}`, contentHash: HASH, sourceVersion: null },
    ...{ sortKey: `sort ${n}`, rawIndex: n, ...other },
  }
}

/** Version of a record; what is left out is that of a plain current one. */
export interface NewVersion {
  id: string
  entity?: Entity
  validFrom?: Date | '-infinity'
  validTo?: Date | null
  origId?: string
  deleted?: boolean
  doc?: object | string
  sourceVersion?: string | null
  sortKey?: string
  rawPageId?: string | null
  rawIndex?: number
  contentHash?: Uint8Array
  mappingVersion?: number
}

export async function addVersion(database: Database, of: Books, version: NewVersion): Promise<void> {
  const { id, entity = 'Accounts', validFrom = '-infinity', validTo = null, deleted = false, sourceVersion = null } = version
  const { origId = `orig ${id.slice(-1)}`, sortKey = id.slice(-2), rawPageId = null, rawIndex = 0, mappingVersion = 1 } = version
  const { doc = { origId }, contentHash = Buffer.alloc(16, 1) } = version
  await database.query(
    `insert into record_versions (instance_id, company_id, service_id, entity, id, valid_from, valid_to, orig_id, connection_id, deleted, doc,
       content_hash, source_version, sort_key, run_id, raw_page_id, raw_index, mapping_version)
     values ($1, $2, $3, $4, $5, $6::timestamptz, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)`,
    [
      ...[of.instanceId, of.companyId, of.serviceId, entity, id, validFrom === '-infinity' ? validFrom : validFrom.toISOString(), validTo],
      ...[origId, of.connectionId, deleted, typeof doc === 'string' ? doc : JSON.stringify(doc), contentHash, sourceVersion, sortKey],
      ...[of.runId, rawPageId, rawIndex, mappingVersion],
    ],
  )
}

/** Copies of a connection's record for 5,000 other companies of its instance, four for each. */
export async function addCrowdOfVersions(database: Database, connectionId: string): Promise<void> {
  await database.query(
    `insert into record_versions (${VERSION_COLUMNS})
     select instance_id, md5('company/' || n / 4)::uuid, service_id, entity, gen_random_uuid(), valid_from, 'crowd ' || n, connection_id, deleted, doc,
       content_hash, source_version, sort_key, run_id, raw_page_id, raw_index, mapping_version
     from (select * from record_versions where connection_id = $1 limit 1) v, generate_series(0, 19999) n`,
    [connectionId],
  )
  await database.query('analyze record_versions')
}

/** What readers see of a company at a service, without the notes that a change of it leaves. */
export async function addPublication(
  database: Database,
  of: RecordScope,
  { publishedAt = AT, accounts = 0, transactions = 0, version = 1 } = {},
): Promise<void> {
  await database.query(
    `insert into publications (key, instance_id, company_id, service_id, version, published_at, accounts, transactions)
     values (concat_ws('/', $1::uuid, $2::uuid, $3::uuid), $1, $2, $3, $4, $5, $6, $7)`,
    [of.instanceId, of.companyId, of.serviceId, version, publishedAt, accounts, transactions],
  )
  if (database.isDistributed)
    await database.query('update publications set first_published_at = $2 where company_id = $1', [of.companyId, publishedAt])
}

/** Versions of the records of a connection, in order of ids and times. */
export async function versionsOf(database: Database, of: Books, columns: string): Promise<Record<string, unknown>[]> {
  const { rows } = await database.query(
    `select ${columns} from record_versions where connection_id = $1 and instance_id = $2 order by entity, id, valid_from`,
    [of.connectionId, of.instanceId],
  )
  return rows
}

/** The same database or transaction; `tell` hears of each statement, and how many rows it had. */
export function watched(db: Db, tell: (text: string, rowCount: number) => void): Db {
  return new Proxy(db, {
    get: (target, key) => {
      const value: unknown = Reflect.get(target, key)
      if (typeof value !== 'function') return value
      if (key !== 'query') return value.bind(target)
      return async (...given: [string | { text: string }, ...unknown[]]): Promise<unknown> => {
        const result: { rowCount: number | null } = await Reflect.apply(value, target, given)
        tell(typeof given[0] === 'string' ? given[0] : given[0].text, result.rowCount ?? 0)
        return result
      }
    },
  })
}
