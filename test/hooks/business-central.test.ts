import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Source } from '../../src/connectors/sources.ts'
import { syncHandlers } from '../../src/sync/jobs.ts'
import { keepSubscribed } from '../../src/sync/provider-webhooks/subscribe.ts'
import { DENTAL, ERABLE, openHarness } from '../connectors/business-central/harness.ts'
import { signalOf } from '../harness/app/jobs.ts'
import { sessionOf } from '../harness/connector-calls.ts'
import { openForTests } from '../harness/for-tests.ts'
import { connect } from '../harness/redirect.ts'
import { openHooksHarness } from './harness.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

describe('Business Central’s webhooks', () => {
  const harness = openForTests(openHarness)
  const hooksHarness = openForTests(() => openHooksHarness({ 'business-central': harness.kit }))
  let dental: string
  let place: { instanceId: string; connectionId: string }

  beforeAll(async () => {
    const { credentials } = await connect(harness, {}, DENTAL)
    dental = await hooksHarness.addConnection({
      connectorKey: 'business-central',
      reference: DENTAL,
      credentials: { ...credentials, expiresAt: null },
    })
    place = { instanceId: hooksHarness.instanceId, connectionId: dental }
  })
  beforeEach(async () => {
    await hooksHarness.sync.database.query('delete from jobs')
    harness.exchanges.length = 0
  })
  const calls = () =>
    harness.exchanges.filter(({ request: { url } }) => url.includes('/subscriptions')).map(({ request: { method } }) => method)
  const queued = async () => (await hooksHarness.listJobs()).map(({ connectionId, reason }) => [connectionId, reason])

  test('are subscribed after a sync, by a handshake with our address, and queue a refresh', async () => {
    const { sync } = syncHandlers(hooksHarness.sync)
    const job = {
      id: '1',
      kind: 'sync',
      provider: 'business-central',
      key: `connection/${dental}`,
      instanceId: hooksHarness.instanceId,
      attempts: 1,
      furthest: 0,
      payload: { connectionId: dental, reason: 'first' },
    }
    expect(await sync(job, signalOf(job))).toEqual({ done: true })
    await hooksHarness.sync.database.query('delete from jobs')
    const answers = await harness.simulator.fireWebhook(DENTAL, 'accounts', 'updated')
    expect(answers).toEqual([{ status: 200, body: '' }])
    expect(await queued()).toEqual([[dental, 'hint']])
  })

  test('with another secret are refused and queue nothing', async () => {
    const notification = {
      subscriptionId: 'x',
      clientState: 'guessed',
      resource: `api/v2.0/companies(${DENTAL})/accounts(1)`,
      changeType: 'updated',
    }
    const answer = await fetch(hooksHarness.hookUrl('business-central'), {
      method: 'POST',
      body: JSON.stringify({ value: [notification] }),
    })
    expect([answer.status, await queued()]).toEqual([401, []])
  })

  test('of one company are not valid for another: each has its own secret', async () => {
    await keepSubscribed(hooksHarness.sync, place)
    const asked = harness.exchanges.findLast(({ request: { body, url } }) => body !== undefined && url.includes('/subscriptions'))
    const { clientState } = JSON.parse(String(asked?.request.body))
    await hooksHarness.addConnection({ connectorKey: 'business-central', reference: ERABLE })
    const notification = { subscriptionId: 'x', clientState, resource: `api/v2.0/companies(${ERABLE})/accounts(1)`, changeType: 'updated' }
    const answer = await fetch(hooksHarness.hookUrl('business-central'), {
      method: 'POST',
      body: JSON.stringify({ value: [notification] }),
    })
    expect([answer.status, await queued()]).toEqual([401, []])
  })

  test('refused by the source only cause a log line', async () => {
    harness.simulator.fault('forbidden')
    await keepSubscribed(hooksHarness.sync, place)
    expect(hooksHarness.logged.some((line) => line.includes('would not subscribe us'))).toBe(true)
  })

  test('are not subscribed by a deployment without https, which no provider supports', async () => {
    const sources = new Map(
      [...hooksHarness.sync.sources].map(([key, source]) => {
        const real: Source = { ...source, environment: 'production' as const, forEntity: () => real }
        return [key, real] as const
      }),
    )
    await keepSubscribed({ ...hooksHarness.sync, sources }, place)
    expect(calls()).toEqual([])
    await keepSubscribed({ ...hooksHarness.sync, sources, baseUrl: 'https://countinghouse.example' }, place)
    expect(calls()).not.toEqual([])
  })

  test('start only if our address repeats the token', async () => {
    const { businessCentralConnector } = await import('../../src/connectors/business-central/client.ts')
    const session = sessionOf(harness, await connect(harness, {}, DENTAL))
    const refused = businessCentralConnector.subscribe?.(session, `${hooksHarness.sync.baseUrl}/hooks/xero`)
    await expect(refused).rejects.toThrow('BadRequest_NotificationUrl')
  })

  test('are renewed by each sync instead of being subscribed again, and so last longer than three days', async () => {
    await keepSubscribed(hooksHarness.sync, place)
    harness.moveTime(HOUR_MS)
    harness.exchanges.length = 0
    await keepSubscribed(hooksHarness.sync, place)
    expect(calls()).toEqual(['GET', 'PATCH', 'PATCH'])
    harness.moveTime(3 * DAY_MS - 1)
    expect(await harness.simulator.fireWebhook(DENTAL, 'generalLedgerEntries', 'created')).toHaveLength(1)
  })
})
