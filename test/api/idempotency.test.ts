import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { openForTests } from '../harness/for-tests.ts'
import { openApiHarness } from './harness.ts'

const api = openForTests(openApiHarness)
const add = async (key: string | undefined, name: string, role: 'admin' | 'developer' = 'admin') =>
  await api.call('POST', '/normalized-data/company', { role, body: { name }, headers: key === undefined ? {} : { 'idempotency-key': key } })

async function count(name: string): Promise<number> {
  const { rows } = await api.syncHarness.deps.database.query('select from companies where name = $1', [name])
  return rows.length
}

describe('an Idempotency-Key', () => {
  it('makes a repeated request one, with the same status and bytes', async () => {
    const key = randomUUID()
    const [first, second] = [await add(key, 'Once'), await add(key, 'Once')]
    expect([second.statusCode, second.payload, second.headers['content-type']]).toEqual([201, first.payload, first.headers['content-type']])
    expect([first.headers['idempotent-replayed'], second.headers['idempotent-replayed'], await count('Once')]).toEqual([
      undefined,
      'true',
      1,
    ])
  })

  it('makes concurrent requests one', async () => {
    const key = randomUUID()
    const answers = await Promise.all(Array.from({ length: 12 }, () => add(key, 'At once')))
    expect([await count('At once'), answers.every(({ statusCode }) => statusCode === 201 || statusCode === 409)]).toEqual([1, true])
    expect(answers.some(({ statusCode }) => statusCode === 201)).toBe(true)
  })

  it('is refused with another body or another address', async () => {
    const key = randomUUID()
    await add(key, 'First')
    const other = await api.call('POST', '/jobs/dead/redrive', { body: { kind: 'sync' }, headers: { 'idempotency-key': key } })
    expect([(await add(key, 'Second')).statusCode, other.statusCode, await count('Second')]).toEqual([422, 422, 0])
  })

  it('belongs to one user', async () => {
    const key = randomUUID()
    await add(key, 'Shared key')
    expect([(await add(key, 'Shared key', 'developer')).statusCode, await count('Shared key')]).toEqual([201, 2])
  })

  it('stores no response in clear text, and returns a one-time secret again', async () => {
    const request = { body: { callbackUrl: 'https://hooks.example.com/kept' }, headers: { 'idempotency-key': randomUUID() } }
    const [first, second] = [
      await api.call('POST', '/webhooks/subscriptions/RawData', request),
      await api.call('POST', '/webhooks/subscriptions/RawData', request),
    ]
    const { secret = '' }: { secret?: string } = first.json()
    const { rows } = await api.syncHarness.deps.database.query<{ found: boolean }>(
      `select position($1::bytea in sealed) > 0 or t::text like '%' || $2 || '%' as found from idempotency_keys t`,
      [Buffer.from(secret), secret],
    )
    expect([second.payload, secret.startsWith('whsec_'), rows.some(({ found }) => found)]).toEqual([first.payload, true, false])
  })

  it('stores errors of the operation itself, but not of the input', async () => {
    const key = randomUUID()
    expect((await add(key, '')).statusCode).toBe(400)
    expect((await add(key, 'After a wrong one')).statusCode).toBe(201)
  })

  it('can be used again for the same request if the first failed with an internal error', async () => {
    const key = randomUUID()
    const { database } = api.syncHarness.deps
    await database.query(`alter table companies add constraint no_such_name check (name <> 'Failing')`)
    const failed = await add(key, 'Failing')
    await database.query('alter table companies drop constraint no_such_name')
    const other = await add(key, 'Another than the failing')
    const [again, repeated] = [await add(key, 'Failing'), await add(key, 'Failing')]
    expect([failed.statusCode, other.statusCode, again.statusCode, await count('Failing')]).toEqual([500, 422, 201, 1])
    expect([again.headers['idempotent-replayed'], repeated.payload, repeated.headers['idempotent-replayed']]).toEqual([
      undefined,
      again.payload,
      'true',
    ])
  })

  it.each(['/normalized-data/company', '/webhooks/subscriptions/RawData', '/webhooks/receivers', '/normalized-data/replays'])(
    'finds what was created at %s before the response was lost, and creates no second one',
    async (url) => {
      const body = {
        '/normalized-data/company': { name: 'Lost' },
        '/webhooks/subscriptions/RawData': { callbackUrl: 'https://hooks.example.com/lost' },
        '/webhooks/receivers': { event: 'RawData' },
      }[url] ?? { dryRun: true }
      const { database } = api.syncHarness.deps
      const request = { body, headers: { 'idempotency-key': randomUUID() } }
      const first = await api.call('POST', url, request)
      await database.query(
        `update idempotency_keys set status = null, sealed = null, leased_until = clock_timestamp()
         where id = (select id from idempotency_keys order by created_at desc limit 1)`,
      )
      const again = await api.call('POST', url, request)
      expect([again.statusCode, (again.json() as { id?: string }).id, again.headers['idempotent-replayed']]).toEqual([
        first.statusCode,
        (first.json() as { id?: string }).id,
        undefined,
      ])
    },
  )

  it('keeps the response headers too', async () => {
    const place = `/normalized-data/company/${api.syncHarness.companyId}/data-connection/${api.syncHarness.serviceId(api.books)}`
    const headers = { 'idempotency-key': randomUUID() }
    const [first, second] = [
      await api.call('POST', `${place}/refresh`, { headers }),
      await api.call('POST', `${place}/refresh`, { headers }),
    ]
    const compared = ({ headers: all }: typeof first) =>
      Object.entries(all)
        .filter(([name]) => !['x-request-id', 'date', 'idempotent-replayed'].includes(name))
        .sort()
    expect([second.payload, compared(second), second.headers['idempotent-replayed']]).toEqual([first.payload, compared(first), 'true'])
  })

  it('can be used again after a day', async () => {
    const key = randomUUID()
    await add(key, 'Daily')
    await api.syncHarness.deps.database.query(`update idempotency_keys set created_at = created_at - interval '24 hours'`)
    expect([(await add(key, 'Daily')).statusCode, await count('Daily')]).toEqual([201, 2])
  })

  it.each(['', 'x'.repeat(256), 'ü', 'a b'])('is refused if it is %j', async (key) => {
    expect((await add(key, 'Never')).statusCode).toBe(400)
  })
})
