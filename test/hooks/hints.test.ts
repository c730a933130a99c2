import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { enqueueJob } from '../../src/store/jobs/jobs.ts'
import { BAKERY, BUILDER, openHarness } from '../connectors/quickbooks/harness.ts'
import { openForTests } from '../harness/for-tests.ts'
import { type HooksHarness, openHooksHarness } from './harness.ts'

const TOKEN = 'verifier-token-canary'
const CHANGE = { entity: 'Account', id: '12', operation: 'updated' } as const

describe('hints', () => {
  const harness = openForTests(openHarness)
  const hooksHarness = openForTests(() =>
    openHooksHarness({ quickbooks: { ...harness.kit, app: { ...harness.kit.app, webhookVerifierToken: TOKEN } } }),
  )

  beforeEach(async () => {
    await hooksHarness.sync.database.query('delete from jobs')
    await hooksHarness.sync.database.query('delete from connections')
  })
  const fire = (realmId = BAKERY, changes: readonly (typeof CHANGE)[] = [CHANGE]) =>
    harness.simulator.fireWebhook({ url: hooksHarness.hookUrl('quickbooks'), verifierToken: TOKEN }, realmId, changes)
  const connect = (options: Partial<Parameters<HooksHarness['addConnection']>[0]> = {}) =>
    hooksHarness.addConnection({ connectorKey: 'quickbooks', reference: BAKERY, ...options })

  test('fifty concurrent ones for one connection create one waiting job', async () => {
    await connect()
    const answers = await Promise.all(Array.from({ length: 50 }, () => fire()))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(await hooksHarness.listJobs()).toHaveLength(1)
  })

  test('five thousand in one body create one job for each connection', async () => {
    await connect()
    await fire(
      BAKERY,
      Array.from({ length: 5_000 }, () => CHANGE),
    )
    expect(await hooksHarness.listJobs()).toHaveLength(1)
  })

  test('the same delivery twice creates one waiting job, which keeps its time', async () => {
    await connect()
    await fire()
    const [first] = await hooksHarness.listJobs()
    await fire()
    const jobs = await hooksHarness.listJobs()
    expect(jobs).toHaveLength(1)
    expect(jobs[0]?.inS).toBeLessThanOrEqual(first?.inS ?? 0)
  })

  test('wait briefly for others that follow', async () => {
    await connect()
    await fire()
    expect((await hooksHarness.listJobs())[0]?.inS).toBeCloseTo(5, 0)
  })

  test('of a connection that was just synced wait until two minutes have passed, so that repeated hints cost little', async () => {
    await connect({ lastReadS: 10 })
    await fire()
    expect((await hooksHarness.listJobs())[0]?.inS).toBeCloseTo(110, 0)
  })

  test('do not bring forward a job that waits at the source’s request', async () => {
    const connectionId = await connect()
    const key = `connection/${connectionId}`
    await enqueueJob(hooksHarness.sync.database, {
      instanceId: hooksHarness.instanceId,
      kind: 'sync',
      key,
      payload: { connectionId, reason: 'schedule' },
      delayMs: 600_000,
    })
    await fire()
    expect(await hooksHarness.listJobs()).toEqual([{ connectionId, reason: 'schedule', inS: expect.closeTo(600, -1) }])
  })

  test('during a running job create one more, since the change may be newer than what was read', async () => {
    const connectionId = await connect()
    await fire()
    await hooksHarness.sync.database.query(
      `update jobs set state = 'running', worker = $1, lease_until = clock_timestamp() + interval '1 minute'`,
      [randomUUID()],
    )
    await fire()
    expect(await hooksHarness.listJobs()).toEqual([expect.objectContaining({ connectionId }), expect.objectContaining({ connectionId })])
  })

  test.each([6, 7, 8, 20, 26, 27] as const)('for a connection in status %i queue nothing', async (status) => {
    await connect({ status })
    expect([(await fire()).status, await hooksHarness.listJobs()]).toEqual([200, []])
  })

  test('reach every company that connected the same books, and no other', async () => {
    const ids = [await connect(), await connect()]
    await connect({ reference: BUILDER })
    await fire()
    expect((await hooksHarness.listJobs()).map(({ connectionId }) => connectionId).sort()).toEqual(ids.sort())
  })

  test('never reach the connection of another source with the same reference', async () => {
    await connect({ connectorKey: 'xero' })
    await fire()
    expect(await hooksHarness.listJobs()).toEqual([])
  })

  test('carry no data: the body of a webhook is neither stored nor logged', async () => {
    await connect()
    await harness.simulator.fireWebhook({ url: hooksHarness.hookUrl('quickbooks'), verifierToken: TOKEN }, BAKERY, [
      { ...CHANGE, id: 'marker-77' },
    ])
    const { rows } = await hooksHarness.sync.database.query<{ text: string }>('select j::text as text from jobs j')
    expect([...rows.map(({ text }) => text), ...hooksHarness.logged].filter((text) => text.includes('marker-77'))).toEqual([])
  })

  test('a body of more than 2 MiB is refused', async () => {
    const answer = await fetch(hooksHarness.hookUrl('quickbooks'), { method: 'POST', body: 'x'.repeat(2 * 1_048_576 + 1) })
    expect(answer.status).toBe(413)
  })

  test.each(['nothing', 'tryton'])('for a source "%s" without webhooks are 404', async (key) => {
    expect((await fetch(hooksHarness.hookUrl(key), { method: 'POST', body: '{}' })).status).toBe(404)
  })
})
