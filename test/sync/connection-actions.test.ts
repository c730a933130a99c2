import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { Status } from '../../src/model/statuses.ts'
import { findConnection } from '../../src/store/connections/connections.ts'
import { readPauses } from '../../src/store/owners/owner-connections.ts'
import {
  acceptDeletions,
  type ConnectionTarget,
  disconnect,
  requestRefresh,
  resume,
  suspend,
} from '../../src/sync/connection/connection-actions.ts'
import { addCompany } from '../harness/app/tenants.ts'
import { openForTests } from '../harness/for-tests.ts'
import { type CompanyActions, companyActions, openSyncHarness } from './harness.ts'
import { ScriptedSource } from './scripted-source.ts'

const books = new ScriptedSource('books')
const bank = new ScriptedSource('bank', 'Banking')
const harness = openForTests(() => openSyncHarness([books, bank]))
let company: CompanyActions
let id: string
let target: ConnectionTarget

beforeEach(async () => {
  harness.deps.readLeaseMs = 0
  books.accounts = [{ id: '1', name: 'Cash', balance: '1.00' }]
  const companyId = await addCompany(harness.deps.database, harness.instanceId)
  company = companyActions(harness.deps, harness.instanceId, companyId)
  id = await company.connect(books)
  await company.sync(id, { reason: 'first' })
  target = { instanceId: harness.instanceId, companyId, serviceId: harness.serviceId(books) }
  await harness.deps.database.query('delete from jobs')
})
const connection = async () => {
  const found = await findConnection(harness.deps.database, harness.instanceId, id)
  if (!found) throw new Error('the connection is gone')
  return found
}
const status = async () => (await connection()).status
/** Status and reason of the newest entry of its timeline. */
const newest = () =>
  list(`select concat_ws(' ', to_status, detail_code) as it from connection_timeline where connection_id = $1 order by at desc limit 1`)
const pauses = async () => await readPauses(harness.deps.database, await connection())

async function list(sql: string): Promise<string[]> {
  const { rows } = await harness.deps.database.query<{ it: string }>(sql, [id])
  return rows.map((row) => row.it)
}
const syncs = () =>
  list(`select payload->>'reason' as it from jobs where kind = 'sync' and payload->>'connectionId' = $1 and state = 'ready'`)
const setStatus = (to: number) => harness.deps.database.query('update connections set status = $2 where id = $1', [id, to])

describe('a connection of somebody else', () => {
  it.each([
    ['another instance', { instanceId: randomUUID() }],
    ['another company', { companyId: randomUUID() }],
    ['another service', { serviceId: randomUUID() }],
    ['one that the company had there before', { connectionId: randomUUID() }],
  ])('is neither read, suspended, resumed nor ended by the name of %s', async (_whose, other) => {
    const wrong = { ...target, ...other }
    const actions = [requestRefresh, acceptDeletions, suspend, resume, disconnect]
    for (const act of actions) expect(await act(harness.deps, wrong)).toBeNull()
    expect([await status(), await syncs()]).toEqual([Status.Structured, []])
  })

  it('is the one whose id is named', async () => {
    expect((await suspend(harness.deps, { ...target, connectionId: id }))?.id).toBe(id)
    expect(await status()).toBe(Status.Suspended)
  })
})

describe('a suspension', () => {
  it('is noted with the side that asked for it, since its first request', async () => {
    await suspend(harness.deps, target)
    const first = await pauses()
    expect(first).toEqual({ owner: null, operator: expect.any(Date) })
    await suspend(harness.deps, target)
    expect(await pauses()).toEqual(first)
    await suspend(harness.deps, target, 'owner')
    expect(await pauses()).toEqual({ owner: expect.any(Date), operator: first.operator })
    expect(await list(`select kind as it from events where kind = 'Suspended' and session_id = $1`), 'and told once').toHaveLength(1)
  })

  it('ends when both sides have ended theirs, and then the connection is read', async () => {
    await suspend(harness.deps, target)
    await suspend(harness.deps, target, 'owner')
    await expect(resume(harness.deps, target)).rejects.toThrow('only the owner can let it go on')
    await resume(harness.deps, target, 'owner')
    expect([await status(), await syncs(), (await pauses()).owner]).toEqual([Status.Suspended, [], null])
    await resume(harness.deps, target)
    expect([await status(), await syncs(), await pauses()]).toEqual([Status.Structured, ['resume'], { owner: null, operator: null }])
  })

  it.each([
    ['owner', ' pausedByOwner', ' continuedByOwner'],
    ['operator', '', ''],
  ] as const)('is in the timeline with who asked for it: %s', async (by, paused, continued) => {
    await suspend(harness.deps, target, by)
    expect(await newest()).toEqual([`${Status.Suspended}${paused}`])
    await resume(harness.deps, target, by)
    expect(await newest()).toEqual([`${Status.Structured}${continued}`])
  })

  it.each([
    ['is being read for the first time: it waits for its first sync again', Status.Loading, Status.Authorized, ['resume']],
    ['waits for its owner: it does so again, and is not read', Status.Deauthorized, Status.Deauthorized, []],
    ['is connected', Status.Structured, Status.Structured, ['resume']],
  ])('of one that %s', async (_what, before, after, jobs) => {
    await setStatus(before)
    await suspend(harness.deps, target)
    await resume(harness.deps, target)
    expect([await status(), await syncs()]).toEqual([after, jobs])
    expect((await connection()).resumeStatus).toBeNull()
  })

  it('of one that has ended is refused, and changes nothing', async () => {
    await disconnect(harness.deps, target)
    const refused = { status: Status.Disconnected, message: 'a connection in status 26 cannot be suspended' }
    await expect(suspend(harness.deps, target)).rejects.toMatchObject(refused)
    expect([await status(), await pauses()]).toEqual([Status.Disconnected, { owner: null, operator: null }])
  })

  it('of one that has no books yet is refused', async () => {
    await harness.deps.database.query('update connections set entity_id = null where id = $1', [id])
    await expect(suspend(harness.deps, target)).rejects.toThrow('cannot be suspended')
  })

  it('that is not there cannot be ended', async () => {
    await expect(resume(harness.deps, target)).rejects.toThrow('the connection is not suspended')
  })
})

describe('a refresh', () => {
  it.each([
    ['waits for its owner', Status.Deauthorized],
    ['is suspended', Status.Suspended],
    ['has ended', Status.Disconnected],
  ])('of a connection that %s is refused', async (_what, before) => {
    await setStatus(before)
    const refused = { status: before, message: `a connection in status ${before} cannot be refreshed` }
    for (const act of [requestRefresh, acceptDeletions]) await expect(act(harness.deps, target)).rejects.toMatchObject(refused)
    expect([await syncs(), (await connection()).acceptsDeletions]).toEqual([[], false])
  })

  it('has one run, which requests share until it begins', async () => {
    const first = await requestRefresh(harness.deps, target)
    expect((await requestRefresh(harness.deps, target))?.runId).toBe(first?.runId)
    expect([first?.runId, await syncs()]).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/), ['refresh']])
  })

  it('confirms no deletions; that is a request of its own', async () => {
    await requestRefresh(harness.deps, target)
    const before = (await connection()).acceptsDeletions
    await acceptDeletions(harness.deps, target)
    expect([before, (await connection()).acceptsDeletions]).toEqual([false, true])
  })
})

describe('the end of a connection', () => {
  it('comes once', async () => {
    await disconnect(harness.deps, target)
    await expect(disconnect(harness.deps, target)).rejects.toMatchObject({
      status: Status.Disconnected,
      message: 'the connection is disconnected already',
    })
  })

  it('leaves nothing by which it could go on: no credentials, run, link, attempt or stored words', async () => {
    await harness.deps.database.query(
      `insert into links (instance_id, id, token_hash, company_id, service_id, issued_by, expires_at)
       values ($1, $2, 'open', $3, $4, 'x', clock_timestamp() + interval '1 day')`,
      [harness.instanceId, randomUUID(), target.companyId, target.serviceId],
    )
    await requestRefresh(harness.deps, target)
    await disconnect(harness.deps, target)
    expect(await list("select state as it from sync_runs where connection_id = $1 and state = 'running'")).toEqual([])
    expect(
      await list(
        'select id as it from links where service_id = (select service_id from connections where id = $1) and revoked_at is null and completed_at is null',
      ),
    ).toEqual([])
    expect(await list('select credentials::text as it from connections where id = $1')).toEqual([null])
    expect(
      await list(`select kind as it from jobs where kind in ('erase', 'revoke') and payload->>'connectionId' = $1 order by kind`),
    ).toEqual(['erase', 'revoke'])
  })

  it.each([
    ['books', books, []],
    ['bank', bank, ['accountMatches']],
  ] as const)('is a reason to compare accounts again at a bank only: %s', async (_what, source, jobs) => {
    source.accounts = [{ id: '1', name: 'Cash', balance: '1.00' }]
    const other = source === books ? id : await company.connect(source)
    await company.sync(other)
    await harness.deps.database.query('delete from jobs')
    await disconnect(harness.deps, { ...target, serviceId: harness.serviceId(source) })
    const { rows } = await harness.deps.database.query<{ kind: string }>(`select kind from jobs where kind = 'accountMatches'`)
    expect(rows.map(({ kind }) => kind)).toEqual(jobs)
  })
})
