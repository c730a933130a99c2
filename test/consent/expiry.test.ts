import { createHash, randomUUID } from 'node:crypto'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { Status } from '../../src/model/statuses.ts'
import { listTimeline } from '../../src/store/connections/connection-timeline.ts'
import { findConnection, lockConnection } from '../../src/store/connections/connections.ts'
import { listConsentsExpiringBefore, listConsentsOfConnection } from '../../src/store/connections/consents.ts'
import { createHandOff } from '../../src/store/connections/hand-offs.ts'
import { enqueueDueSyncs } from '../../src/store/jobs/due-syncs.ts'
import { beginAuthorization, submitForm } from '../../src/sync/authorize/authorize.ts'
import { endExpiredConsents } from '../../src/sync/authorize/consent.ts'
import { savePendingAuthorization } from '../../src/sync/authorize/pending-authorization.ts'
import { requestRefresh, resume, suspend } from '../../src/sync/connection/connection-actions.ts'
import type { SyncDeps } from '../../src/sync/context/deps.ts'
import { issueLink, openLink } from '../../src/sync/links/link.ts'
import { openNewLink } from '../harness/app/owner-link.ts'
import { openForTests } from '../harness/for-tests.ts'
import { openSyncHarness } from '../sync/harness.ts'
import { ScriptedSource } from '../sync/scripted-source.ts'

const DAY_MS = 86_400_000
const TEXTS = { en: ['It is read.'], 'fr-CA': ['C’est consulté.'] }

const books = openForTests(() => new ScriptedSource('books'))
const harness = openForTests(() => openSyncHarness([books]))
/** Clock of the deployment. */
let now = new Date('2026-11-22T12:00:00Z')
let deps: SyncDeps

beforeAll(() => {
  books.accounts = [{ id: '1', name: 'Cash' }]
  deps = Object.assign(harness.deps, { now: () => now })
})
afterEach(async () => {
  delete deps.crashPoint
  now = new Date('2026-11-22T12:00:00Z')
  await deps.database.query('delete from events')
  await deps.database.query('delete from connections')
  await deps.database.query('delete from consents')
  await deps.database.query('delete from jobs')
})

/** Connects as the owner does: agrees for 365 days and completes the source's step. */
async function connect(): Promise<string> {
  const place = harness.scopeOf(books)
  const { open } = await openNewLink(deps, place)
  const textHash = createHash('sha256').update(randomUUID()).digest()
  const { connectionId } = await beginAuthorization(deps.database, open, {
    texts: TEXTS,
    textHash,
    language: 'en',
    timeZone: 'UTC',
    givenAt: now,
  })
  const [linked] = await submitForm(deps, open, connectionId, {})
  return linked?.connectionId ?? ''
}

async function connectAndRead(): Promise<string> {
  const id = await connect()
  await harness.sync(id, { reason: 'first' })
  await deps.database.query('delete from jobs')
  await deps.database.query('delete from events')
  return id
}

const target = () => harness.scopeOf(books)
const passDays = (days: number) => {
  now = new Date(now.getTime() + days * DAY_MS)
}
const find = async (id: string) => await findConnection(deps.database, harness.instanceId, id)
const consents = async (id: string) => await listConsentsOfConnection(deps.database, harness.instanceId, id)
async function errors(): Promise<number[]> {
  const { rows } = await deps.database.query<{ body: string }>(`select body from events where kind = 'Error'`)
  return rows.map(({ body }) => JSON.parse(body).Data.Code)
}

describe('a consent that has not expired', () => {
  it('ends nothing', async () => {
    const id = await connectAndRead()
    passDays(364)
    expect([await endExpiredConsents(deps), (await find(id))?.status]).toEqual([0, Status.Structured])
  })

  it('is found by the reminders, soonest first', async () => {
    const id = await connectAndRead()
    const soon = new Date(now.getTime() + 366 * DAY_MS)
    expect((await listConsentsExpiringBefore(deps.database, soon, 10)).map((each) => each.connectionId)).toEqual([id])
    expect(await listConsentsExpiringBefore(deps.database, new Date(now.getTime() + 360 * DAY_MS), 10)).toEqual([])
  })
})

describe('a consent that has expired', () => {
  it('moves its connection to Deauthorized, gives the reason on the timeline, and raises one Error event', async () => {
    const id = await connectAndRead()
    passDays(366)
    expect(await endExpiredConsents(deps)).toBe(1)
    const timeline = await listTimeline(deps.database, harness.instanceId, id)
    expect((await find(id))?.status).toBe(Status.Deauthorized)
    expect([timeline.at(-1)?.toStatus, timeline.at(-1)?.detail]).toEqual([Status.Deauthorized, 'consent expired'])
    expect(await errors()).toEqual([Status.Deauthorized])
  })

  it('is ended in the ledger as of its expiry', async () => {
    const id = await connectAndRead()
    passDays(400)
    await endExpiredConsents(deps)
    const [consent] = await consents(id)
    expect([consent?.endedHow, consent?.endedAt]).toEqual(['expired', new Date('2027-11-22T12:00:00Z')])
  })

  it('is ended once, whoever else handles it', async () => {
    await connectAndRead()
    passDays(366)
    const ended = await Promise.all([endExpiredConsents(deps), endExpiredConsents(deps), endExpiredConsents(deps)])
    expect([ended.reduce((sum, each) => sum + each), await errors()]).toEqual([1, [Status.Deauthorized]])
  })

  it('is ended completely by the next process if one is killed while doing it', async () => {
    const id = await connectAndRead()
    passDays(366)
    deps.crashPoint = async () => {
      throw new Error('killed')
    }
    await expect(endExpiredConsents(deps)).rejects.toThrow('killed')
    expect([(await find(id))?.status, (await consents(id))[0]?.endedAt, await errors()]).toEqual([Status.Structured, null, []])
    delete deps.crashPoint
    await endExpiredConsents(deps)
    expect([(await find(id))?.status, await errors()]).toEqual([Status.Deauthorized, [Status.Deauthorized]])
  })

  it('stops all reads of the source: no schedule, no request, no waiting job', async () => {
    const id = await connectAndRead()
    passDays(366)
    await endExpiredConsents(deps)
    await deps.database.query(`update connections set update_scheduled_at = clock_timestamp() - interval '1 minute'`)
    expect(await enqueueDueSyncs(deps.database, 10)).toMatchObject({ queued: 0 })
    await expect(requestRefresh(deps, target())).rejects.toThrow('cannot be refreshed')
    const before = await deps.database.query('select count(*) from sync_runs')
    await harness.sync(id)
    expect((await deps.database.query('select count(*) from sync_runs')).rows).toEqual(before.rows)
  })

  it('leaves published records unchanged', async () => {
    await connectAndRead()
    const records = async () => (await deps.database.query('select doc from record_versions where valid_to is null')).rows
    const before = await records()
    passDays(366)
    await endExpiredConsents(deps)
    expect([before.length, await records()]).toEqual([1, before])
  })

  it('stops a running sync', async () => {
    const id = await connectAndRead()
    const run = `insert into sync_runs (instance_id, id, connection_id, reason, state, fence) values ($1, $2, $3, 'schedule', 'running', 1)`
    await deps.database.query(run, [harness.instanceId, randomUUID(), id])
    passDays(366)
    await endExpiredConsents(deps)
    expect((await deps.database.query(`select 1 from sync_runs where state = 'running'`)).rows).toEqual([])
  })

  it('waits for a connection in the middle of a status change', async () => {
    const id = await connectAndRead()
    await deps.database.query('update connections set status = $2 where id = $1', [id, Status.Processing])
    passDays(366)
    expect(await endExpiredConsents(deps)).toBe(0)
    await deps.database.query('update connections set status = $2 where id = $1', [id, Status.Synced])
    expect([await endExpiredConsents(deps), (await find(id))?.status]).toEqual([1, Status.Deauthorized])
  })

  it('of a suspended connection is shown when it is resumed', async () => {
    const id = await connectAndRead()
    await suspend(deps, target())
    passDays(366)
    await endExpiredConsents(deps)
    expect((await find(id))?.status).toBe(Status.Suspended)
    await resume(deps, target())
    expect((await find(id))?.status).toBe(Status.Deauthorized)
    expect(await enqueueDueSyncs(deps.database, 10)).toMatchObject({ queued: 0 })
  })

  it('is followed by a new one when the owner agrees again, and the connection is synced again', async () => {
    const id = await connectAndRead()
    passDays(366)
    await endExpiredConsents(deps)
    expect(await connect()).toBe(id)
    await harness.sync(id, { reason: 'reconnect' })
    expect([(await find(id))?.status, (await find(id))?.fault]).toEqual([Status.Structured, null])
    expect((await consents(id)).map((each) => each.endedHow)).toEqual(['expired', null])
  })

  it('replaced before does not end what the newer one allows', async () => {
    const id = await connectAndRead()
    passDays(300)
    await connect()
    passDays(100)
    expect([await endExpiredConsents(deps), (await find(id))?.status]).toEqual([0, Status.Structured])
  })
})

describe('a consent without a connection', () => {
  it('is ended as unused an hour after its link', async () => {
    const address = await issueLink(deps, { ...target(), issuedBy: 'dev@example.com' }, { lifeHours: 1 })
    const open = await openLink(deps, new URL(address).searchParams.get('token') ?? '')
    if (!open) throw new Error('the link cannot be opened')
    await beginAuthorization(deps.database, open, {
      texts: TEXTS,
      textHash: Buffer.alloc(32),
      language: 'en',
      timeZone: 'UTC',
      givenAt: now,
    })
    const { rows } = await deps.database.query<{ ends: Date }>('select expires_at as ends from links order by created_at desc limit 1')
    now = new Date((rows[0]?.ends ?? now).getTime() + 3_590_000)
    await endExpiredConsents(deps)
    const how = async () => (await deps.database.query('select ended_how from consents')).rows
    expect(await how()).toEqual([{ ended_how: null }])
    now = new Date(now.getTime() + 20_000)
    await endExpiredConsents(deps)
    expect(await how()).toEqual([{ ended_how: 'unused' }])
  })
})

describe('a consent whose owner has finished according to the source', () => {
  it.each(['the link', 'the link that was passed on'])('is kept while the source of %s is retried', async (whose) => {
    const address = await issueLink(deps, { ...target(), issuedBy: 'dev@example.com' }, { lifeHours: 1 })
    const open = await openLink(deps, new URL(address).searchParams.get('token') ?? '')
    if (!open) throw new Error('the link cannot be opened')
    now = new Date()
    const { connectionId } = await beginAuthorization(deps.database, open, {
      texts: TEXTS,
      textHash: Buffer.alloc(32),
      timeZone: 'UTC',
      language: 'en',
      givenAt: now,
    })
    const { instanceId, id: parentId } = open.link
    const linkId = whose === 'the link' ? parentId : randomUUID()
    const handOff = { instanceId, parentId, linkId, tokenHash: Buffer.from(linkId), institutionId: null, helper: Buffer.alloc(1) }
    if (linkId !== parentId) await createHandOff(deps.database, handOff)
    await savePendingAuthorization(
      deps.database,
      deps,
      { ...open, link: { ...open.link, id: linkId } },
      { connectionId, linkToken: 'x', state: linkId, memo: null },
    )
    now = new Date(now.getTime() + 3 * 3_600_000)
    await endExpiredConsents(deps)
    const how = async () => (await deps.database.query('select ended_how from consents')).rows
    expect(await how()).toEqual([{ ended_how: null }])
    await deps.database.query('delete from authorizations')
    await endExpiredConsents(deps)
    expect(await how()).toEqual([{ ended_how: 'unused' }])
  })
})

describe('a connection without a consent', () => {
  it('has nothing that could expire', async () => {
    const id = await harness.connect(books)
    passDays(10_000)
    await endExpiredConsents(deps)
    const connection = await lockConnection(deps.database, harness.instanceId, id)
    expect(connection?.status).toBe(Status.Authorized)
  })
})
