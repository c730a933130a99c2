import { randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { beforeAll, expect, it } from 'vitest'
import { toRecordId } from '../../src/model/catalogue.ts'
import { inTransaction, openDatabase } from '../../src/store/db/database.ts'
import { catchUpFeed } from '../../src/store/webhooks/event-feeds.ts'
import { disconnect, requestRefresh, resume, suspend } from '../../src/sync/connection/connection-actions.ts'
import type { SyncDeps } from '../../src/sync/context/deps.ts'
import { refreshCoverage } from '../../src/sync/runs/coverage.ts'
import { sourcesWithKits, syncDeps } from '../harness/app/sync-deps.ts'
import { addCompany } from '../harness/app/tenants.ts'
import { isOnCluster, serverNote } from '../harness/database.ts'
import { openForTests } from '../harness/for-tests.ts'
import { testKeys } from '../harness/keys.ts'
import { companyActions } from '../sync/harness.ts'
import { openApiHarness } from './harness.ts'

/** Number of journeys whose rows are counted, before and after the other companies are added. */
const FEW = 4
const CROWD = 80
const AT_ONCE = 4
/** Allowance for a query plan that reads a journey's own few rows in another way once there are others. */
const SLACK = CROWD / 2
/** Tables that all processes read while rows are new, and that are cleaned up an hour later. */
const BOUNDED_BY_TIME = /^publication_changes/

const ABOUT = ['status', 'timeline', 'runs', 'quality', 'consents']

const api = openForTests(openApiHarness)

beforeAll(async () => {
  api.books.accounts = api.books.accounts.slice(0, 2)
  // Small tables are scanned entirely, whatever indexes there are.
  const { database } = api.syncHarness.deps
  await database.query(`do $$ begin execute format('alter database %I set enable_seqscan = off', current_database()); end $$`)
})

/** The life of one company, from its link to the deletion of its data, with the reads of its lender. */
async function journey(deps: SyncDeps, app: FastifyInstance, isEnded: boolean): Promise<void> {
  const { books, syncHarness: harness } = api
  const { database } = deps
  const companyId = randomUUID()
  const scope = { instanceId: harness.instanceId, companyId, serviceId: harness.serviceId(books) }
  const read = async (path: string) => {
    const answer = await app.inject({ url: `/admin/api/v1${path}`, headers: { authorization: `Bearer ${api.tokens.admin}` } })
    expect([path, answer.statusCode]).toEqual([path, 200])
  }
  await addCompany(database, harness.instanceId, { id: companyId })
  const { connect, sync, erase } = companyActions(deps, harness.instanceId, companyId)
  const id = await connect(books)
  await sync(id, { reason: 'first', isAwaited: true })
  await refreshCoverage(database, scope, 'Accounting')
  const accounts = `/normalized-data/${companyId}/accountancy/accounts/${scope.serviceId}`
  const connection = `/normalized-data/company/${companyId}/data-connection/${scope.serviceId}`
  const recordId = toRecordId(companyId, scope.serviceId, 'Accounts', '100')
  for (const query of ['', '?asOf=2030-01-01', '?modifiedSince=2020-01-01', '?includeDeleted=true']) await read(`${accounts}${query}`)
  await read(`${accounts}/${recordId}/explanation`)
  for (const about of ABOUT) await read(`${connection}/${about}`)
  await read(`/normalized-data/company/${companyId}/data-connection/statuses`)
  books.accounts = books.accounts.map((account) => ({ ...account, name: `${account.id} ${randomUUID()}` }))
  await requestRefresh(deps, scope)
  await sync(id)
  await refreshCoverage(database, scope, 'Accounting')
  await sync(id)
  expect(await connect(books)).toBe(id)
  await sync(id, { reason: 'reconnect' })
  await suspend(deps, scope)
  await resume(deps, scope)
  await inTransaction(database, (db) => catchUpFeed(db, harness.instanceId))
  if (!isEnded) return
  await disconnect(deps, scope)
  await erase(id)
}

/** Table rows and index entries read by a number of journeys. */
async function rowsRead(count: number, isEnded = true): Promise<Map<string, number>> {
  // As autovacuum does eventually.
  await api.syncHarness.deps.database.query('vacuum analyze')
  const before = await readStatistics()
  const database = openDatabase(api.syncHarness.url, { name: 'journeys' })
  const deps = syncDeps({ database, keys: await testKeys(), sources: sourcesWithKits([api.books.description]) })
  const app = api.openOn(deps)
  for (let i = 0; i < count; i += AT_ONCE) await Promise.all(Array.from({ length: AT_ONCE }, () => journey(deps, app, isEnded)))
  await app.close()
  await database.end()
  await flushStatistics()
  const after = await readStatistics()
  return new Map([...after].map(([name, rows]) => [name, rows - (before.get(name) ?? 0)]))
}

/** A session reports its statistics at its end at the latest. */
async function flushStatistics(): Promise<void> {
  await expect
    .poll(
      async () => {
        const { rows } = await api.syncHarness.deps.database.query(
          `select pid from pg_stat_activity where datname = current_database() and application_name = 'journeys'`,
        )
        return rows.length
      },
      { timeout: 20_000 },
    )
    .toBe(0)
}

async function readStatistics(): Promise<Map<string, number>> {
  const { rows } = await api.syncHarness.deps.database.query<{ name: string; rows: string }>(
    `select relname as name, seq_tup_read + coalesce(idx_tup_fetch, 0) as rows from pg_stat_user_tables
     union all select indexrelname, idx_tup_read from pg_stat_user_indexes`,
  )
  return new Map(rows.map(({ name, rows: count }) => [name, Number(count)]))
}

it.skipIf(isOnCluster)(
  `a company costs reads of its own rows only, however many others the instance has${serverNote}`,
  async () => {
    await rowsRead(FEW)
    const alone = await rowsRead(FEW)
    await rowsRead(CROWD, false)
    const crowded = await rowsRead(FEW)
    const grown = [...crowded].filter(([name, rows]) => rows - (alone.get(name) ?? 0) > FEW * SLACK && !BOUNDED_BY_TIME.test(name))
    expect(grown.map(([name, rows]) => `${name}: ${(alone.get(name) ?? 0) / FEW} rows a journey alone, ${rows / FEW} in a crowd`)).toEqual(
      [],
    )
  },
  120_000,
)
