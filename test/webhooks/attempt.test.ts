import { randomUUID } from 'node:crypto'
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { EgressRequest } from '../../src/egress/egress.ts'
import { EgressError } from '../../src/egress/egress-error.ts'
import type { ClaimedDelivery } from '../../src/store/webhooks/deliveries.ts'
import { attemptDelivery, LEASE_MS } from '../../src/webhooks/attempt.ts'

afterEach(() => void vi.restoreAllMocks())

const SECRET = Buffer.alloc(32, 7)
const delivery: Omit<ClaimedDelivery, 'traceParent'> = {
  ...{ instanceId: randomUUID(), id: randomUUID(), subscriptionId: randomUUID(), eventId: randomUUID(), lease: randomUUID() },
  ...{
    callbackUrl: 'https://receiver.example/in',
    kind: 'RawData',
    body: '{}',
    step: 0,
    wasDelivered: false,
    week: null,
    attemptWeek: null,
  },
  ...{ claimedAt: new Date('2026-11-20T12:00:00Z'), raisedAt: new Date('2026-11-20T11:59:59Z') },
}

/** An attempt whose request `answer` answers, and the request. */
async function attempt(answer: () => Promise<{ status: number }>, { traceParent = null as string | null, isOwn = false } = {}) {
  const sent: EgressRequest[] = []
  const request = async (asked: EgressRequest) => {
    sent.push(asked)
    return { headers: {}, body: Buffer.alloc(0), truncated: false, ...(await answer()) }
  }
  const egress = { request, close: async () => undefined }
  const verdict = await attemptDelivery(egress, { ...delivery, traceParent }, { current: SECRET, all: [SECRET] }, isOwn)
  return { verdict, sent: sent[0] ?? expect.fail('nothing was sent') }
}

const well = async () => ({ status: 204 })

describe('an attempt', () => {
  test('continues the trace of its event if it has one', async () => {
    const traceParent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    expect((await attempt(well, { traceParent })).sent.headers).toMatchObject({ traceparent: traceParent })
    expect((await attempt(well)).sent.headers).not.toHaveProperty('traceparent')
  })

  test('is a request with bounds that says who we are and what it has, and asks for an answer that is not packed', async () => {
    expect((await attempt(well)).sent).toMatchObject({
      ...{ method: 'POST', url: delivery.callbackUrl, timeoutMs: 15_000, maxBytes: 65_536 },
      headers: { 'user-agent': 'Countinghouse', 'content-type': 'application/json', 'accept-encoding': 'identity' },
    })
  })

  test('takes as many whole milliseconds as from its beginning to the answer', async () => {
    vi.spyOn(performance, 'now').mockReturnValueOnce(5_000.4).mockReturnValueOnce(5_250.6)
    expect((await attempt(well)).verdict).toMatchObject({ result: 'delivered', durationMs: 250 })
  })

  test('is given up long before another process may make it', async () => {
    expect(LEASE_MS).toBe(2 * ((await attempt(well)).sent.timeoutMs ?? 0))
  })

  test('reaches private networks only for a receiver of this deployment', async () => {
    expect([(await attempt(well)).sent.allowPrivate, (await attempt(well, { isOwn: true })).sent.allowPrivate]).toEqual([false, true])
  })

  test('that the network fails is one that failed; a fault of ours is none', async () => {
    const failing = await attempt(() => Promise.reject(new EgressError('timeout')))
    expect(failing.verdict).toMatchObject({ result: 'failed', httpStatus: null, error: 'no complete answer in time' })
    await expect(attempt(() => Promise.reject(new TypeError('a fault')))).rejects.toThrow(TypeError)
  })
})
