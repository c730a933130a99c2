import type { ServerResponse } from 'node:http'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { replayToSubscription } from '../../src/webhooks/replay.ts'
import { DELAYS_MS } from '../../src/webhooks/schedule.ts'
import { effort } from '../prove/effort.ts'
import { reportFigure } from '../prove/figures.ts'
import { openWebhookHarness, type WebhookHarness } from './harness.ts'

const HOUR = 3_600_000

let harness: WebhookHarness

beforeEach(async () => {
  harness = await openWebhookHarness()
})
afterEach(() => harness.close())

/** A number from 0 to 1, the same in every run, so that a failure is reproducible. */
function seeded(): () => number {
  let state = 20_261_120
  return () => {
    state = (state * 16_807) % 2_147_483_647
    return state / 2_147_483_647
  }
}

const FAILURES: ((response: ServerResponse) => void)[] = [
  (response) => void response.writeHead(500).end(),
  (response) => void response.destroy(),
  (response) => void response.writeHead(429, { 'retry-after': '60' }).end(),
  (response) => void response.writeHead(404).end('not deployed yet'),
]

describe('a receiver that fails nine times out of ten, slowly or by reset, for 72 hours', () => {
  test('gets every event in the end, never earlier than the schedule says', { timeout: 900_000 }, async () => {
    const random = seeded()
    let elapsedMs = 0
    const receiver = await harness.receive((_request, response) => {
      const isWell = elapsedMs >= 72 * HOUR || random() < 0.1
      const fail = FAILURES[Math.floor(random() * FAILURES.length)]
      const answer = (): void => void (isWell ? response.end() : fail?.(response))
      if (random() < 0.2) setImmediate(answer)
      else answer()
    })
    const { id } = await harness.subscribeTo(receiver.url)
    const pass = (ms: number): void => {
      elapsedMs += ms
      harness.travel(ms)
    }

    const events: string[] = []
    const raiseAt = Array.from({ length: effort.flakyEvents }, (_, event) => (event % 3 === 0 ? 0 : random() * 72 * HOUR)).toSorted(
      (a, b) => a - b,
    )
    for (let waitMs: number | null = 0; waitMs !== null || raiseAt.length > 0; ) {
      const untilRaise = (raiseAt[0] ?? Number.POSITIVE_INFINITY) - elapsedMs
      pass(Math.max(0, Math.min(waitMs ?? Number.POSITIVE_INFINITY, untilRaise)))
      if (untilRaise <= 0 || elapsedMs >= (raiseAt[0] ?? Number.POSITIVE_INFINITY)) {
        raiseAt.shift()
        events.push(await harness.raise())
      }
      await harness.dispatcher.runOnce()
      waitMs = await nextDueInMs(elapsedMs)
    }
    const statuses = await countStatuses()
    reportFigure(`events of 72 h, nine attempts of ten failing`, events.length)
    reportFigure('  delivered by the schedule alone, before a replay', statuses.delivered ?? 0)

    // Deliveries that used up their ten attempts during the outage are replayed with one call.
    const replayed = await replayToSubscription(harness.deps, harness.instanceId, id, { events: 'undelivered', since: new Date(0) })
    expect(replayed).toBe(statuses.failed ?? 0)
    while ((await harness.dispatcher.runOnce()) > 0);
    expect(await countStatuses()).toEqual({ delivered: events.length })
    expect(new Set(receiver.received.map(({ identifier }) => identifier.split('.')[1]))).toEqual(new Set(events))
    expect(await tooEarly()).toEqual([])
  })
})

/** Time until the next attempt is due; null if nothing is pending. */
async function nextDueInMs(elapsedMs: number): Promise<number | null> {
  const { rows } = await harness.test.database.query<{ inMs: number | null }>(
    `select (extract(epoch from min(greatest(d.due_at, s.paused_until)) - clock_timestamp()) * 1000)::float8 as "inMs"
     from deliveries d join subscriptions s on s.id = d.subscription_id where d.status = 'pending'`,
  )
  const inMs = rows[0]?.inMs ?? null
  return inMs === null ? null : Math.max(1, inMs - elapsedMs)
}

async function countStatuses(): Promise<Record<string, number>> {
  const { rows } = await harness.test.database.query<{ status: string; count: number }>(
    'select status, count(*)::int as count from deliveries group by status',
  )
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]))
}

/** Attempts of the first schedule made before four fifths of their wait had passed. */
async function tooEarly(): Promise<unknown[]> {
  const { rows } = await harness.test.database.query(
    `select * from (
       select number, extract(epoch from started_at - lag(started_at) over (partition by delivery_id order by number)) * 1000 as waited
       from delivery_attempts) a
     where number <= 10 and waited < 0.8 * ($1::float8[])[number] - 1000`,
    [DELAYS_MS],
  )
  return rows
}
