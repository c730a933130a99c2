import { randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ownScope, withinActor } from '../../src/audit/actor.ts'
import { auditWriter } from '../../src/audit/record.ts'
import { listAudit } from '../../src/store/access/audit.ts'
import { DEPLOYMENT_CHAIN } from '../../src/store/access/audit-chain.ts'
import { claimJobs, type Job } from '../../src/store/jobs/jobs.ts'
import { findErasure } from '../../src/store/operators/erasures.ts'
import { ERASE_INSTANCE, eraseInstance } from '../../src/sync/instances/erase.ts'
import { openForTests } from '../harness/for-tests.ts'
import { operatorHarness } from './harness.ts'

const NAME = 'Maple Lending'

describe('the job of an erasure', () => {
  const api = openForTests(operatorHarness)
  let token: string
  let ours: string
  beforeAll(async () => {
    ;({ token } = await api.signIn())
  })
  beforeEach(async () => {
    ours = await api.addInstance()
  })
  const request = async (instanceId = ours) =>
    (await api.ask<{ id: string }>('POST', `/instances/${instanceId}/erase`, token, { name: NAME })).body.id
  const claim = async (limit = 5) =>
    await claimJobs(api.deps.database, { worker: randomUUID(), kinds: [ERASE_INSTANCE], limit, leaseMs: 60_000, after: null, cap: 100 })
  /** As the worker does. */
  const run = async (job: Job) =>
    await withinActor(ownScope(auditWriter(api.deps), 'job', job.kind), () =>
      eraseInstance({ ...api.deps.sync, signing: api.deps.keys.signing }, job, () => false),
    )
  const requestedAgo = async (id: string, seconds: number) =>
    await api.deps.database.query(
      'update instance_erasures set requested_at = clock_timestamp() - make_interval(secs => $2) where id = $1',
      [id, seconds],
    )
  const found = async (id: string) => (await findErasure(api.deps.database, id)) ?? expect.fail('no erasure')

  it('is one for each instance, also of two that are erased at once, and each erases its own', async () => {
    const other = await api.addInstance()
    const ids = [await request(), await request(other)]
    const jobs = await claim()
    expect(jobs.map(({ payload }) => payload.erasureId).sort()).toEqual([...ids].sort())
    for (const id of ids) await requestedAgo(id, 60)
    for (const job of jobs) expect(await run(job)).toEqual({ done: true })
    for (const id of ids) expect(await found(id)).toMatchObject({ completedAt: expect.any(Date), unrevoked: 0 })
    expect(Object.keys((await found(ids[0] ?? '')).deleted)).not.toContain('jobs')
  })

  it('deletes nothing in the first half minute after the request, and says so', async () => {
    const id = await request()
    const [job] = await claim()
    if (!job) throw new Error('no job')
    await requestedAgo(id, 25)
    expect(await run(job)).toEqual({ done: false, inMs: 2_000, isFailure: false, reason: expect.stringContaining('under way') })
    expect((await api.ask('GET', `/instances/${ours}`, token)).status).toBe(200)
    await requestedAgo(id, 31)
    expect(await run(job)).toEqual({ done: true })
    expect((await api.ask('GET', `/instances/${ours}`, token)).status).toBe(404)
  })

  it('waits a day and an hour for revocations; then those that are left count as not revoked, once', async () => {
    await api.deps.database.query(`insert into jobs (instance_id, kind, key) values ($1, 'revoke', 'x'), ($1, 'revoke', 'y')`, [ours])
    const id = await request()
    const [job] = await claim()
    if (!job) throw new Error('no job')
    await requestedAgo(id, 25 * 3_600 - 60)
    expect(await run(job)).toMatchObject({ done: false })
    await requestedAgo(id, 25 * 3_600 + 1)
    expect(await run(job)).toEqual({ done: true })
    const { revocations, unrevoked, deleted } = await found(id)
    expect([revocations, unrevoked, deleted.jobs]).toEqual([2, 2, 2])
  })

  it('that runs again after its end changes nothing, and one of nothing has nothing to do', async () => {
    const id = await request()
    const [job] = await claim()
    if (!job) throw new Error('no job')
    await requestedAgo(id, 60)
    await run(job)
    const ended = await found(id)
    expect([await run(job), await found(id)]).toEqual([{ done: true }, ended])
    expect(await run({ ...job, payload: { erasureId: randomUUID() } })).toEqual({ done: true })
  })

  it('leaves an entry about the instance in the audit of the deployment, with the name that it had', async () => {
    const id = await request()
    const [job] = await claim()
    if (!job) throw new Error('no job')
    await requestedAgo(id, 60)
    await run(job)
    const entries = (await listAudit(api.deps.database, DEPLOYMENT_CHAIN, 100)).map(({ entry }) => entry)
    expect(entries.filter(({ action, subject }) => action === 'instance.erased' && subject === `instance/${ours}`)).toEqual([
      expect.objectContaining({ actor: 'job', userId: null, before: { name: NAME } }),
    ])
  })
})
