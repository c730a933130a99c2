import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Dispatcher } from '../../src/webhooks/dispatcher.ts'
import { openWebhookHarness, type WebhookHarness } from './harness.ts'

let harness: WebhookHarness

beforeEach(async () => {
  harness = await openWebhookHarness()
})
afterEach(() => harness.close())

describe('many endpoints', () => {
  test('a dead one uses five attempts and delays nobody', async () => {
    const dead = await harness.receive(() => {})
    await harness.subscribeTo(dead.url)
    const healthy = await Promise.all(Array.from({ length: 9 }, () => harness.receive()))
    for (const receiver of healthy) await harness.subscribeTo(receiver.url)
    for (let turn = 0; turn < 40; turn += 1) await harness.raise()
    harness.dispatcher.start()
    await Promise.all(healthy.map((receiver) => receiver.reached(40)))
    expect(dead.received.length).toBe(5)
    expect(healthy.map(({ received }) => new Set(received.map(({ identifier }) => identifier)).size)).toEqual(healthy.map(() => 40))
    await dead.close()
  })

  test('many dead ones at once leave room for the others', async () => {
    const dead = await harness.receive(() => {})
    for (let number = 0; number < 40; number += 1)
      await harness.subscribeTo(`${dead.url}/${number}`, 'NormalizedData', await harness.newInstance())
    const { rows } = await harness.test.database.query<{ instanceId: string }>(
      'select distinct instance_id as "instanceId" from subscriptions',
    )
    for (const { instanceId } of rows) for (let turn = 0; turn < 5; turn += 1) await harness.raise('NormalizedData', instanceId)
    harness.dispatcher.start()
    await dead.reached(200)
    const healthy = await harness.receive()
    await harness.subscribeTo(healthy.url)
    await harness.raise()
    await healthy.reached(1)
    expect(dead.received).toHaveLength(200)
    const { rows: ended } = await harness.test.database.query('select 1 from delivery_attempts where http_status is null')
    expect(ended, 'no dead one had to be given up first').toEqual([])
    await dead.close()
  })

  test('two dispatchers together make at most five concurrent attempts at an endpoint', async () => {
    const open = { now: 0, most: 0 }
    const receiver = await harness.receive((_request, response) => {
      open.now += 1
      open.most = Math.max(open.most, open.now)
      setImmediate(() => {
        open.now -= 1
        response.end()
      })
    })
    await harness.subscribeTo(receiver.url)
    for (let turn = 0; turn < 60; turn += 1) await harness.raise()
    const log = { info: () => {}, warn: () => {}, error: () => {} }
    const other = new Dispatcher({ ...harness.deps, egress: harness.egress, log })
    harness.dispatcher.start()
    other.start()
    await receiver.reached(60)
    await Promise.all([other.stop(), harness.dispatcher.stop()])
    expect(receiver.received).toHaveLength(60)
    expect(open.most).toBeLessThanOrEqual(5)
  })

  test('an instance with a flood leaves room for the others', async () => {
    const [flooded, quiet] = [await harness.receive(), await harness.receive()]
    const instances = await Promise.all(Array.from({ length: 3 }, () => harness.newInstance()))
    for (const instanceId of instances) await harness.subscribeTo(quiet.url, 'NormalizedData', instanceId)
    for (let number = 0; number < 30; number += 1) await harness.subscribeTo(`${flooded.url}/${number}`)
    for (let turn = 0; turn < 10; turn += 1) await harness.raise()
    for (const instanceId of instances) await harness.raise('NormalizedData', instanceId)
    await harness.dispatcher.runOnce()
    expect(quiet.received).toHaveLength(3)
  })
})
