import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { openForTests } from '../../../../test/harness/for-tests.ts'
import { bearerOf, testApi } from '../../../../test/harness/test-api.ts'
import { until } from '../../../../test/process/deadline.ts'
import { noteApiKeyUses } from '../../../store/access/api-keys.ts'
import { inTransaction } from '../../../store/db/database.ts'
import { createAccess } from '../access.ts'
import { addApiKey, endApiKey, rotateApiKey } from './api-keys.ts'
import { newApiKey } from './key-text.ts'
import type { Scope } from './scopes.ts'

const API = '/admin/api/v1'
const HOUR_MS = 3_600_000
const COMPANIES = `${API}/normalized-data/companies`

interface Issued {
  id: string
  applicationId: string
  key: string
  prefix: string
  expiresOn: string | null
}

describe('API keys', () => {
  const api = openForTests(() => testApi({ requestLimits: { perSession: 0, perInstance: 0, perNetwork: 0 }, accessTokenMinutes: 1440 }))
  let admin: { authorization: string }
  // A login is the proof of who makes a key.
  beforeEach(async () => {
    admin = await bearerOf(api, (await api.addUser()).email)
  })
  const post = (url: string, payload: object, headers = admin) => api.app.inject({ method: 'POST', url: API + url, payload, headers })
  const create = async (scopes: Scope[] = ['companies:read'], more: object = {}) =>
    (await post('/api-keys', { name: 'Nightly import', scopes, ...more })).json<Issued>()
  const rotate = (id: string, overlapHours: number) => post(`/api-keys/${id}/rotate`, { overlapHours })
  const revoke = (id: string) => api.app.inject({ method: 'DELETE', url: `${API}/api-keys/${id}`, headers: admin })
  const bearer = (key: string) => ({ authorization: `Bearer ${key}` })
  const ask = async (key: string, app = api.app) => (await app.inject({ url: COMPANIES, headers: bearer(key) })).statusCode

  it('are shown once, with the prefix by which they are listed afterwards', async () => {
    const { key, ...issued } = await create(['data:read', 'companies:read'], { expiresInDays: 90 })
    const shown = await api.app.inject({ url: `${API}/api-keys/${issued.id}`, headers: admin })
    expect(shown.json()).toEqual(issued)
    expect(issued).toMatchObject({
      ...{ name: 'Nightly import', scopes: ['data:read', 'companies:read'], state: 'active', applicationId: issued.id },
      ...{ expiresOn: '2027-02-18T12:00:00.000', lastUsedOn: null, revokedOn: null, replacedBy: null, prefix: key.slice(0, 16) },
    })
    const list = await api.app.inject({ url: `${API}/api-keys?FilterQuery=prefix=${issued.prefix}`, headers: admin })
    expect([list.json<{ data: unknown }>().data, list.payload.includes(key)]).toEqual([[issued], false])
  })

  it('open what their scopes name', async () => {
    const { key } = await create(['companies:write'])
    const made = await post('/normalized-data/company', { name: 'Maple Bakery' }, bearer(key))
    expect([made.statusCode, await ask(key)]).toEqual([201, 403])
  })

  it('are told which scope they lack', async () => {
    const { key } = await create(['companies:write'])
    const answer = await api.app.inject({ url: COMPANIES, headers: bearer(key) })
    expect([answer.statusCode, answer.json<{ detail: string }>().detail, answer.headers['www-authenticate']]).toEqual([
      403,
      'The API key lacks the scope companies:read.',
      'Bearer realm="api", error="insufficient_scope", scope="companies:read"',
    ])
  })

  it.each([
    ['a scope that does not exist', { name: 'Import', scopes: ['data:write'] }],
    ['no scope', { name: 'Import', scopes: [] }],
    ['a scope twice', { name: 'Import', scopes: ['data:read', 'data:read'] }],
    ['the scope of users', { name: 'Import', scopes: ['users'] }],
    ['a blank name', { name: ' ', scopes: ['data:read'] }],
    ['a life of no day', { name: 'Import', scopes: ['data:read'], expiresInDays: 0 }],
  ])('are not made with %s', async (_what, payload) => {
    const count = async () => (await api.deps.database.query('select from api_keys')).rowCount
    const before = await count()
    expect([(await post('/api-keys', payload)).statusCode, await count()]).toEqual([400, before])
  })

  it.each(['developer', 'integration', 'viewer'] as const)('are not for a %s to make', async (role) => {
    const headers = await bearerOf(api, (await api.addUser({ role })).email)
    expect((await post('/api-keys', { name: 'Import', scopes: ['data:read'] }, headers)).statusCode).toBe(403)
  })

  it('that are cut, unknown, expired or revoked are all refused alike, and like a token that is none', async () => {
    const cut = await create()
    const expired = await create(['companies:read'], { expiresInDays: 1 })
    const revoked = await create()
    await revoke(revoked.id)
    api.moveClock(24 * HOUR_MS)
    admin = await bearerOf(api, (await api.addUser()).email)
    const refused = [cut.key.slice(0, -1), newApiKey('live').text, expired.key, revoked.key, `${cut.key}x`, 'token']
    const answers = await Promise.all(refused.map((key) => api.app.inject({ url: COMPANIES, headers: bearer(key) })))
    const seen = answers.map(({ statusCode, headers, payload }) =>
      [statusCode, headers['www-authenticate'], payload.replace(/"requestId":"[^"]+"/, '')].join(' '),
    )
    expect([new Set(seen).size, answers[0]?.statusCode, await ask(cut.key)]).toEqual([1, 401, 200])
  })

  it('that are revoked are refused by another process within a second for reads, and at once for changes', async () => {
    const other = api.another()
    const { id, key } = await create(['companies:read', 'companies:write'])
    expect([await ask(key), await ask(key, other)]).toEqual([200, 200])
    expect([(await revoke(id)).statusCode, (await revoke(id)).statusCode]).toEqual([204, 204])
    const change = await other.inject({
      method: 'POST',
      url: `${API}/normalized-data/company`,
      payload: { name: 'Late' },
      headers: bearer(key),
    })
    api.moveClock(1_000)
    expect([change.statusCode, await ask(key, other), await ask(key)]).toEqual([401, 401, 401])
  })

  it('that are revoked stay refused when the list of what has ended has long forgotten them', async () => {
    const { id, key } = await create()
    await ask(key)
    await revoke(id)
    await api.deps.database.query('delete from ended_sessions where session_id = $1', [id])
    api.moveClock(HOUR_MS)
    expect(await ask(key)).toBe(401)
  })

  it('expire in a process that has just used them', async () => {
    const { key } = await create(['companies:read'], { expiresInDays: 1 })
    api.moveClock(24 * HOUR_MS - 1)
    const before = await ask(key)
    api.moveClock(1)
    expect([before, await ask(key)]).toEqual([200, 401])
  })

  it('that are rotated go on for the overlap, beside the new one, in every process', async () => {
    const other = api.another()
    const old = await create(['companies:read'], { expiresInDays: 30 })
    await ask(old.key, other)
    const next = (await rotate(old.id, 2)).json<Issued>()
    api.moveClock(2 * HOUR_MS - 1_000)
    const during = [await ask(old.key), await ask(old.key, other), await ask(next.key), await ask(next.key, other)]
    api.moveClock(1_000)
    expect([during, await ask(old.key), await ask(old.key, other), await ask(next.key)]).toEqual([[200, 200, 200, 200], 401, 401, 200])
    expect(next).toMatchObject({ name: 'Nightly import', scopes: ['companies:read'], applicationId: old.id, replacedBy: null })
  })

  it('that are rotated without an overlap end at once', async () => {
    const old = await create()
    await ask(old.key)
    const next = (await rotate(old.id, 0)).json<Issued>()
    api.moveClock(1_000)
    expect([await ask(old.key), await ask(next.key)]).toEqual([401, 200])
  })

  it('are rotated once, and not after their end, and a rotation lengthens no life', async () => {
    const twice = await create(['companies:read'], { expiresInDays: 1 })
    await rotate(twice.id, 720)
    const ended = await create()
    await revoke(ended.id)
    const shown = await api.app.inject({ url: `${API}/api-keys/${twice.id}`, headers: admin })
    expect(shown.json<Issued>().expiresOn).toBe(twice.expiresOn)
    expect([(await rotate(twice.id, 1)).statusCode, (await rotate(ended.id, 1)).statusCode]).toEqual([409, 409])
    expect((await rotate(randomUUID(), 1)).statusCode).toBe(404)
  })

  it('tell when they were last used, to the minute, written once a minute', async () => {
    const { id, key } = await create()
    const lastUse = async () =>
      (await api.app.inject({ url: `${API}/api-keys/${id}`, headers: admin })).json<{ lastUsedOn: string }>().lastUsedOn
    const rowVersion = async () =>
      (await api.deps.database.query<{ xmin: string }>('select xmin::text from api_keys where id = $1', [id])).rows[0]?.xmin
    const other = api.another()
    await Promise.all([ask(key), ask(key, other), ask(key)])
    await api.app.inject({ url: COMPANIES, headers: bearer(key) })
    // Closing writes what the process has noted.
    await other.close()
    const first = [await lastUse(), await rowVersion()]
    const again = api.another()
    await ask(key, again)
    await again.close()
    expect([await lastUse(), await rowVersion()]).toEqual(first)
    api.moveClock(60_000)
    const later = api.another()
    await ask(key, later)
    await later.close()
    expect(Date.parse(`${await lastUse()}Z`) - Date.parse(`${first[0]}Z`)).toBe(60_000)
  })

  async function adminCaller() {
    const { id: userId } = await api.addUser()
    const session = { sessionId: randomUUID(), keyId: null, provenAtMs: 0, lacksTwoStep: false }
    return { instanceId: api.instanceId, userId, role: 'admin', ...session } as const
  }

  it('that are made or rotated again, because the first answer was lost, are one key with a new text', async () => {
    const access = createAccess(api.deps)
    const caller = await adminCaller()
    const wanted = { id: randomUUID(), name: 'Twice', scopes: ['companies:read'] as Scope[], expiresInDays: null }
    const made = [await addApiKey(access, caller, wanted), await addApiKey(access, caller, wanted)]
    const next = { newId: randomUUID(), overlapHours: 0 }
    const rotated = [await rotateApiKey(access, caller, wanted.id, next), await rotateApiKey(access, caller, wanted.id, next)]
    const { rowCount } = await api.deps.database.query("select from api_keys where name = 'Twice'")
    const seen = await Promise.all([...made, ...rotated].map(({ text }) => ask(text)))
    expect([rowCount, seen]).toEqual([2, [401, 401, 401, 200]])
  })

  it('rotated again with an overlap are answered as stored: one that never expires has a successor that never does', async () => {
    const access = createAccess(api.deps)
    const caller = await adminCaller()
    const wanted = { id: randomUUID(), name: 'For ever', scopes: ['companies:read'] as Scope[], expiresInDays: null }
    await addApiKey(access, caller, wanted)
    const next = { newId: randomUUID(), overlapHours: 24 }
    const rotated = [await rotateApiKey(access, caller, wanted.id, next), await rotateApiKey(access, caller, wanted.id, next)]
    expect(rotated.map(({ key }) => key.expiresOn)).toEqual([null, null])
    await endApiKey(access, caller, next.newId)
    const { key } = await rotateApiKey(access, caller, wanted.id, next)
    expect(key.revokedOn).toEqual(expect.any(Date))
  })

  it('tell the later of two uses that two processes write at once', async () => {
    const { id } = await create()
    const { database } = api.deps
    const used = (minute: number) => [{ instanceId: api.instanceId, keyId: id, at: new Date(Date.UTC(2099, 0, 1, 0, minute)) }]
    let second: Promise<void> = Promise.resolve()
    await inTransaction(database, async (db) => {
      await noteApiKeyUses(db, used(1))
      second = noteApiKeyUses(database, used(2))
      const waiting = "select pid from pg_stat_activity where wait_event_type = 'Lock' and query like '%last_used_at = used.at%'"
      await until('the second waits for the first', async () => (await database.query(waiting)).rows[0] ?? null)
    })
    await second
    const { rows } = await database.query<{ at: Date }>('select last_used_at as at from api_keys where id = $1', [id])
    expect(rows[0]?.at.toISOString()).toBe('2099-01-01T00:02:00.000Z')
  })

  it('say whether their instance is for tests', async () => {
    const instanceId = await api.addInstance()
    await api.deps.database.query("update instances set kind = 'test' where id = $1", [instanceId])
    const headers = await bearerOf(api, (await api.addUser({ instanceId })).email)
    const { key } = (await post('/api-keys', { name: 'Test', scopes: ['companies:read'] }, headers)).json<Issued>()
    expect([key.slice(0, 8), (await create()).key.slice(0, 8), await ask(key)]).toEqual(['ch_test_', 'ch_live_', 200])
  })

  it('open nothing within a second of the suspension of their instance, and everything again after it', async () => {
    const instanceId = await api.addInstance()
    const headers = await bearerOf(api, (await api.addUser({ instanceId })).email)
    const { key } = (await post('/api-keys', { name: 'Import', scopes: ['companies:read'] }, headers)).json<Issued>()
    const before = await ask(key)
    await api.deps.database.query("insert into instance_suspensions (instance_id, reason) values ($1, 'unpaid')", [instanceId])
    api.moveClock(1_000)
    const during = await ask(key)
    await api.deps.database.query('delete from instance_suspensions where instance_id = $1', [instanceId])
    api.moveClock(1_000)
    expect([before, during, await ask(key)]).toEqual([200, 403, 200])
  })

  it('lie nowhere but as a hash: in no table, log line or error', async () => {
    const { id, key } = await create()
    await ask(key)
    await post('/normalized-data/company', { name: 'Refused' }, bearer(key))
    await rotate(id, 1)
    const secret = key.slice(16)
    const { rows } = await api.deps.database.query<{ name: string }>(
      "select relname as name from pg_class where relnamespace = current_schema()::regnamespace and relkind = 'r'",
    )
    const found: string[] = []
    for (const { name } of rows) {
      const { rows: texts } = await api.deps.database.query<{ text: string }>(`select t::text as text from ${name} t`)
      const hex = Buffer.from(secret).toString('hex')
      if (texts.some(({ text }) => text.includes(secret) || text.includes(hex))) found.push(name)
    }
    expect([rows.length > 30, found, api.logged.some((line) => line.includes(secret))]).toEqual([true, [], false])
  })
})
