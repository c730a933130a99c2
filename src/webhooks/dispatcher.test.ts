import { Webhook } from 'standardwebhooks'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openWebhookHarness, type WebhookHarness } from '../../test/webhooks/harness.ts'
import { findSubscription } from '../store/webhooks/subscriptions.ts'
import { Dispatcher } from './dispatcher.ts'
import { DELAYS_MS } from './schedule.ts'
import { verifyBody, verifyWebhook } from './verify.ts'

let bench: WebhookHarness

beforeEach(async () => {
  bench = await openWebhookHarness()
})
afterEach(() => bench.close())

interface DeliveryRow {
  status: string
  step: number
  attempts: number
  due_in_ms: number
}

async function deliveryRows(): Promise<DeliveryRow[]> {
  const { rows } = await bench.test.database.query<DeliveryRow>(
    `select status, step, attempt_count as attempts, (extract(epoch from due_at - clock_timestamp()) * 1000)::float8 as due_in_ms from deliveries`,
  )
  return rows
}

/** Time until the only delivery is due, by the dispatcher's clock. */
async function waitOf(travelledMs: number): Promise<number> {
  const [row] = await deliveryRows()
  return (row?.due_in_ms ?? Number.NaN) - travelledMs
}

describe('a delivery', () => {
  test('is signed for both kinds of receivers', async () => {
    const receiver = await bench.receive()
    const { secret } = await bench.subscribeTo(`${receiver.url}/hook?x=1`)
    const eventId = await bench.raise()
    await bench.dispatcher.runOnce()
    const [got] = receiver.received
    expect(got?.path).toBe('/hook?x=1')
    expect(got?.headers).toMatchObject({
      'webhook-id': `evt_${eventId}`,
      'content-type': 'application/json',
      'accept-encoding': 'identity',
    })
    expect(new Webhook(secret).verify(got?.body ?? '', got?.headers ?? {})).toMatchObject({ Identifier: `NormalizedData.${eventId}` })
    expect(verifyBody(got?.body ?? '', secret)).toBe(true)
  })

  test('is not made twice', async () => {
    const receiver = await bench.receive()
    await bench.subscribeTo(receiver.url)
    await bench.raise()
    expect([await bench.dispatcher.runOnce(), await bench.dispatcher.runOnce()]).toEqual([1, 0])
    expect(await deliveryRows()).toMatchObject([{ status: 'delivered', attempts: 1 }])
  })

  test('goes to those who asked for its kind, and Error, Suspended and Disconnected to everyone', async () => {
    const [normalized, raw] = [await bench.receive(), await bench.receive()]
    await bench.subscribeTo(normalized.url, 'NormalizedData')
    await bench.subscribeTo(raw.url, 'RawData')
    for (const kind of ['NormalizedData', 'RawData', 'ReadyToUseData', 'Error', 'Suspended', 'Disconnected'] as const)
      await bench.raise(kind)
    await bench.dispatcher.runOnce()
    while ((await bench.dispatcher.runOnce()) > 0);
    const kindsOf = (received: { identifier: string }[]) => received.map(({ identifier }) => identifier.split('.')[0]).sort()
    expect(kindsOf(normalized.received)).toEqual(['Disconnected', 'Error', 'NormalizedData', 'Suspended'])
    expect(kindsOf(raw.received)).toEqual(['Disconnected', 'Error', 'RawData', 'Suspended'])
  })

  test('never crosses instances', async () => {
    const receiver = await bench.receive()
    await bench.subscribeTo(receiver.url, 'NormalizedData', await bench.newInstance())
    await bench.raise()
    expect(await bench.dispatcher.runOnce()).toBe(0)
  })

  test('starts within a second of the commit', async () => {
    const receiver = await bench.receive()
    await bench.subscribeTo(receiver.url)
    bench.dispatcher.start()
    await bench.raise()
    const committed = performance.now()
    await receiver.reached(1)
    expect(performance.now() - committed).toBeLessThan(1000)
  })
})

describe('a failing receiver', () => {
  test('is tried ten times over 75 hours, with the same event id and a fresh timestamp', async () => {
    const receiver = await bench.receive((_request, response) => response.writeHead(500).end())
    const { secret } = await bench.subscribeTo(receiver.url)
    await bench.raise()
    let travelled = 0
    for (const [index, delayMs] of DELAYS_MS.entries()) {
      if (index > 0) {
        expect(Math.abs((await waitOf(travelled)) - delayMs)).toBeLessThan(4000)
        bench.travel(delayMs)
        travelled += delayMs
      }
      expect(await bench.dispatcher.runOnce()).toBe(1)
    }
    expect(await deliveryRows()).toMatchObject([{ status: 'failed', attempts: 10 }])
    const times = receiver.received.map(({ headers }) => Number(headers['webhook-timestamp']))
    expect(new Set(receiver.received.map(({ headers, body }) => `${headers['webhook-id']} ${body}`)).size).toBe(1)
    expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThan(75 * 3600)
    const last = receiver.received.at(-1)
    expect(verifyWebhook(last?.headers ?? {}, last?.body ?? '', secret, new Date((times.at(-1) ?? 0) * 1000))).toBe(true)
  })

  test('is not tried before the time', async () => {
    const receiver = await bench.receive((_request, response) => response.writeHead(500).end())
    await bench.subscribeTo(receiver.url)
    await bench.raise()
    expect([await bench.dispatcher.runOnce(), await bench.dispatcher.runOnce()]).toEqual([1, 0])
  })

  test.each([301, 400, 401, 404, 500])('status %i is tried again', async (status) => {
    const receiver = await bench.receive((_request, response, count) =>
      response.writeHead(count === 1 ? status : 200, { location: `${receiver.url}/elsewhere` }).end(),
    )
    await bench.subscribeTo(receiver.url)
    await bench.raise()
    await bench.dispatcher.runOnce()
    bench.travel(10_000)
    await bench.dispatcher.runOnce()
    expect(receiver.received.map(({ path }) => path)).toEqual(['/', '/'])
    expect(await deliveryRows()).toMatchObject([{ status: 'delivered', attempts: 2 }])
  })

  test('that answers 410 is disabled at once, and what was pending stays for its return', async () => {
    const receiver = await bench.receive((_request, response) => response.writeHead(410).end())
    const { id } = await bench.subscribeTo(receiver.url)
    await bench.raise()
    await bench.dispatcher.runOnce()
    expect(await findSubscription(bench.test.database, bench.instanceId, id)).toMatchObject({ status: 'disabled', disabledReason: 'gone' })
    bench.travel(10_000)
    expect(await bench.dispatcher.runOnce()).toBe(0)
    expect(await deliveryRows()).toMatchObject([{ status: 'pending' }])
  })

  test('without a success for five days and twenty attempts is disabled, not before', async () => {
    const receiver = await bench.receive((_request, response) => response.writeHead(500).end())
    const { id } = await bench.subscribeTo(receiver.url)
    const failOnce = async () => {
      await bench.raise()
      bench.travel(60_000)
      await bench.dispatcher.runOnce()
      return (await findSubscription(bench.test.database, bench.instanceId, id))?.status
    }
    const statuses: (string | undefined)[] = []
    for (let turn = 0; turn < 21; turn += 1) statuses.push(await failOnce())
    expect(new Set(statuses)).toEqual(new Set(['active']))
    bench.travel(5 * 86_400_000)
    expect(await failOnce()).toBe('disabled')
  })

  test('one success clears the record', async () => {
    const receiver = await bench.receive((_request, response, count) => response.writeHead(count === 3 ? 200 : 500).end())
    const { id } = await bench.subscribeTo(receiver.url)
    for (let turn = 0; turn < 3; turn += 1) {
      await bench.raise()
      await bench.dispatcher.runOnce()
    }
    const record = await findSubscription(bench.test.database, bench.instanceId, id)
    expect(record).toMatchObject({ failureCount: 0, failingSince: null })
  })

  test('is felt with one attempt at a time and a pause after five failures', async () => {
    let isWell = false
    const receiver = await bench.receive((_request, response) => response.writeHead(isWell ? 200 : 500).end())
    await bench.subscribeTo(receiver.url)
    for (let turn = 0; turn < 12; turn += 1) await bench.raise()
    const attempts = [await bench.dispatcher.runOnce(), await bench.dispatcher.runOnce()]
    bench.travel(31_000)
    attempts.push(await bench.dispatcher.runOnce())
    isWell = true
    bench.travel(31_000)
    attempts.push(await bench.dispatcher.runOnce(), await bench.dispatcher.runOnce())
    expect(attempts).toEqual([5, 0, 1, 1, 5])
  })

  test('that is busy gets the time it asks for, but no less than the plain wait', async () => {
    const asked = ['120', '1', 'nonsense']
    const receiver = await bench.receive((_request, response, count) =>
      response.writeHead(429, { 'retry-after': asked[count - 1] ?? '0' }).end(),
    )
    await bench.subscribeTo(receiver.url)
    await bench.raise()
    const waits: number[] = []
    let travelled = 0
    for (const _ of asked) {
      await bench.dispatcher.runOnce()
      const wait = await waitOf(travelled)
      waits.push(Math.round(wait / 10_000) * 10)
      bench.travel(wait + 1000)
      travelled += wait + 1000
    }
    expect(waits).toEqual([120, 300, 1800])
  })
})

describe('a dispatcher', () => {
  test('that stops finishes what it has begun', async () => {
    let answer = () => {}
    const receiver = await bench.receive((_request, response) => {
      answer = () => void response.end()
    })
    await bench.subscribeTo(receiver.url)
    await bench.raise()
    bench.dispatcher.start()
    await receiver.reached(1)
    const stopping = bench.dispatcher.stop()
    answer()
    await stopping
    expect(await deliveryRows()).toMatchObject([{ status: 'delivered' }])
  })

  test('rests while nothing is due', async () => {
    const receiver = await bench.receive()
    await bench.subscribeTo(receiver.url)
    let rounds = 0
    const isPaused = () => {
      rounds += 1
      return false
    }
    const log = { info: () => {}, warn: () => {}, error: () => {} }
    const dispatcher = new Dispatcher({ ...bench.deps, egress: bench.egress, log, isPaused })
    dispatcher.start()
    await bench.raise()
    await receiver.reached(1)
    const before = rounds
    for (let turn = 0; turn < 50; turn += 1) await bench.test.database.query('select 1')
    await dispatcher.stop()
    expect(rounds - before).toBeLessThan(6)
  })

  test('does not report addresses, bodies or secrets', async () => {
    const receiver = await bench.receive((_request, response) => response.writeHead(410).end('SECRET answer'))
    await bench.subscribeTo(`${receiver.url}/?token=SECRET`)
    await bench.raise()
    await bench.dispatcher.runOnce()
    expect(bench.reports.map(({ message }) => message)).toEqual(['webhook subscription disabled'])
    expect(JSON.stringify(bench.reports)).not.toMatch(/SECRET|owner@/)
  })

  test('reports a delivery that it cannot sign, by its ids, and makes those of others', async () => {
    const [lost, other] = [await bench.receive(), await bench.receive()]
    const { id: subscriptionId } = await bench.subscribeTo(lost.url)
    const otherInstance = await bench.newInstance()
    await bench.subscribeTo(other.url, 'NormalizedData', otherInstance)
    await bench.raise()
    await bench.raise('NormalizedData', otherInstance)
    await bench.test.database.query('delete from subscription_secrets where subscription_id = $1', [subscriptionId])
    await bench.dispatcher.runOnce()
    const { instanceId } = bench
    expect(bench.reports.map(({ level, fields: { deliveryId, err, ...ids } }) => [level, typeof deliveryId, err, ids])).toEqual([
      ['error', 'string', new Error('the subscription has no secret to sign with'), { instanceId, subscriptionId }],
    ])
    expect([lost.received.length, other.received.length]).toEqual([0, 1])
  })
})
