import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { pruneEvents } from '../../src/webhooks/retention.ts'
import { addInstance } from '../harness/app/tenants.ts'
import { databaseForTests } from '../harness/for-tests.ts'

const at = databaseForTests()
let instances: string[]

/** Adds two instances with so many events, attempts and requests to a receiver of each age, in no partition. */
async function record(count: number, ages: { event: string; attempt: string; request: string }): Promise<void> {
  for (const instanceId of instances) {
    await at.database.query(
      `insert into events (instance_id, id, kind, company_id, service_id, session_id, dedupe_key, body, created_at)
       select $1, gen_random_uuid(), 'NormalizedData', $2, $2, $2, gen_random_uuid()::text, '{}', now() - $4::interval from generate_series(1, $3::int)`,
      [instanceId, randomUUID(), count, ages.event],
    )
    await at.database.query(
      `insert into delivery_attempts (instance_id, delivery_id, number, started_at, duration_ms)
       select $1, $2, n, now() - $4::interval, 1 from generate_series(1, $3::int) n`,
      [instanceId, randomUUID(), count, ages.attempt],
    )
    await at.database.query(
      `with subscribed as (insert into subscriptions (instance_id, id, event, callback_url)
           values ($1, $2, 'NormalizedData', 'https://a.example/' || $2::uuid) returning instance_id, id),
         opened as (insert into receivers (instance_id, id, subscription_id, token_hash)
           select instance_id, id, id, convert_to(id::text, 'UTF8') from subscribed returning instance_id, id)
       insert into receiver_requests (instance_id, receiver_id, id, received_at, headers, body, checks, answered)
       select instance_id, id, gen_random_uuid(), now() - $4::interval, '{}', '', '{}', 204 from opened, generate_series(1, $3::int)`,
      [instanceId, randomUUID(), count, ages.request],
    )
  }
  await at.database.query('delete from event_keys')
}
const EXPIRED = { event: '91 days', attempt: '31 days', request: '8 days' }

beforeEach(async () => {
  await at.database.query('truncate instances, events, delivery_attempts cascade')
  instances = [await addInstance(at.database), await addInstance(at.database)]
})

/** What is left of each instance. */
async function left(): Promise<Record<string, number>[]> {
  const tables = ['events', 'delivery_attempts', 'receiver_requests']
  const found: Record<string, number>[] = []
  for (const instanceId of instances) {
    const counts: [string, number][] = []
    for (const table of tables)
      counts.push([table, (await at.database.query(`select from ${table} where instance_id = $1`, [instanceId])).rowCount ?? 0])
    found.push(Object.fromEntries(counts))
  }
  return found
}

const of = (events: number, attempts: number, requests: number) => ({
  events,
  delivery_attempts: attempts,
  receiver_requests: requests,
})

describe('retention of what is in no partition', () => {
  it('deletes events after 90 days, attempts after 30, and requests after 7, and none before', async () => {
    await record(3, { event: '89 days 23 hours', attempt: '29 days 23 hours', request: '6 days 23 hours' })
    await record(2, { event: '90 days 1 minute', attempt: '30 days 1 minute', request: '7 days 1 minute' })
    await pruneEvents(at.database)
    expect(await left()).toEqual([of(3, 3, 3), of(3, 3, 3)])
  })

  it('works in batches until one is not full, a hundred at most of each instance', async () => {
    await record(102, EXPIRED)
    await pruneEvents(at.database, () => false, 1)
    expect(await left()).toEqual([of(2, 2, 0), of(2, 2, 0)])
    await pruneEvents(at.database, undefined, 1)
    expect(await left()).toEqual([of(0, 0, 0), of(0, 0, 0)])
  })

  it('ends after the batch in which the process stops, before the next instance', async () => {
    await record(3, EXPIRED)
    let questions = 0
    // Asked before each batch: of keys of events, of which there are none, and then of attempts.
    const isStopping = () => {
      questions += 1
      return questions >= 3
    }
    await pruneEvents(at.database, isStopping, 1)
    const found = await left()
    expect(found.sort((a, b) => (a.delivery_attempts ?? 0) - (b.delivery_attempts ?? 0))).toEqual([of(3, 2, 0), of(3, 3, 3)])
  })
})
