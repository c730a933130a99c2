import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { saveVersion } from '../../src/store/connections/credential-versions.ts'
import { inTransaction } from '../../src/store/db/database.ts'
import { findErasure, type InstanceErasure } from '../../src/store/operators/erasures.ts'
import { isSuspended } from '../../src/store/operators/suspensions.ts'
import { VERSION_COLUMNS } from '../../src/store/records/records.ts'
import { SYSTEM_INSTANCE_ID } from '../../src/sync/context/system-instance.ts'
import { sealVersion } from '../../src/sync/credentials/credentials-versions.ts'
import { ERASE_INSTANCE, eraseInstance, requestErasure } from '../../src/sync/instances/erase.ts'
import { openRowCounter } from '../growth/rows-read.ts'
import { erasureJob, takeJobs } from '../harness/app/jobs.ts'
import { addCompany, addInstance } from '../harness/app/tenants.ts'
import { isOnCluster, serverNote } from '../harness/database.ts'
import { openForTests } from '../harness/for-tests.ts'
import { testKeys } from '../harness/keys.ts'
import { openRecorded } from '../owner/recorded.ts'
import { addCrowdOfVersions } from '../records/record-store.ts'
import { companyActions, openSyncHarness } from '../sync/harness.ts'
import { ScriptedSource } from '../sync/scripted-source.ts'

const books = new ScriptedSource('books')
const keys = openForTests(testKeys)
const harness = openForTests(() => openSyncHarness([books], [], keys))
const recorded = openForTests(() => openRecorded(harness.deps.database, harness.deps.sealer))
const query = async (text: string, values: unknown[] = []) => (await harness.deps.database.query(text, values)).rows
const NOW = new Date('2026-03-01T12:00:00Z')

let instanceId: string
beforeEach(async () => {
  await query('delete from jobs')
  instanceId = await addInstance(harness.deps.database)
  books.accounts = ['1', '2'].map((id) => ({ id, name: `Account ${id}` }))
})

/** Books of a new company that were read once. */
async function connect(of = instanceId): Promise<string> {
  const actions = companyActions(harness.deps, of, await addCompany(harness.deps.database, of))
  const id = await actions.connect(books)
  await actions.sync(id, { reason: 'first' })
  return id
}
const request = (of = instanceId) =>
  inTransaction(harness.deps.database, (db) => requestErasure(db, { id: of, name: 'Test Lender', kind: 'live' }))
async function begin(): Promise<string> {
  const begun = await request()
  if (!begun) throw new Error('not begun')
  await takeJobs(harness.deps.database, ERASE_INSTANCE)
  return begun.id
}
const run = (id: string, { settleMs = 0 as number | null, isStopping = (): boolean => false } = {}) =>
  recorded.acting(() =>
    eraseInstance(
      { ...harness.deps, now: () => NOW, signing: keys.signing, ...(settleMs === null ? {} : { settleMs }) },
      erasureJob(id),
      isStopping,
    ),
  )
async function erasure(id: string): Promise<InstanceErasure> {
  const found = await findErasure(harness.deps.database, id)
  if (!found) throw new Error('no erasure')
  return found
}
const isThere = async (of = instanceId) => (await query('select from instances where id = $1', [of])).length === 1
const ago = (id: string, hours: number) =>
  query('update instance_erasures set requested_at = requested_at - make_interval(secs => $2) where id = $1', [id, hours * 3_600])
const waits = (reason = 'revocations, or deletions at destinations, are under way') => ({
  done: false,
  inMs: 2_000,
  isFailure: false,
  reason,
})
const revocations = () => query(`select instance_id as of from jobs where kind = 'revoke'`)

describe('an erasure that is requested', () => {
  it('suspends the instance and is queued once, for the deployment', async () => {
    const begun = await request()
    expect([await request(), await isSuspended(harness.deps.database, instanceId)]).toEqual([null, true])
    expect((await takeJobs(harness.deps.database, ERASE_INSTANCE)).map((job) => [job.instanceId, job.key, job.payload])).toEqual([
      [SYSTEM_INSTANCE_ID, `${ERASE_INSTANCE}/${instanceId}`, { erasureId: begun?.id }],
    ])
    expect(await erasure(begun?.id ?? '')).toMatchObject({
      ...{ instanceId, name: 'Test Lender', kind: 'live', revocations: 0, unrevoked: 0, deleted: {}, unreached: null },
      ...{ completedAt: null, receipt: null },
    })
  })

  it('is none of another instance', async () => {
    await request()
    expect(await request(await addInstance(harness.deps.database))).not.toBeNull()
  })
})

describe('an erasure', () => {
  it('that is unknown or complete does nothing', async () => {
    expect(await run(randomUUID())).toEqual({ done: true })
    const id = await begin()
    expect(await run(id)).toEqual({ done: true })
    const complete = await erasure(id)
    expect([await run(id), await erasure(id)]).toEqual([{ done: true }, complete])
  })

  it('revokes each access first, and shreds the credentials, whatever happens then', async () => {
    const [first, second, other] = [await connect(), await connect(), await connect(await addInstance(harness.deps.database))]
    await query(`update connections set credentials = '\\x00' where id = $1`, [second])
    const id = await begin()
    expect(await run(id)).toEqual(waits())
    expect(await revocations()).toEqual([{ of: instanceId }])
    expect(await erasure(id)).toMatchObject({ revocations: 2, unrevoked: 1, deleted: {} })
    const kept = await query('select id, credentials is not null as has from connections where id = any ($1)', [[first, second, other]])
    expect(Object.fromEntries(kept.map(({ id: of, has }) => [of, has]))).toEqual({ [first]: false, [second]: false, [other]: true })
    expect([await run(id), (await erasure(id)).revocations]).toEqual([waits(), 2])
  })

  it('revokes the newest credentials of each of many connections, and is not held up by unreadable ones', async () => {
    const { database, sealer } = harness.deps
    const [plain, renewed, broken] = [await connect(), await connect(), await connect()]
    for (const [of, token] of [
      [renewed, 'newest'],
      [broken, 'never read'],
    ] as const) {
      const version = { id: randomUUID(), issuedAt: new Date(Date.now() + 60_000), expiresAt: null, refreshAt: null }
      const sealed = sealVersion(sealer, { instanceId, id: of }, version.id, 1, { secret: { token }, expiresAt: null })
      await saveVersion(database, { instanceId, connectionId: of, generation: 1 }, version.id, { ...version, sealed })
    }
    await query(`update credential_versions set sealed = '\\x00' where connection_id = $1`, [broken])
    // More than one transaction takes, sealed for another connection.
    await query(
      `insert into connections (instance_id, id, company_id, service_id, connector_key, category, email, status, refresh_hours, update_scheduled_at, credentials)
       select instance_id, gen_random_uuid(), company_id, gen_random_uuid(), connector_key, category, email, 8, refresh_hours, update_scheduled_at, credentials
       from connections, generate_series(1, 250) where id = $1`,
      [plain],
    )
    const id = await begin()
    expect(await run(id)).toEqual(waits())
    expect(await erasure(id)).toMatchObject({ revocations: 253, unrevoked: 251 })
    const left = await query('select from connections where instance_id = $1 and credentials is not null', [instanceId])
    expect([left, await query('select from credential_versions where instance_id = $1', [instanceId])]).toEqual([[], []])
    const jobs = await query(
      `select key, payload ->> 'connectionId' as of, payload ->> 'farewell' as sealed from jobs where kind = 'revoke'`,
    )
    const told = jobs.map(({ of, sealed }) => {
      const context = { instanceId, table: 'jobs', rowId: of, column: 'farewell' }
      return [of, JSON.parse(Buffer.from(sealer.open(context, Buffer.from(sealed, 'base64'))).toString()).secret]
    })
    expect(Object.fromEntries(told)).toEqual({ [plain]: expect.anything(), [renewed]: { token: 'newest' } })
    expect(new Set(jobs.map(({ key }) => key)).size).toBe(2)
  })

  it('looks less often while many revocations are left', async () => {
    const id = await begin()
    await query(`insert into jobs (instance_id, kind, key) select $1, 'revoke', n::text from generate_series(1, 1001) n`, [instanceId])
    expect(await run(id)).toMatchObject({ done: false, inMs: 30_000 })
  })

  it('waits for every process to know of the suspension: half a minute', async () => {
    const id = await begin()
    expect([await run(id, { settleMs: null }), await isThere()]).toEqual([waits(), true])
    await ago(id, 10 / 3_600)
    expect(await run(id, { settleMs: null })).toEqual(waits())
    await ago(id, 20 / 3_600)
    expect([await run(id, { settleMs: null }), await isThere()]).toEqual([{ done: true }, false])
  })

  it.each(['revoke', 'eraseDelivered', 'removeDelivered', 'abortUpload', 'emptyReplica'])(
    'waits a day for a job of the kind %s, and is complete without it then',
    async (kind) => {
      const id = await begin()
      await query(`insert into jobs (instance_id, kind, key) values ($1, $2, 'x')`, [instanceId, kind])
      await ago(id, 24.9)
      expect(await run(id)).toEqual(waits())
      await ago(id, 0.1)
      expect([await run(id), await isThere()]).toEqual([{ done: true }, false])
      expect((await erasure(id)).unrevoked).toBe(kind === 'revoke' ? 1 : 0)
    },
  )

  it('waits for no job of another kind, or of another instance', async () => {
    const other = await addInstance(harness.deps.database)
    const id = await begin()
    await query(`insert into jobs (instance_id, kind, key) values ($1, 'sync', 'x'), ($2, 'revoke', 'y')`, [instanceId, other])
    expect(await run(id)).toEqual({ done: true })
    expect([await query('select key from jobs'), (await erasure(id)).unrevoked]).toEqual([[{ key: 'y' }], 0])
  })

  it('deletes and counts all rows of the instance, and none of another, and is recorded with the receipt', async () => {
    const other = await addInstance(harness.deps.database)
    const kept = await connect(other)
    await connect()
    const id = await begin()
    await run(id)
    await query(`delete from jobs where kind = 'revoke'`)
    expect(await run(id)).toEqual({ done: true })
    const done = await erasure(id)
    expect(done).toMatchObject({ completedAt: NOW, unreached: [], receipt: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/) })
    expect(done.deleted).toMatchObject({ record_versions: 2, connections: 1, companies: 1 })
    const stated = JSON.parse(Buffer.from(done.receipt?.split('.')[1] ?? '', 'base64url').toString())
    expect([stated.deleted, stated.erasedAt]).toEqual([done.deleted, NOW.toISOString()])
    expect([await isThere(), await isThere(other)]).toEqual([false, true])
    expect(await query('select connection_id as of from record_versions group by 1')).toEqual(expect.arrayContaining([{ of: kept }]))
    const [entry] = await query(
      `select entry::json ->> 'action' as action, entry::json ->> 'subject' as subject, entry::json -> 'before' as before from audit_entries
       where entry::json ->> 'action' = 'instance.erased' order by at desc limit 1`,
    )
    expect(entry).toEqual({ action: 'instance.erased', subject: `instance/${instanceId}`, before: { name: 'Test Lender' } })
  })

  it.skipIf(isOnCluster)(`finds records that were written meanwhile, by their connections${serverNote}`, async () => {
    const [late, other] = [await connect(), await connect(await addInstance(harness.deps.database))]
    await query('create schema late')
    await query(`create table late.versions as select ${VERSION_COLUMNS} from record_versions where connection_id = $1`, [late])
    await query(`create function late.write() returns trigger language plpgsql as $$ begin
      insert into record_versions (${VERSION_COLUMNS}) select ${VERSION_COLUMNS} from late.versions; return null; end $$`)
    await query('create trigger late after delete on sync_runs for each row execute function late.write()')
    const id = await begin()
    await run(id)
    await query(`delete from jobs where kind = 'revoke'`)
    expect(await run(id)).toEqual({ done: true })
    await query('drop schema late cascade')
    expect((await erasure(id)).deleted).toMatchObject({ record_versions: 4, sync_runs: 1 })
    const left = await query('select connection_id as of from record_versions where connection_id = any($1)', [[late, other]])
    expect(left).toEqual([{ of: other }, { of: other }])
  })

  it.skipIf(isOnCluster)(`does not read the records of other instances${serverNote}`, async () => {
    const kept = await connect(await addInstance(harness.deps.database))
    await addCrowdOfVersions(harness.deps.database, kept)
    await connect()
    const id = await begin()
    const counter = openRowCounter(harness.url)
    const deps = { ...harness.deps, database: counter.database, now: () => NOW, signing: keys.signing, settleMs: 0 }
    // The second time nothing is left to revoke.
    const read = await counter
      .count(async () => {
        await query(`delete from jobs where kind = 'revoke'`)
        await recorded.acting(() => eraseInstance(deps, erasureJob(id), () => false))
      })
      .finally(counter.close)
    expect(await erasure(id)).toMatchObject({ completedAt: NOW, deleted: { record_versions: 2 } })
    const records = read.find(({ table }) => table === 'record_versions')
    expect(records?.scanned).toBe(0)
    expect(records?.looked).toBeLessThan(100)
  })

  it.skipIf(isOnCluster)(`deletes many connections, 100 in a transaction${serverNote}`, async () => {
    const id = await connect()
    await query(
      `insert into connections (instance_id, id, company_id, service_id, connector_key, category, email, status, refresh_hours, update_scheduled_at)
       select instance_id, gen_random_uuid(), company_id, gen_random_uuid(), connector_key, category, email, 8, refresh_hours, update_scheduled_at
       from connections, generate_series(1, 250) where id = $1`,
      [id],
    )
    await query('create schema watched')
    await query('create table watched.deleted (transaction text)')
    await query(`create function watched.note() returns trigger language plpgsql as $$ begin
      insert into watched.deleted values (pg_current_xact_id()::text); return null; end $$`)
    await query('create trigger watched after delete on connections for each row execute function watched.note()')
    const erasureId = await begin()
    await run(erasureId)
    await query(`delete from jobs where kind = 'revoke'`)
    expect(await run(erasureId)).toEqual({ done: true })
    const counts = await query('select count(*)::int as count from watched.deleted group by transaction')
    await query('drop schema watched cascade')
    expect(counts.map(({ count }) => count).toSorted((a, b) => b - a)).toEqual([100, 100, 51])
    expect((await erasure(erasureId)).deleted.connections).toBe(251)
  })

  it('that is stopped has deleted nothing twice when it goes on', async () => {
    await connect()
    const id = await begin()
    await run(id)
    await query(`delete from jobs where kind = 'revoke'`)
    expect([await run(id, { isStopping: () => true }), await isThere()]).toEqual([waits('the worker stopped'), true])
    expect((await erasure(id)).deleted).toEqual({})
    let checks = 0
    const later = () => {
      checks += 1
      return checks > 8
    }
    expect(await run(id, { isStopping: later })).toEqual(waits('the worker stopped'))
    expect((await erasure(id)).deleted.record_versions).toBe(2)
    expect(await run(id)).toEqual({ done: true })
    expect((await erasure(id)).deleted).toMatchObject({ record_versions: 2, connections: 1 })
  })
})
