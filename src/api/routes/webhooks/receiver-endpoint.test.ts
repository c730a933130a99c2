import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { openForTests } from '../../../../test/harness/for-tests.ts'
import { type TestApi, testApi } from '../../../../test/harness/test-api.ts'
import { until } from '../../../../test/process/deadline.ts'
import type { ReceiverDeps } from '../../../webhooks/deps.ts'
import { openReceiver } from '../../../webhooks/receivers.ts'
import { defaultApiSettings } from '../../context/settings.ts'

const ADDRESS = 'http://127.0.0.1:8080'
const MEBIBYTE = 1_048_576

const api = openForTests(() => testApi({ requestLimits: { ...defaultApiSettings(ADDRESS).requestLimits, perNetwork: 3 } }))

afterEach(() => void vi.useRealTimers())

/** Id and path of a receiver that answers so. */
async function open({ deps, instanceId }: TestApi, behaviour: string): Promise<{ id: string; url: string }> {
  const { database, sealer, settings, sync } = deps
  const own: ReceiverDeps = { database, sealer, publicUrl: settings.publicUrl, hashToken: sync.hashToken }
  const { receiver } = await openReceiver(own, instanceId, 'NormalizedData')
  await database.query('update receivers set behaviour = $2 where id = $1', [receiver.id, behaviour])
  return { id: receiver.id, url: new URL(receiver.callbackUrl).pathname }
}

/** An instance has ten at most. */
afterEach(async () => {
  await api.deps.database.query('delete from receivers')
})

const countKept = async ({ deps }: TestApi): Promise<number> => (await deps.database.query('select from receiver_requests')).rowCount ?? 0

/** Whether a promise is settled once everything has happened that waits for nothing. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false
  void promise.then(() => {
    settled = true
  })
  for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve))
  return settled
}

describe('a request for a receiver', () => {
  it.each([
    ['accept', 204],
    ['fail', 500],
    ['gone', 410],
  ])('is answered without a word as its behaviour says, and kept with the answer: %s', async (behaviour, status) => {
    const { id, url } = await open(api, behaviour)
    const answer = await api.app.inject({ method: 'POST', url, payload: '{}' })
    const { rows } = await api.deps.database.query('select answered from receiver_requests where receiver_id = $1', [id])
    expect([answer.statusCode, answer.payload, rows]).toEqual([status, '', [{ answered: status }]])
  })

  it.each([
    ['no body', {}, undefined, ''],
    ['JSON that is none', { 'content-type': 'application/json' }, '{"a":', '{"a":'],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }, 'a=b', 'a=b'],
    ['bytes of any kind', { 'content-type': 'application/x-own' }, 'é\u0000', 'é\u0000'],
    ['bytes of no kind', {}, 'text', 'text'],
  ])('is kept byte for byte: %s', async (_what, headers, payload, kept) => {
    const { id, url } = await open(api, 'accept')
    await api.app.inject({ method: 'POST', url, headers: { 'x-own': 'a, b', ...headers }, ...(payload === undefined ? {} : { payload }) })
    const { rows } = await api.deps.database.query<{ headers: object; body: Buffer }>(
      'select headers, body from receiver_requests where receiver_id = $1',
      [id],
    )
    expect(rows).toEqual([{ headers: expect.objectContaining({ 'x-own': 'a, b', ...headers }), body: Buffer.from(kept) }])
  })

  it('has a mebibyte at most', async () => {
    const { url } = await open(api, 'accept')
    const send = async (bytes: number) => (await api.app.inject({ method: 'POST', url, payload: Buffer.alloc(bytes) })).statusCode
    expect([await send(MEBIBYTE), await send(MEBIBYTE + 1)]).toEqual([204, 413])
  })

  it('with a wrong token is one of an unknown address, for as many of a network as its limit allows', async () => {
    const { url } = await open(api, 'accept')
    const send = async (remoteAddress: string, to = `${url.slice(0, -1)}`) => {
      const answer = await api.app.inject({ method: 'POST', url: to, remoteAddress })
      return [answer.statusCode, answer.json<{ Message: string }>().Message]
    }
    const unknown = [404, 'No such address.']
    const statuses = [await send('192.0.2.1'), await send('192.0.2.1'), await send('192.0.2.1'), await send('192.0.2.1')]
    expect(statuses).toEqual([unknown, unknown, unknown, [429, expect.any(String)]])
    expect(await send('198.51.100.1')).toEqual(unknown)
    expect((await api.app.inject({ method: 'POST', url, remoteAddress: '192.0.2.1' })).statusCode, 'the right token').toBe(204)
    api.moveClock(60_000)
    expect(await send('192.0.2.1')).toEqual(unknown)
  })
})

describe('a slow receiver', () => {
  const slow = openForTests(testApi)
  let url: string
  beforeAll(async () => {
    url = (await open(slow, 'slow')).url
  })

  const send = () => slow.app.inject({ method: 'POST', url })
  const untilKept = (count: number) => until(`${count} requests`, async () => ((await countKept(slow)) === count ? true : null))

  it('answers after twenty seconds', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const answer = send()
    await untilKept(1)
    expect(await isSettled(answer)).toBe(false)
    vi.advanceTimersByTime(19_999)
    expect(await isSettled(answer)).toBe(false)
    vi.advanceTimersByTime(1)
    expect((await answer).statusCode).toBe(204)
  })

  it('lets twenty requests wait in this process, until the sender gives up or the server closes', async () => {
    // The delay never ends by itself here.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const kept = await countKept(slow)
    const origin = await slow.app.listen({ host: '127.0.0.1', port: 0 })
    const giveUp = new AbortController()
    const given = fetch(`${origin}${url}`, { method: 'POST', signal: giveUp.signal }).catch((error: Error) => error.name)
    const waiting = Array.from({ length: 19 }, send)
    await untilKept(kept + 20)
    const refused = await send()
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([503, '5'])
    giveUp.abort()
    expect(await given).toBe('AbortError')
    let sent = kept + 21
    const next = await until('room for another', async () => {
      const another = send()
      sent += 1
      await untilKept(sent)
      return (await isSettled(another)) ? null : { answer: another }
    })
    expect((await Promise.all(waiting.map(isSettled))).filter((settled) => settled)).toEqual([])
    await slow.app.close()
    expect((await Promise.all([...waiting, next.answer])).map(({ statusCode }) => statusCode)).toEqual(Array(20).fill(204))
  })
})
