import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { EgressError } from '../../src/egress/egress-error.ts'
import { Activity } from '../../src/jobs/activity.ts'
import { openDatabase } from '../../src/store/db/database.ts'
import { replayOneDelivery } from '../../src/webhooks/replay.ts'
import { placeEvents } from '../harness/app/place-events.ts'
import { until } from '../process/deadline.ts'
import { answerOf, openWebhookHarness, type WebhookHarness } from './harness.ts'

const ALL = { mayReadAudit: true }
const URL_OF_RECEIVER = 'https://receiver.example/in'
/** As in the dispatcher. */
const MOST_IN_FLIGHT = 400

let harness: WebhookHarness
beforeEach(async () => {
  harness = await openWebhookHarness()
})
afterEach(() => harness.close())

describe('an attempt', () => {
  test('is a bounded request to the address of its subscription, to public networks only', async () => {
    await harness.subscribeTo(URL_OF_RECEIVER)
    const id = await harness.raise()
    await harness.openStubbed(async () => answerOf(200)).runOnce()
    expect(harness.sent).toEqual([
      {
        ...{ method: 'POST', url: URL_OF_RECEIVER, timeoutMs: 15_000, maxBytes: 65_536, allowPrivate: false, body: expect.any(String) },
        headers: {
          ...{ 'content-type': 'application/json', 'accept-encoding': 'identity', 'user-agent': 'Countinghouse' },
          ...{ 'webhook-id': `evt_${id}`, 'webhook-timestamp': expect.any(String), 'webhook-signature': expect.stringMatching(/^v1,/) },
        },
      },
    ])
  })

  test('is reported by its result, with the delay of the first success only', async () => {
    await harness.subscribeTo(URL_OF_RECEIVER)
    await harness.raise()
    let status = 500
    let aheadMs = 0
    const dispatcher = harness.openStubbed(async () => answerOf(status), { clock: { aheadMs: () => aheadMs }, random: () => 0 })
    await dispatcher.runOnce()
    status = 200
    aheadMs = 10_000
    await dispatcher.runOnce()
    await replayOneDelivery(harness.deps, harness.instanceId, (await harness.deliveries())[0]?.id ?? '', ALL)
    await dispatcher.runOnce()
    expect(harness.attempts).toEqual([
      { result: 'retried', isTimed: false },
      { result: 'delivered', isTimed: true },
      { result: 'delivered', isTimed: false },
    ])
  })

  test.each([
    [410, 0, 'gone'],
    [500, 9, 'failed'],
    [500, 8, 'retried'],
  ])('with the answer %i after %i others is reported as %s', async (status, step, result) => {
    await harness.subscribeTo(URL_OF_RECEIVER)
    await harness.raise()
    await placeEvents(harness.test.database, harness.instanceId)
    await harness.test.database.query('update deliveries set step = $1', [step])
    await harness.openStubbed(async () => answerOf(status)).runOnce()
    expect(harness.attempts).toEqual([{ result, isTimed: false }])
  })

  test('without an answer is kept with the reason, by our own words', async () => {
    await harness.subscribeTo(URL_OF_RECEIVER)
    await harness.raise()
    const dispatcher = harness.openStubbed(() => Promise.reject(new EgressError('timeout', new Error('to 10.0.0.1'))))
    await dispatcher.runOnce()
    expect(
      (await harness.deliveries()).map(({ status, attempts }) => [status, attempts.map(({ error, httpStatus }) => [error, httpStatus])]),
    ).toEqual([['pending', [['no complete answer in time', null]]]])
  })

  test('that fails by a fault of ours is logged by its ids and made again when its lease has ended', async () => {
    const { id: subscriptionId } = await harness.subscribeTo(URL_OF_RECEIVER)
    await harness.raise()
    const fault = new TypeError('a fault')
    expect(await harness.openStubbed(() => Promise.reject(fault)).runOnce()).toBe(1)
    const [delivery] = await harness.deliveries()
    const fields = { instanceId: harness.instanceId, subscriptionId, deliveryId: delivery?.id, err: fault }
    expect(harness.reports).toEqual([{ level: 'error', message: 'webhook dispatch failed', fields }])
    const sound = () => harness.openStubbed(async () => answerOf(200)).runOnce()
    expect(await sound()).toBe(0)
    await harness.test.database.query(`update deliveries set leased_until = clock_timestamp() - interval '1 second'`)
    expect([await sound(), (await harness.deliveries())[0]?.status]).toEqual([1, 'delivered'])
  })

  test('that has outlived its claim changes nothing, is logged and not reported', async () => {
    const { id: subscriptionId } = await harness.subscribeTo(URL_OF_RECEIVER)
    await harness.raise()
    await harness
      .openStubbed(async () => {
        const take = async () => (await harness.test.database.query('update deliveries set lease = $1', [randomUUID()])).rowCount
        await until('the claim is committed', async () => ((await take()) === 1 ? true : null))
        return answerOf(410)
      })
      .runOnce()
    const [delivery] = await harness.deliveries()
    const fields = { instanceId: harness.instanceId, subscriptionId, deliveryId: delivery?.id, httpStatus: 410, error: null }
    const message = 'a webhook attempt outlived its claim; it will be made again'
    expect([harness.reports, harness.attempts, delivery?.status]).toEqual([[{ level: 'warn', message, fields }], [], 'pending'])
  })
})

/** A pause that begins after so many looks at it. */
function pausedAfter(looks: number): () => boolean {
  let count = 0
  return () => {
    count += 1
    return count > looks
  }
}

test('a dispatcher reports the loss of the session in which it hears of events, and listens in another', async () => {
  const sessions = openDatabase(harness.test.url)
  const dispatcher = harness.openStubbed(async () => answerOf(200), { database: sessions })
  dispatcher.start()
  const pidOf = async (other: number | null) => {
    const { rows } = await harness.test.database.query<{ pid: number }>(
      `select pid from pg_stat_activity where datname = current_database() and query = 'listen events' and state = 'idle'`,
    )
    return rows[0] && rows[0].pid !== other ? rows[0].pid : null
  }
  const pid = await until('a session', () => pidOf(null))
  await harness.test.database.query('select pg_terminate_backend($1::int, 10000)', [pid])
  await until('another session', () => pidOf(pid))
  await dispatcher.stop()
  await sessions.end()
  const { level, message, fields } = harness.reports[0] ?? {}
  expect([level, message, fields?.err]).toEqual(['error', 'webhook wake-up failed', expect.any(Error)])
})

describe('a round', () => {
  test('places and sends nothing while the deployment is paused, and ends when a pause begins', async () => {
    await harness.subscribeTo(URL_OF_RECEIVER)
    await harness.raise()
    for (const looks of [0, 1])
      expect(await harness.openStubbed(async () => answerOf(200), { isPaused: pausedAfter(looks) }).runOnce()).toBe(0)
    expect([harness.sent, await harness.deliveries()]).toEqual([[], []])
  })

  test('passes its crash points in order', async () => {
    await harness.subscribeTo(URL_OF_RECEIVER)
    await harness.raise()
    const passed: string[] = []
    const crashPoint = async (name: string) => void passed.push(name)
    await harness.openStubbed(async () => answerOf(200), { crashPoint }).runOnce()
    expect(passed).toEqual(['after-place-before-commit', 'after-claim-before-send', 'after-send-before-mark', 'after-mark'])
  })

  test('is a sign of work when there is any', async () => {
    const activity = new Activity()
    let signs = 0
    activity.onWork(() => {
      signs += 1
    })
    await harness.subscribeTo(URL_OF_RECEIVER)
    const dispatcher = harness.openStubbed(async () => answerOf(200), { activity })
    await dispatcher.runOnce()
    expect(signs).toBe(0)
    await harness.raise()
    await dispatcher.runOnce()
    expect(signs).toBe(1)
  })

  test('of an instance whose events cannot be placed is logged, and the others get theirs', async () => {
    const other = await harness.newInstance()
    for (const instanceId of [harness.instanceId, other]) {
      await harness.subscribeTo(`${URL_OF_RECEIVER}/${instanceId}`, 'NormalizedData', instanceId)
      await harness.raise('NormalizedData', instanceId)
    }
    await failAppending(harness.instanceId)
    expect(await harness.openStubbed(async () => answerOf(200)).runOnce()).toBe(1)
    expect(harness.sent.map(({ url }) => url)).toEqual([`${URL_OF_RECEIVER}/${other}`])
    expect(harness.reports.map(({ level, message, fields }) => [level, message, fields.instanceId])).toEqual([
      // Together with the claim, and by itself.
      ['error', 'webhook dispatch failed', harness.instanceId],
      ['error', 'webhook dispatch failed', harness.instanceId],
    ])
  })

  test('of an instance whose events cannot be placed sends what is due for it', async () => {
    await harness.subscribeTo(URL_OF_RECEIVER)
    await harness.raise()
    await placeEvents(harness.test.database, harness.instanceId)
    await harness.raise()
    await failAppending(harness.instanceId)
    expect(await harness.openStubbed(async () => answerOf(200)).runOnce()).toBe(1)
    expect((await harness.deliveries()).map(({ status }) => status)).toEqual(['delivered'])
  })

  test('of an instance whose deliveries cannot be claimed places its events', async () => {
    await harness.subscribeTo(URL_OF_RECEIVER)
    await harness.raise()
    const crashPoint = async (name: string) => {
      if (name === 'after-claim-before-send') throw new Error('no room')
    }
    expect(await harness.openStubbed(async () => answerOf(200), { crashPoint }).runOnce()).toBe(0)
    expect([harness.sent, (await harness.deliveries()).map(({ status }) => status)]).toEqual([[], ['pending']])
  })
})

/** Lets each change of an instance's feed fail. */
async function failAppending(instanceId: string): Promise<void> {
  const { database } = harness.test
  await database.query(`create function fail_appending() returns trigger language plpgsql as $$ begin raise 'no room'; end $$`)
  await database.query(`create trigger fail_appending before update on event_feeds for each row
    when (old.instance_id = '${instanceId}') execute function fail_appending()`)
}

test(`at most ${MOST_IN_FLIGHT} attempts are under way, and the others follow as these end`, async () => {
  const urls = Array.from({ length: MOST_IN_FLIGHT / 5 + 1 }, (_, index) => `${URL_OF_RECEIVER}/${index}`)
  for (const url of urls) await harness.subscribeTo(url)
  for (let turn = 0; turn < 5; turn += 1) await harness.raise()
  const answered = Promise.withResolvers<void>()
  const dispatcher = harness.openStubbed(async () => {
    await answered.promise
    return answerOf(200)
  })
  const notify = async (): Promise<null> => {
    await harness.test.database.query(`select pg_notify('events', '')`)
    return null
  }
  dispatcher.start()
  await until('the most', async () => (harness.sent.length >= MOST_IN_FLIGHT ? true : await notify()))
  await notify()
  // Time for a round, if there still were room.
  await harness.test.database.query('select pg_sleep(0.1)')
  expect(harness.sent).toHaveLength(MOST_IN_FLIGHT)
  answered.resolve()
  await until('the others', () => (harness.sent.length === urls.length * 5 ? true : null))
  await dispatcher.stop()
})
