import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { inTransaction } from '../../src/store/db/database.ts'
import { catchUpFeed } from '../../src/store/webhooks/event-feeds.ts'
import { disableSubscription, findSubscription } from '../../src/store/webhooks/subscriptions.ts'
import { changeSubscription, resumeSubscription, unsubscribe } from '../../src/webhooks/subscriptions.ts'
import { openWebhookHarness, raiseEvent, type WebhookHarness } from './harness.ts'

/* Recipients: a subscription receives every event that commits while it is active, and no other. */

let harness: WebhookHarness

beforeEach(async () => {
  harness = await openWebhookHarness()
})
afterEach(() => harness.close())

async function deliverAll(): Promise<void> {
  while ((await harness.dispatcher.runOnce()) > 0);
}

async function disable(id: string): Promise<void> {
  await inTransaction(harness.test.database, async (db) => {
    await disableSubscription(db, harness.instanceId, id, 'failing', await catchUpFeed(db, harness.instanceId))
  })
}

describe('a subscription', () => {
  test('receives an event that was written before it but commits after it', async () => {
    const receiver = await harness.receive()
    let id = ''
    await inTransaction(harness.test.database, async (db) => {
      id = await raiseEvent(db, harness.instanceId, 'NormalizedData')
      await harness.subscribeTo(receiver.url)
      await harness.dispatcher.runOnce()
    })
    await deliverAll()
    expect(receiver.received.map(({ identifier }) => identifier)).toEqual([`NormalizedData.${id}`])
  })

  test('does not receive what was committed before it, even if the feed was not read yet', async () => {
    const receiver = await harness.receive()
    await harness.raise()
    await harness.subscribeTo(receiver.url)
    await deliverAll()
    expect(receiver.received).toEqual([])
  })

  test('that changes its event receives what was committed before by the old one', async () => {
    const receiver = await harness.receive()
    const { id } = await harness.subscribeTo(receiver.url, 'RawData')
    const [before] = [await harness.raise('RawData'), await harness.raise('NormalizedData')]
    await changeSubscription(harness.deps, harness.instanceId, id, { event: 'NormalizedData' })
    const [, after] = [await harness.raise('RawData'), await harness.raise('NormalizedData')]
    await deliverAll()
    expect(receiver.received.map(({ identifier }) => identifier).sort()).toEqual([`NormalizedData.${after}`, `RawData.${before}`])
  })

  test('that is removed receives nothing more', async () => {
    const receiver = await harness.receive()
    const { id } = await harness.subscribeTo(receiver.url)
    await harness.raise()
    expect(await unsubscribe(harness.deps, harness.instanceId, id)).toBe(true)
    await harness.raise()
    await deliverAll()
    expect(receiver.received).toEqual([])
  })

  test('that was disabled continues with what was pending, and gets what it missed on request', async () => {
    const receiver = await harness.receive()
    const { id } = await harness.subscribeTo(receiver.url)
    const pending = await harness.raise()
    await disable(id)
    const missed = [await harness.raise(), await harness.raise('Error')]
    await harness.raise('RawData')
    await deliverAll()
    expect(receiver.received).toEqual([])
    const resumed = await resumeSubscription(harness.deps, harness.instanceId, id, { recover: true })
    expect(resumed).toMatchObject({ recovered: 2, subscription: { status: 'active', disabledReason: null } })
    await deliverAll()
    expect(receiver.received.map(({ identifier }) => identifier.split('.')[1]).sort()).toEqual([pending, ...missed].sort())
  })

  test('that was disabled skips what it missed unless requested', async () => {
    const receiver = await harness.receive()
    const { id } = await harness.subscribeTo(receiver.url)
    await disable(id)
    await harness.raise()
    await resumeSubscription(harness.deps, harness.instanceId, id, { recover: false })
    const after = await harness.raise()
    await deliverAll()
    expect(receiver.received.map(({ identifier }) => identifier)).toEqual([`NormalizedData.${after}`])
  })

  test('that is active is not changed by resuming', async () => {
    const { id } = await harness.subscribeTo('http://127.0.0.1:1/')
    const before = await findSubscription(harness.test.database, harness.instanceId, id)
    expect(await resumeSubscription(harness.deps, harness.instanceId, id, { recover: true })).toEqual({
      subscription: before,
      recovered: 0,
    })
    expect(await resumeSubscription(harness.deps, harness.instanceId, crypto.randomUUID(), { recover: true })).toBeNull()
  })
})
