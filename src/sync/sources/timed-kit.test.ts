import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { HttpRequest, Kit } from '../../connectors/contract/contract.ts'
import { timedKit } from './timed-kit.ts'

const NOW = new Date('2026-03-01T12:00:00Z')
let sent: HttpRequest[]
let date: string | undefined
let nowMs: number

beforeEach(() => {
  sent = []
  date = undefined
  nowMs = 1_000
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs)
})
afterEach(() => vi.restoreAllMocks())

const kit: Kit = {
  ...{ app: { clientId: 'app' }, hosts: { api: 'https://a.example' }, now: () => NOW },
  http: async (request) => {
    sent.push(request)
    return { status: 200, url: request.url, headers: date === undefined ? {} : { date }, body: new Uint8Array() }
  },
}
const call = (timed: ReturnType<typeof timedKit>, more: Partial<HttpRequest> = {}) =>
  timed.kit.http({ url: 'https://a.example/x', ...more })

describe('the calls of one refresh', () => {
  it('have twenty seconds together, and each no more than it asked for', async () => {
    const timed = timedKit(kit)
    await call(timed)
    await call(timed, { timeoutMs: 5_000 })
    await call(timed, { timeoutMs: 25_000 })
    nowMs += 15_000.5
    await call(timed, { timeoutMs: 4_000 })
    await call(timed, { timeoutMs: 6_000 })
    nowMs += 4_999
    await call(timed)
    expect(sent.map(({ timeoutMs }) => timeoutMs)).toEqual([20_000, 5_000, 20_000, 4_000, 5_000, 1])
  })

  it.each([20_000, 20_001])('are none after %i ms, which is an outage', async (afterMs) => {
    const timed = timedKit(kit)
    nowMs += afterMs
    await expect(call(timed)).rejects.toMatchObject({ kind: 'unavailable', message: 'the refresh took more than 20000 ms' })
    expect(sent).toEqual([])
  })

  it('are those of the kit otherwise', async () => {
    const timed = timedKit(kit)
    expect([timed.kit.app, timed.kit.hosts, timed.kit.now()]).toEqual([kit.app, kit.hosts, NOW])
    expect((await call(timed, { method: 'POST' })).status).toBe(200)
    expect(sent[0]).toMatchObject({ url: 'https://a.example/x', method: 'POST' })
  })
})

describe('when the source answered', () => {
  it('is now before its first answer', () => {
    expect(timedKit(kit).answeredAt()).toEqual(NOW)
  })

  it.each([
    ['its own time', 'Sun, 01 Mar 2026 11:59:30 GMT', '2026-03-01T11:59:30Z'],
    ['ours, where it gives none', undefined, '2026-03-01T12:00:00Z'],
    ['ours, where it gives no time', 'soon', '2026-03-01T12:00:00Z'],
  ])('is %s', async (_what, given, expected) => {
    const timed = timedKit(kit)
    date = 'Sun, 01 Mar 2026 10:00:00 GMT'
    await call(timed)
    date = given
    await call(timed)
    expect(timed.answeredAt()).toEqual(new Date(expected))
  })
})
