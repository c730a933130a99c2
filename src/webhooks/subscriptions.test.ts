import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openWebhookHarness, type WebhookHarness } from '../../test/webhooks/harness.ts'
import { findSubscription, listSubscriptions } from '../store/webhooks/subscriptions.ts'
import { Conflict, InvalidCallbackUrl } from './errors.ts'
import { changeSubscription, subscribe, unsubscribe } from './subscriptions.ts'

const url = 'https://hooks.example.com/in?tenant=1'
let bench: WebhookHarness

beforeEach(async () => {
  bench = await openWebhookHarness()
})
afterEach(() => bench.close())

describe('subscriptions', () => {
  test('a new one shows its secret once and keeps it sealed', async () => {
    const { secret, ...created } = await bench.subscribeTo(url)
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(created).toMatchObject({ event: 'NormalizedData', callbackUrl: url, status: 'active' })
    expect(await findSubscription(bench.test.database, bench.instanceId, created.id)).toEqual(created)
    const { rows } = await bench.test.database.query<{ sealed: Buffer }>('select sealed from subscription_secrets')
    expect(rows[0]?.sealed.includes(Buffer.from(secret.slice(6), 'base64'))).toBe(false)
  })

  test('the same event to the same address again is a conflict', async () => {
    await bench.subscribeTo(url)
    await expect(bench.subscribeTo(url)).rejects.toMatchObject({ name: 'Conflict', reason: 'duplicateSubscription' })
  })

  test('of eight at the same time one comes to be', async () => {
    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => bench.subscribeTo(url)))
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(await listSubscriptions(bench.test.database, bench.instanceId)).toHaveLength(1)
  })

  test('another event, another address and another instance are no conflict', async () => {
    await bench.subscribeTo(url)
    await bench.subscribeTo(url, 'RawData')
    await bench.subscribeTo(`${url}&more=1`)
    await bench.subscribeTo(url, 'NormalizedData', await bench.newInstance())
    expect((await listSubscriptions(bench.test.database, bench.instanceId)).map(({ event, callbackUrl }) => [event, callbackUrl])).toEqual([
      ['NormalizedData', url],
      ['RawData', url],
      ['NormalizedData', `${url}&more=1`],
    ])
  })

  test('an address that we do not send to is refused, at creation and at change', async () => {
    const strict = { ...bench.deps, callbackRules: { allowPrivate: false } }
    const { id } = await bench.subscribeTo(url)
    const bad = { event: 'RawData', callbackUrl: 'http://127.0.0.1/' } as const
    await expect(subscribe(strict, bench.instanceId, bad)).rejects.toThrow(InvalidCallbackUrl)
    await expect(changeSubscription(strict, bench.instanceId, id, bad)).rejects.toThrow(InvalidCallbackUrl)
  })

  test('a change leaves alone what it does not name', async () => {
    const { id } = await bench.subscribeTo(url)
    expect(await changeSubscription(bench.deps, bench.instanceId, id, { event: 'RawData' })).toMatchObject({
      event: 'RawData',
      callbackUrl: url,
    })
    const callbackUrl = 'https://other.example.com/'
    expect(await changeSubscription(bench.deps, bench.instanceId, id, { callbackUrl })).toMatchObject({ event: 'RawData', callbackUrl })
    expect(await changeSubscription(bench.deps, bench.instanceId, id, {})).toMatchObject({ event: 'RawData', callbackUrl })
  })

  test('a change to what another one has is a conflict', async () => {
    await bench.subscribeTo(url)
    const { id } = await bench.subscribeTo(url, 'RawData')
    await expect(changeSubscription(bench.deps, bench.instanceId, id, { event: 'NormalizedData' })).rejects.toThrow(Conflict)
  })

  test('one of another instance looks unknown', async () => {
    const other = await bench.newInstance()
    const { id } = await bench.subscribeTo(url)
    expect(await findSubscription(bench.test.database, other, id)).toBeNull()
    expect(await changeSubscription(bench.deps, other, id, { event: 'RawData' })).toBeNull()
    expect(await unsubscribe(bench.deps, other, id)).toBe(false)
    expect(await unsubscribe(bench.deps, bench.instanceId, id)).toBe(true)
    expect(await unsubscribe(bench.deps, bench.instanceId, id)).toBe(false)
  })

  test('one that is removed while its attempts fail leaves nothing behind', async () => {
    const receiver = await bench.receive((_request, response) => response.writeHead(500).end())
    const { id } = await bench.subscribeTo(receiver.url)
    for (let turn = 0; turn < 20; turn += 1) await bench.raise()
    bench.dispatcher.start()
    await receiver.reached(5)
    await unsubscribe(bench.deps, bench.instanceId, id)
    await bench.dispatcher.stop()
    const { rows } = await bench.test.database.query('select 1 from deliveries union all select 1 from subscription_secrets')
    expect(rows).toEqual([])
    expect(bench.reports.filter(({ level }) => level === 'error')).toEqual([])
  })
})
