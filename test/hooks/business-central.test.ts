import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Source } from '../../src/connectors/contract/sources.ts'
import { syncHandlers } from '../../src/sync/jobs.ts'
import { keepSubscribed } from '../../src/sync/sources/subscribe.ts'
import { connect, DENTAL, ERABLE, type Stage, setStage } from '../connectors/business-central/stage.ts'
import { sessionOf } from '../harness/asking.ts'
import { type Door, openDoor } from './stage.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

describe('Business Central’s webhooks', () => {
  let stage: Stage
  let door: Door
  let dental: string
  let place: { instanceId: string; connectionId: string }

  beforeAll(async () => {
    stage = await setStage()
    door = await openDoor({ 'business-central': stage.kit })
    const { credentials } = await connect(stage, 'erin', DENTAL)
    dental = await door.addConnection({
      connectorKey: 'business-central',
      reference: DENTAL,
      credentials: { ...credentials, expiresAt: null },
    })
    place = { instanceId: door.instanceId, connectionId: dental }
  })
  beforeEach(async () => {
    await door.sync.database.query('delete from jobs')
    stage.asked.length = 0
  })
  afterAll(async () => {
    await door.close()
    await stage.close()
  })

  const calls = () => stage.asked.filter(({ url }) => url.includes('/subscriptions')).map(({ method }) => method)
  const queued = async () => (await door.listJobs()).map(({ connectionId, reason }) => [connectionId, reason])

  test('are asked for after a sync, by a handshake with our address, and queue a refresh', async () => {
    const { sync } = syncHandlers(door.sync)
    const job = {
      id: '1',
      kind: 'sync',
      provider: 'business-central',
      key: `connection/${dental}`,
      instanceId: door.instanceId,
      attempts: 1,
    }
    expect(await sync({ ...job, payload: { connectionId: dental, reason: 'first' } }, { isStopping: () => false })).toEqual({ done: true })
    await door.sync.database.query('delete from jobs')
    const answers = await stage.simulator.fireWebhook(DENTAL, 'accounts', 'updated')
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
    const answer = await fetch(door.hookUrl('business-central'), { method: 'POST', body: JSON.stringify({ value: [notification] }) })
    expect([answer.status, await queued()]).toEqual([401, []])
  })

  test('of one company open no other: each has a secret of its own', async () => {
    await keepSubscribed(door.sync, place)
    const asked = stage.asked.findLast(({ body, url }) => body !== undefined && url.includes('/subscriptions'))
    const { clientState } = JSON.parse(String(asked?.body))
    await door.addConnection({ connectorKey: 'business-central', reference: ERABLE })
    const notification = { subscriptionId: 'x', clientState, resource: `api/v2.0/companies(${ERABLE})/accounts(1)`, changeType: 'updated' }
    const answer = await fetch(door.hookUrl('business-central'), { method: 'POST', body: JSON.stringify({ value: [notification] }) })
    expect([answer.status, await queued()]).toEqual([401, []])
  })

  test('that the source refuses us cost nothing but a line in the log', async () => {
    stage.simulator.fault('forbidden')
    await keepSubscribed(door.sync, place)
    expect(door.logged.some((line) => line.includes('would not subscribe us'))).toBe(true)
  })

  test('are not asked for by a deployment without https, which no provider sends to', async () => {
    const sources = new Map(
      [...door.sync.sources].map(([key, source]) => {
        const real: Source = { ...source, environment: 'production' as const, forEntity: () => real }
        return [key, real] as const
      }),
    )
    await keepSubscribed({ ...door.sync, sources }, place)
    expect(calls()).toEqual([])
    await keepSubscribed({ ...door.sync, sources, baseUrl: 'https://countinghouse.example' }, place)
    expect(calls()).not.toEqual([])
  })

  test('begin only when our address repeats the token', async () => {
    const { businessCentralConnector } = await import('../../src/connectors/business-central/client.ts')
    const session = sessionOf(stage, await connect(stage, 'erin', DENTAL))
    const refused = businessCentralConnector.subscribe?.(session, `${door.sync.baseUrl}/hooks/xero`)
    await expect(refused).rejects.toThrow('BadRequest_NotificationUrl')
  })

  test('are renewed by each sync rather than asked for anew, and outlive three days so', async () => {
    await keepSubscribed(door.sync, place)
    stage.moveTime(HOUR_MS)
    stage.asked.length = 0
    await keepSubscribed(door.sync, place)
    expect(calls()).toEqual(['GET', 'PATCH', 'PATCH'])
    stage.moveTime(3 * DAY_MS - 1)
    expect(await stage.simulator.fireWebhook(DENTAL, 'generalLedgerEntries', 'created')).toHaveLength(1)
  })
})
