import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { listRequests } from '../../src/store/webhooks/receiver-requests.ts'
import { findReceiver, type Receiver } from '../../src/store/webhooks/receivers.ts'
import { findSubscription, listSubscriptions } from '../../src/store/webhooks/subscriptions.ts'
import type { ReceiverDeps } from '../../src/webhooks/deps.ts'
import { findByToken, isOwnReceiver, openReceiver, recordRequest } from '../../src/webhooks/receivers.ts'
import { rotateSecret } from '../../src/webhooks/secrets.ts'
import { signBody, signHeaders } from '../../src/webhooks/signing.ts'
import { openForTests } from '../harness/for-tests.ts'
import { plainHash } from '../harness/keys.ts'
import { openWebhookHarness } from './harness.ts'

const PUBLIC_URL = 'https://data.example'
const PATH = '/receiver/'
const SENT_S = 1_700_000_000
const MEBIBYTE = 1_048_576

/** Texts whose hash was asked for. */
const hashed: string[] = []
const hashToken = plainHash((text) => {
  hashed.push(text)
  return createHash('sha256').update(text).digest()
})
const harness = openForTests(openWebhookHarness)
const deps = (): ReceiverDeps => ({
  database: harness.deps.database,
  sealer: harness.deps.sealer,
  publicUrl: PUBLIC_URL,
  hashToken,
})
const keyOf = ({ instanceId, id }: Receiver) => ({ instanceId, receiverId: id })
const tokenOf = ({ callbackUrl }: Receiver) => callbackUrl.slice((PUBLIC_URL + PATH).length)
const bytesOf = (secret: string) => Buffer.from(secret.slice('whsec_'.length), 'base64')

async function open(instanceId?: string, id?: string) {
  return await openReceiver(deps(), instanceId ?? (await harness.newInstance()), 'RawData', id)
}

/** The request as it is kept. */
async function kept(receiver: Receiver, headers: Record<string, string>, body: string) {
  await recordRequest(deps(), receiver, { headers, body: Buffer.from(body), answered: 204 })
  const [request] = await listRequests(harness.test.database, keyOf(receiver))
  return request
}

afterEach(() => {
  vi.useRealTimers()
})

describe('a receiver', () => {
  test('that is opened again after a lost answer is the same one, with a new secret', async () => {
    const instanceId = await harness.newInstance()
    const id = randomUUID()
    const [first, again] = [await open(instanceId, id), await open(instanceId, id)]
    expect(again.receiver).toEqual(first.receiver)
    expect(again.secret).not.toBe(first.secret)
    expect(await listSubscriptions(harness.test.database, instanceId)).toHaveLength(1)
    const body = '{"a":1}'
    const bySecret = async ({ secret }: typeof first) => (await kept(first.receiver, {}, signBody(body, bytesOf(secret))))?.checks.body
    expect([await bySecret(first), await bySecret(again)]).toEqual([false, true])
  })

  test('is the tenth at most, and the eleventh leaves no subscription behind', async () => {
    const instanceId = await harness.newInstance()
    for (let count = 0; count < 10; count += 1) await open(instanceId)
    await expect(open(instanceId)).rejects.toMatchObject({ name: 'Conflict', reason: 'tooManyReceivers' })
    expect(await listSubscriptions(harness.test.database, instanceId)).toHaveLength(10)
    await expect(open()).resolves.toMatchObject({ receiver: { event: 'RawData', behaviour: 'accept' } })
  })

  test('is its own subscription’s at its own address only', async () => {
    const { receiver } = await open()
    const other = await open(receiver.instanceId)
    const { callbackUrl, instanceId, subscriptionId } = receiver
    const token = tokenOf(receiver)
    const isOwn = (change: object) => isOwnReceiver(deps(), { instanceId, subscriptionId, callbackUrl, ...change })
    expect(await isOwn({})).toBe(true)
    const strangers = [
      { instanceId: await harness.newInstance() },
      { subscriptionId: other.receiver.subscriptionId },
      { callbackUrl: other.receiver.callbackUrl },
      // As long as the right one.
      { callbackUrl: `https://evil.example${PATH}${token}` },
      { callbackUrl: `${PUBLIC_URL}/elsewher/${token}` },
      { callbackUrl: `${PUBLIC_URL}${PATH}${token}/` },
      { callbackUrl: token },
    ]
    for (const stranger of strangers) expect(await isOwn(stranger), JSON.stringify(stranger)).toBe(false)
    expect(hashed).not.toContain('receiver/null')
  })

  test('is found by its token; nothing is looked up for what is none', async () => {
    const { receiver } = await open()
    const token = tokenOf(receiver)
    expect(await findByToken(deps(), token)).toEqual(receiver)
    expect(await findByToken(deps(), randomBytes(32).toString('base64url'))).toBeNull()
    hashed.length = 0
    for (const none of ['', 'x', token.slice(1), `${token}x`, `x${token}`, `/${token.slice(1)}`, `${token}\n`])
      expect(await findByToken(deps(), none), JSON.stringify(none)).toBeNull()
    expect(hashed).toEqual([])
  })

  test('belongs to its instance alone', async () => {
    const { receiver } = await open()
    const stranger = await harness.newInstance()
    expect(await findReceiver(harness.test.database, stranger, receiver.id)).toBeNull()
    expect(await findSubscription(harness.test.database, stranger, receiver.subscriptionId)).toBeNull()
  })
})

describe('a request to a receiver', () => {
  test.each([
    ['at the same time', 0, true],
    ['five minutes old', 300, true],
    ['five minutes ahead', -300, true],
    ['older', 301, false],
    ['further ahead', -301, false],
  ])('signed %s is shown with its time judged apart from its signatures', async (_age, seconds, isTimely) => {
    const { receiver, secret } = await open()
    vi.useFakeTimers({ toFake: ['Date'], now: (SENT_S + seconds) * 1_000 })
    const body = signBody('{"a":1}', bytesOf(secret))
    const headers = signHeaders('evt_1', new Date(SENT_S * 1_000), body, [bytesOf(secret)])
    expect((await kept(receiver, { ...headers }, body))?.checks).toEqual({ timestamp: isTimely, headers: true, body: true })
  })

  test.each(['17e8', '', 'now', '1700000000000', '0x6553f100'])('with the timestamp %j has none', async (text) => {
    const { receiver } = await open()
    vi.useFakeTimers({ toFake: ['Date'], now: SENT_S * 1_000 })
    const checks = (await kept(receiver, { 'webhook-timestamp': text }, '{}'))?.checks
    expect(checks).toEqual({ timestamp: false, headers: false, body: false })
  })

  test('may be signed with any secret of its subscription', async () => {
    const { receiver, secret: old } = await open()
    const rotated = await rotateSecret(harness.deps, receiver.instanceId, receiver.subscriptionId)
    for (const secret of [old, rotated?.secret ?? '']) {
      const body = signBody('{"a":1}', bytesOf(secret))
      const headers = signHeaders('evt_1', new Date(), body, [bytesOf(secret)])
      expect((await kept(receiver, { ...headers }, body))?.checks).toEqual({ timestamp: true, headers: true, body: true })
    }
  })

  test('signed for another receiver is not signed for this one', async () => {
    const { receiver } = await open()
    const { secret } = await open(receiver.instanceId)
    const body = signBody('{"a":1}', bytesOf(secret))
    const headers = signHeaders('evt_1', new Date(), body, [bytesOf(secret)])
    expect((await kept(receiver, { ...headers }, body))?.checks).toEqual({ timestamp: true, headers: false, body: false })
  })

  test('is shown without credentials, sender and proxies, and with every other header', async () => {
    const { receiver } = await open()
    const omitted = [
      'authorization',
      'cookie',
      'proxy-authorization',
      'proxy-',
      'forwarded',
      'x-forwarded-for',
      'x-forwarded-',
      'x-real-ip',
    ]
    const shown = ['x-authorization', 'authorization-info', 'cookies', 'my-proxy-id', 'proxy', 'x-forwarded', 'forwarded-by', 'x-real-ips']
    const headers = Object.fromEntries([...omitted, ...shown].map((name) => [name, 'value']))
    expect(Object.keys((await kept(receiver, headers, '{}'))?.headers ?? {}).toSorted()).toEqual(shown.toSorted())
  })

  test('keeps forty headers of two thousand characters', async () => {
    const { receiver } = await open()
    const headers = Object.fromEntries(Array.from({ length: 41 }, (_, index) => [`x-${index}`, 'v'.repeat(2_001)]))
    const values = Object.values((await kept(receiver, headers, '{}'))?.headers ?? {})
    expect([values.length, new Set(values.map(({ length }) => length))]).toEqual([40, new Set([2_000])])
  })

  test('is kept with its bytes and our answer, up to eight mebibytes in all', async () => {
    const { receiver } = await open()
    for (let count = 0; count < 9; count += 1)
      await recordRequest(deps(), receiver, { headers: {}, body: Buffer.alloc(MEBIBYTE), answered: 500 })
    const requests = await listRequests(harness.test.database, keyOf(receiver))
    expect(requests.map(({ bodyBytes, answered }) => [bodyBytes, answered])).toEqual(Array.from({ length: 8 }, () => [MEBIBYTE, 500]))
  })
})
