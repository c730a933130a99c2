import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { pruneEvents } from '../../src/webhooks/retention.ts'
import { addInstance } from '../harness/app/tenants.ts'
import { databaseForTests } from '../harness/for-tests.ts'

const at = databaseForTests()
/** Tables that grow with each sync, and lose rows by age. */
const LARGE = ['audit_entries', 'deliveries', 'delivery_attempts', 'event_keys', 'events', 'raw_pages', 'record_versions', 'sync_runs']

it('are vacuumed when a fiftieth of their rows is dead', async () => {
  const { rows } = await at.database.query<{ name: string }>(
    `select c.relname as name from pg_class c left join pg_class t on t.oid = c.reltoastrelid
     where 'autovacuum_vacuum_scale_factor=0.02' = any (c.reloptions)
       and (c.relname <> 'raw_pages' or 'autovacuum_vacuum_scale_factor=0.02' = any (t.reloptions))
       and c.relkind = 'r' order by 1`,
  )
  expect(rows.map(({ name }) => name)).toEqual(LARGE)
})

it('lose all expired events in one round, however many there are, and no others', async () => {
  const { database } = at
  const instanceId = await addInstance(database)
  const subscriptionId = randomUUID()
  await database.query(
    `insert into subscriptions (instance_id, id, event, callback_url) values ($1, $2, 'NormalizedData', 'https://a.example')`,
    [instanceId, subscriptionId],
  )
  await database.query(
    `insert into events (instance_id, id, kind, company_id, service_id, session_id, dedupe_key, body, position, created_at)
     select $1, gen_random_uuid(), 'NormalizedData', $1, $1, $1, n::text, '{}', n, now() - make_interval(days => case when n <= 23 then 91 else 89 end)
     from generate_series(1, 30) n`,
    [instanceId],
  )
  await database.query(
    `insert into deliveries (instance_id, event_id, subscription_id, created_at) select $1, id, $2, created_at from events where instance_id = $1`,
    [instanceId, subscriptionId],
  )
  await database.query(
    `insert into delivery_attempts (instance_id, delivery_id, number, started_at, duration_ms) select $1, id, 1, created_at, 1 from deliveries`,
    [instanceId],
  )
  await pruneEvents(database, () => false, 5)
  const { rows } = await database.query(
    `select (select count(*)::int from events) as events, (select count(*)::int from deliveries) as deliveries,
       (select count(*)::int from delivery_attempts) as attempts`,
  )
  expect(rows).toEqual([{ events: 7, deliveries: 7, attempts: 0 }])
})

it('events and deliveries are written without naming an index, which a partition need not have', () => {
  const folder = resolve(import.meta.dirname, '..', '..', 'src', 'store')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))
  const texts = files.map((name) => readFileSync(join(folder, name), 'utf8'))
  const writing = texts.flatMap((text) =>
    [...text.matchAll(/insert into (?:events|deliveries|delivery_attempts)\b[^`]*/g)].map(([sql]) => sql),
  )
  expect(writing.length).toBeGreaterThanOrEqual(5)
  expect(writing.filter((sql) => /on conflict \(/.test(sql))).toEqual([])
})
