import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { isLong } from '../prove/effort.ts'
import { openWebhookHarness, type Receiver, type WebhookHarness } from '../webhooks/harness.ts'
import { type Fault, type FaultProxy, openFaultProxy } from './fault-proxy.ts'

const DEADLINE_MS = 15_000

let harness: WebhookHarness
let receiver: Receiver
let proxy: FaultProxy

beforeEach(async () => {
  harness = await openWebhookHarness()
  receiver = await harness.receive()
  proxy = await openFaultProxy(receiver.url)
  await harness.subscribeTo(proxy.url)
})
afterEach(async () => {
  await proxy.close()
  await harness.close()
})

async function attempts(): Promise<unknown[]> {
  const { rows } = await harness.test.database.query('select http_status as status, error from delivery_attempts order by number')
  return rows
}

const CUT = 'the connection broke off'
const ERRORS: Partial<Record<Fault, string>> = {
  reset: CUT,
  empty: CUT,
  malformedChunk: CUT,
  halfBody: CUT,
  resetMidway: CUT,
}

describe('a delivery with a network fault between us and the receiver', () => {
  test.each(Object.entries(ERRORS))('%s: is recorded as failed (%s) and retried until the receiver has it', async (fault, error) => {
    const id = await harness.raise()
    proxy.next = [fault as Fault]
    await harness.dispatcher.runOnce()
    expect(await attempts()).toEqual([{ status: null, error }])
    harness.travel(10_000)
    await harness.dispatcher.runOnce()
    expect(await attempts()).toEqual([
      { status: null, error },
      { status: 200, error: null },
    ])
    expect(new Set(receiver.received.map(({ identifier }) => identifier))).toEqual(new Set([`NormalizedData.${id}`]))
  })

  // In every run `test/webhooks/hostile.test.ts` waits for the deadline; once is enough.
  test.runIf(isLong)('hang and slow drip end after fifteen seconds and are retried', async () => {
    await harness.raise()
    await harness.raise()
    proxy.next = ['hang', 'slowDrip']
    const startedMs = performance.now()
    await harness.dispatcher.runOnce()
    expect(performance.now() - startedMs).toBeGreaterThan(DEADLINE_MS - 500)
    expect(await attempts()).toEqual(Array.from({ length: 2 }, () => ({ status: null, error: 'no complete answer in time' })))
    harness.travel(10_000)
    await harness.dispatcher.runOnce()
    expect(receiver.received).toHaveLength(2)
  })
})
