import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { countDisabled, findSubscription } from '../../src/store/webhooks/subscriptions.ts'
import { Dispatcher } from '../../src/webhooks/dispatcher.ts'
import { resumeSubscription } from '../../src/webhooks/subscriptions.ts'
import { openWebhookHarness, type WebhookHarness } from './harness.ts'

const DAY = 86_400_000

let harness: WebhookHarness

beforeEach(async () => {
  harness = await openWebhookHarness()
})
afterEach(() => harness.close())

describe('a receiver that fails for five days', () => {
  test('is disabled however often the dispatcher is restarted, with an alert, and returns with everything it missed', async () => {
    let isWell = false
    const receiver = await harness.receive((_request, response) => response.writeHead(isWell ? 200 : 500).end())
    const { id } = await harness.subscribeTo(receiver.url)
    const reports: string[] = []
    const log = { info: () => undefined, warn: (_fields: object, message: string) => void reports.push(message), error: () => undefined }
    let aheadMs = 0
    // A new dispatcher without state of the previous one.
    const newDispatcher = (): Dispatcher =>
      new Dispatcher({ ...harness.deps, egress: harness.egress, log, clock: { aheadMs: () => aheadMs } })
    const statusAfter = async (ms: number): Promise<string | undefined> => {
      aheadMs += ms
      await harness.raise()
      await newDispatcher().runOnce()
      return (await findSubscription(harness.test.database, harness.instanceId, id))?.status
    }
    for (let turn = 0; turn < 25; turn += 1) expect(await statusAfter(DAY / 5)).toBe('active')
    expect(reports).toEqual([])
    expect(await statusAfter(DAY / 4)).toBe('disabled')
    expect(reports).toEqual(['webhook subscription disabled'])
    expect(await countDisabled(harness.test.database)).toEqual([{ reason: 'failing', count: 1 }])

    const missed = [await harness.raise(), await harness.raise()]
    isWell = true
    receiver.received.splice(0)
    expect(await newDispatcher().runOnce()).toBe(0)
    expect(await resumeSubscription(harness.deps, harness.instanceId, id, { recover: true })).toMatchObject({ recovered: missed.length })
    aheadMs += 10 * DAY
    while ((await newDispatcher().runOnce()) > 0);
    const got = receiver.received.map(({ identifier }) => identifier.split('.')[1])
    expect(got).toEqual(expect.arrayContaining(missed))
    expect(await undelivered()).toBe(0)
  })
})

async function undelivered(): Promise<number> {
  const { rows } = await harness.test.database.query(`select 1 from deliveries where status <> 'delivered'`)
  return rows.length
}
