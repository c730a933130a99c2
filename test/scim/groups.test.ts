import { randomUUID } from 'node:crypto'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { beforeAll, describe, expect, it } from 'vitest'
import { openForTests } from '../harness/for-tests.ts'
import { bearerOf } from '../harness/test-api.ts'
import { GROUP, scimHarness } from './harness.ts'

const MEMBERS = 10_000

const api = openForTests(scimHarness)
const total = async (path: string) => (await api.scim('GET', `${path}?count=0`)).body.totalResults

describe('the role of a user', () => {
  it('follows the groups at once: joined, left, renamed, deleted, and when the roles of groups change', async () => {
    const { id } = await api.user()
    const right = async () => {
      const { role, isEnabled } = await api.account(id)
      return isEnabled ? role : null
    }
    const seen: (string | null)[] = [await right()]
    await api.giveRoles({ Finance: 'viewer', 'ext-it': 'developer' })
    const finance = await api.group('Finance', [id])
    seen.push(await right())
    const it = await api.group('IT', [id], { externalId: 'ext-it' })
    seen.push(await right())
    await api.patch(`/Groups/${it.id}`, { op: 'replace', path: 'externalId', value: 'other' })
    seen.push(await right())
    await api.patch(`/Groups/${it.id}`, { op: 'replace', path: 'externalId', value: 'ext-it' })
    await api.giveRoles({ Finance: 'viewer', 'ext-it': 'integration' })
    seen.push(await right())
    await api.scim('DELETE', `/Groups/${it.id}`)
    seen.push(await right())
    await api.patch(`/Groups/${finance.id}`, { op: 'remove', path: `members[value eq "${id}"]` })
    seen.push(await right())
    expect(seen).toEqual([null, 'viewer', 'developer', 'viewer', 'integration', 'viewer', null])
  })

  it('that changes ends the sessions with the one before', async () => {
    await api.giveRoles({ Ops: 'admin' })
    const { id, email } = await api.addUser({ role: 'viewer' })
    const headers = await bearerOf(api, email)
    await api.group('Ops', [id])
    api.moveClock(1_000)
    expect((await api.app.inject({ url: '/admin/api/v1/auth/me', headers })).statusCode).toBe(401)
    const again = await bearerOf(api, email)
    expect((await api.app.inject({ url: '/admin/api/v1/users', headers: again })).statusCode).toBe(200)
  })

  it('that an administrator gives by hand stays until the groups give another', async () => {
    await api.giveRoles({ Desk: 'viewer' })
    const { id } = await api.user()
    const set = async (role: string) =>
      await api.app.inject({
        method: 'PUT',
        url: `/admin/api/v1/users/${id}`,
        headers: await api.adminHeaders(),
        payload: { name: 'By Hand', role, isEnabled: true },
      })
    expect((await set('developer')).statusCode).toBe(200)
    await api.patch(`/Users/${id}`, { op: 'add', path: 'displayName', value: 'By Provider' })
    expect(await api.account(id)).toEqual({ email: expect.any(String), name: 'By Provider', role: 'developer', isEnabled: true })
    await api.group('Desk', [id])
    expect(await api.account(id)).toMatchObject({ role: 'viewer' })
  })

  it('cannot be taken from the last administrator by a change of the roles of groups', async () => {
    const own = await scimHarness()
    await own.giveRoles({ Bosses: 'admin' })
    await own.group('Bosses', [own.admin.id])
    const { id } = await own.user()
    await own.group('Others', [id])
    expect(await own.giveRoles({ Bosses: 'viewer', Others: 'developer' })).toBe(409)
    expect([await own.account(own.admin.id), await own.account(id)]).toMatchObject([{ role: 'admin' }, { isEnabled: false }])
    await own.close()
  })
})

describe('members', () => {
  it('that are not there yet are refused, and nothing changes', async () => {
    const { id } = await api.user()
    const stranger = (await api.addUser({ instanceId: await api.addInstance() })).id
    const before = await total('/Groups')
    for (const value of [randomUUID(), stranger]) {
      const refused = await api.scim('POST', '/Groups', { schemas: [GROUP], displayName: 'Early', members: [{ value: id }, { value }] })
      expect([refused.status, refused.body.scimType, refused.body.detail]).toEqual([
        400,
        'invalidValue',
        `No such user in this instance: ${value}. Add the user first.`,
      ])
    }
    expect([await total('/Groups'), (await api.scim('GET', `/Users/${id}`)).body.groups]).toEqual([before, undefined])
  })

  it('given twice are there once; one who is no member is removed without an error', async () => {
    const { id } = await api.user()
    const { id: groupId } = await api.group('Twice', [id, id.toUpperCase()])
    await api.patch(`/Groups/${groupId}`, { op: 'add', path: 'members', value: [{ value: id }] })
    expect((await api.scim('GET', `/Groups/${groupId}`)).body.members).toHaveLength(1)
    expect((await api.patch(`/Groups/${groupId}`, { op: 'remove', path: `members[value eq "${randomUUID()}"]` })).status).toBe(204)
  })

  it('a doubled POST of a group is 409, in any capitals', async () => {
    await api.group('Doubled')
    const { status, body } = await api.scim('POST', '/Groups', { schemas: [GROUP], displayName: 'DOUBLED' })
    expect([status, body.scimType]).toEqual([409, 'uniqueness'])
  })

  it('an ETag of before is refused, one of now is not', async () => {
    const { id } = await api.group('Tagged')
    const first = await api.scim('GET', `/Groups/${id}`)
    const headers = { 'if-match': String(first.headers.etag) }
    const rename = (displayName: string) => api.scim('PUT', `/Groups/${id}`, { schemas: [GROUP], displayName }, { headers })
    expect([(await rename('Tagged 2')).status, (await rename('Tagged 3')).status]).toEqual([200, 412])
    expect((await api.scim('GET', `/Groups/${id}`, undefined, { headers: { 'if-none-match': '*' } })).status).toBe(304)
  })
})

describe(`${MEMBERS} members`, () => {
  let ids: string[] = []
  beforeAll(async () => {
    await api.giveRoles({ Everybody: 'viewer', Nobody: 'developer' })
    const { rows } = await api.deps.database.query<{ id: string }>(
      `with made as (insert into users (instance_id, id, email, name, role, password_hash, created_at, updated_at, disabled_at)
         select $1, gen_random_uuid(), 'many-' || n || '@example.com', 'Member', 'viewer', 'x', now(), now(), now() from generate_series(1, $2) n returning id)
       , kept as (insert into scim_users (instance_id, user_id, user_name, user_name_key, attributes, is_active)
         select $1, id, id, id, '{}', true from made)
       select id from made`,
      [api.instanceId, MEMBERS],
    )
    ids = rows.map((row) => row.id)
  })

  it('get and lose a role in one request each, without holding up other requests, and each leaves an entry', async () => {
    const { id } = await api.group('Everybody')
    const usable = async () => {
      const { rows } = await api.deps.database.query<{ count: number }>(
        `select count(*)::int as count from users where email like 'many-%' and disabled_at is null`,
      )
      return rows[0]?.count
    }
    const delay = monitorEventLoopDelay({ resolution: 5 })
    delay.enable()
    const started = performance.now()
    const replaced = await api.scim('PUT', `/Groups/${id}`, {
      schemas: [GROUP],
      displayName: 'Everybody',
      members: ids.map((value) => ({ value })),
    })
    const tookMs = performance.now() - started
    delay.disable()
    expect([replaced.status, replaced.body.members?.length, await usable()]).toEqual([200, MEMBERS, MEMBERS])
    process.stdout.write(`${MEMBERS} members: ${Math.round(tookMs)} ms, event loop held up for at most ${Math.round(delay.max / 1e6)} ms\n`)
    const entries = await api.deps.database.query<{ count: number }>(
      `select count(*)::int as count from audit_entries where entry::json ->> 'action' = 'user.changed' and entry like '%"isEnabled":true%'`,
    )
    expect(entries.rows[0]?.count).toBeGreaterThanOrEqual(MEMBERS)
    expect((await api.patch(`/Groups/${id}`, { op: 'remove', path: 'members' })).status).toBe(204)
    expect(await usable()).toBe(0)
  }, 120_000)

  it('are the most: one more is refused, and so is a body of more than 1 MB', async () => {
    const members = [...ids, randomUUID()].map((value) => ({ value }))
    const more = await api.scim('POST', '/Groups', { schemas: [GROUP], displayName: 'Too many', members })
    expect([more.status, more.body.scimType, more.body.detail]).toEqual([400, 'invalidValue', 'members has more than 10000 values.'])
    const large = await api.scim('POST', '/Groups', { schemas: [GROUP], displayName: 'Large', pad: 'x'.repeat(1_048_576) })
    expect([large.status, large.body.detail]).toEqual([413, 'The body is too large.'])
  })

  it('are listed page by page, each once', async () => {
    const seen = new Set<string>()
    for (let start = 1; start <= MEMBERS; start += 200) {
      const { body } = await api.scim('GET', `/Users?startIndex=${start}&count=500&filter=${encodeURIComponent('emails.value sw "many-"')}`)
      expect([body.totalResults, body.startIndex, body.itemsPerPage]).toEqual([MEMBERS, start, 200])
      for (const { id } of body.Resources) seen.add(id)
    }
    expect(seen.size).toBe(MEMBERS)
  }, 120_000)
})
