import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { inTransaction } from '../../src/store/db/database.ts'
import { catchUpFeed } from '../../src/store/webhooks/event-feeds.ts'
import { disableSubscription, findSubscription } from '../../src/store/webhooks/subscriptions.ts'
import { changeSubscription, resumeSubscription, unsubscribe } from '../../src/webhooks/subscriptions.ts'
import { openWebhookHarness, raiseEvent, type WebhookHarness } from './harness.ts'

/* Recipients: a subscription receives every event that commits while it is active, and no other. */

let bench: WebhookHarness

beforeEach(async () => {
  bench = await openWebhookHarness()
})
afterEach(() => bench.close())

async function deliverAll(): Promise<void> {
  while ((await bench.dispatcher.runOnce()) > 0);
}

async function disable(id: string): Promise<void> {
  await inTransaction(bench.test.database, async (db) => {
    await disableSubscription(db, bench.instanceId, id, 'failing', await catchUpFeed(db, bench.instanceId))
  })
}

describe('a subscription', () => {
  test('receives an event that was written before it but commits after it', async () => {
    const receiver = await bench.receive()
    let id = ''
    await inTransaction(bench.test.database, async (db) => {
      id = await raiseEvent(db, bench.instanceId, 'NormalizedData')
      await bench.subscribeTo(receiver.url)
      await bench.dispatcher.runOnce()
    })
    await deliverAll()
    expect(receiver.received.map(({ identifier }) => identifier)).toEqual([`NormalizedData.${id}`])
  })

  test('does not receive what was committed before it, even if the feed was not read yet', async () => {
    const receiver = await bench.receive()
    await bench.raise()
    await bench.subscribeTo(receiver.url)
    await deliverAll()
    expect(receiver.received).toEqual([])
  })

  test('that changes its event receives what was committed before by the old one', async () => {
    const receiver = await bench.receive()
    const { id } = await bench.subscribeTo(receiver.url, 'RawData')
    const [before] = [await bench.raise('RawData'), await bench.raise('NormalizedData')]
    await changeSubscription(bench.deps, bench.instanceId, id, { event: 'NormalizedData' })
    const [, after] = [await bench.raise('RawData'), await bench.raise('NormalizedData')]
    await deliverAll()
    expect(receiver.received.map(({ identifier }) => identifier).sort()).toEqual([`NormalizedData.${after}`, `RawData.${before}`])
  })

  test('that is removed receives nothing more', async () => {
    const receiver = await bench.receive()
    const { id } = await bench.subscribeTo(receiver.url)
    await bench.raise()
    expect(await unsubscribe(bench.deps, bench.instanceId, id)).toBe(true)
    await bench.raise()
    await deliverAll()
    expect(receiver.received).toEqual([])
  })

  test('that was disabled continues with what was pending, and gets what it missed on request', async () => {
    const receiver = await bench.receive()
    const { id } = await bench.subscribeTo(receiver.url)
    const pending = await bench.raise()
    await disable(id)
    const missed = [await bench.raise(), await bench.raise('Error')]
    await bench.raise('RawData')
    await deliverAll()
    expect(receiver.received).toEqual([])
    const resumed = await resumeSubscription(bench.deps, bench.instanceId, id, { recover: true })
    expect(resumed).toMatchObject({ recovered: 2, subscription: { status: 'active', disabledReason: null } })
    await deliverAll()
    expect(receiver.received.map(({ identifier }) => identifier.split('.')[1]).sort()).toEqual([pending, ...missed].sort())
  })

  test('that was disabled skips what it missed unless requested', async () => {
    const receiver = await bench.receive()
    const { id } = await bench.subscribeTo(receiver.url)
    await disable(id)
    await bench.raise()
    await resumeSubscription(bench.deps, bench.instanceId, id, { recover: false })
    const after = await bench.raise()
    await deliverAll()
    expect(receiver.received.map(({ identifier }) => identifier)).toEqual([`NormalizedData.${after}`])
  })

  test('that is active is not changed by resuming', async () => {
    const { id } = await bench.subscribeTo('http://127.0.0.1:1/')
    const before = await findSubscription(bench.test.database, bench.instanceId, id)
    expect(await resumeSubscription(bench.deps, bench.instanceId, id, { recover: true })).toEqual({ subscription: before, recovered: 0 })
    expect(await resumeSubscription(bench.deps, bench.instanceId, crypto.randomUUID(), { recover: true })).toBeNull()
  })
})
