import { describe, expect, it } from 'vitest'
import { openForTests } from '../../../../test/harness/for-tests.ts'
import { bearerOf, logInAt, PASSWORD, testApi } from '../../../../test/harness/test-api.ts'
import { until } from '../../../../test/process/deadline.ts'
import { inTransaction } from '../../../store/db/database.ts'

/** Backends of this database that wait for a lock. */
const WAITING = `select count(*)::int as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`

describe('users of an instance', () => {
  const api = openForTests(testApi)
  const boss = openForTests(() => api.addUser())
  const headers = openForTests(() => bearerOf(api, boss.email))
  const call = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, payload?: object, with_ = headers) =>
    api.app.inject({ method, url: `/admin/api/v1${path}`, headers: with_, ...(payload ? { payload } : {}) })
  const account = (email: string) => ({ email, name: 'Noor Haddad', role: 'viewer', password: 'orchard-lantern-58-mist' })

  it('are added, read, changed and deleted', async () => {
    const added = await call('POST', '/users', account('Noor@Example.com'))
    const { id } = added.json<{ id: string }>()
    const read = await call('GET', `/users/${id}`)
    const changed = await call('PUT', `/users/${id}`, { name: 'Noor H.', role: 'developer', isEnabled: true })
    const deleted = await call('DELETE', `/users/${id}`)
    const gone = await call('GET', `/users/${id}`)
    expect([added, read, changed, deleted, gone].map((answer) => answer.statusCode)).toEqual([201, 200, 200, 204, 404])
    expect(read.json()).toEqual({
      id,
      email: 'noor@example.com',
      emailProvenOn: null,
      name: 'Noor Haddad',
      role: 'viewer',
      isEnabled: true,
      twoStepVerify: false,
      isFromProvider: false,
      createdOn: '2026-11-20T12:00:00.000',
      updatedOn: '2026-11-20T12:00:00.000',
    })
  })

  it.each([
    [
      'signed in with the identity provider',
      `insert into provider_identities (instance_id, issuer, subject, user_id, created_at) values ($1, 'https://id.example.com', $2::uuid::text, $2, now())`,
    ],
    [
      'was named by SCIM',
      `insert into scim_users (instance_id, user_id, user_name, user_name_key, attributes, is_active) values ($1, $2, 'noor', $2::uuid::text, '{}', true)`,
    ],
  ])('one who %s is marked in the list', async (_what, statement) => {
    const { id } = await api.addUser()
    await api.deps.database.query(statement, [api.instanceId, id])
    const { data } = (await call('GET', '/users?PageSize=100')).json<{ data: { id: string; isFromProvider: boolean }[] }>()
    expect([data.find((user) => user.id === id)?.isFromProvider, data.find((user) => user.id === boss.id)?.isFromProvider]).toEqual([
      true,
      false,
    ])
  })

  it('are in the audit as they were when they were deleted, not when somebody asked for it', async () => {
    const { id } = (await call('POST', '/users', account('late@example.com'))).json<{ id: string }>()
    const deletion = await inTransaction(api.deps.database, async (db) => {
      await db.query('select from instances where id = $1 for no key update', [api.instanceId])
      await db.query(`update users set role = 'developer' where id = $1`, [id])
      const asked = call('DELETE', `/users/${id}`).then((answer) => answer.statusCode)
      await until('the deletion to wait', async () =>
        (await api.deps.database.query<{ count: number }>(WAITING)).rows[0]?.count ? true : null,
      )
      return { asked }
    })
    expect(await deletion.asked).toBe(204)
    const { rows } = await api.deps.database.query<{ entry: string }>(
      `select entry from audit_entries where entry like '%user.deleted%' and entry like $1`,
      [`%user/${id}%`],
    )
    expect(rows.map(({ entry }) => JSON.parse(entry))).toEqual([
      expect.objectContaining({ before: expect.objectContaining({ role: 'developer' }) }),
    ])
  })

  it('are listed by page with the total and the neighbours', async () => {
    const own = await testApi()
    const first = await own.addUser({ email: 'a00@example.com' })
    for (let index = 1; index < 23; index += 1)
      await own.deps.database.query(INSERT, [own.instanceId, `a${String(index).padStart(2, '0')}@example.com`])
    const with_ = await bearerOf(own, first.email)
    const response = await own.app.inject({ url: '/admin/api/v1/users?pagenumber=2&PageSize=10&OrderBy=email', headers: with_ })
    await own.close()
    const { data, ...envelope } = response.json<{ data: { email: string }[] }>()
    expect(envelope).toEqual({ pageNumber: 2, pageSize: 10, count: 10 })
    expect(data[0]?.email).toBe('a10@example.com')
    expect(response.headers['x-total-count']).toBe('23')
    expect(response.headers.link).toContain('PageNumber=3&PageSize=10&OrderBy=email')
    expect(String(response.headers.link).match(/rel="\w+"/g)).toEqual(['rel="first"', 'rel="prev"', 'rel="next"', 'rel="last"'])
  })

  it('of another instance look unknown, byte for byte', async () => {
    const foreign = await api.addUser({ instanceId: await api.addInstance() })
    const bodies = { GET: undefined, PUT: { name: 'x', role: 'viewer', isEnabled: true }, DELETE: undefined }
    for (const [method, payload] of Object.entries(bodies)) {
      const answers = await Promise.all(
        [foreign.id, '3f2504e0-4f89-41d3-9a0c-0305e82c3301'].map((id) => call(method as 'GET', `/users/${id}`, payload)),
      )
      const [own, random] = answers.map((answer) => `${answer.statusCode} ${answer.body.replace(/"requestId":"[^"]+"/, '')}`)
      expect([own?.slice(0, 3), own]).toEqual(['404', random])
    }
    expect((await logInAt(api.app, foreign.email)).statusCode).toBe(200)
  })

  it('cannot have the address of a user of any instance', async () => {
    const foreign = await api.addUser({ instanceId: await api.addInstance() })
    expect((await call('POST', '/users', account(foreign.email.toUpperCase()))).statusCode).toBe(409)
  })

  it.each([
    ['password123'],
    ['P4$$w0rd!!'],
    ['aaaaaaaaaa'],
    ['abcabcabcabc'],
    ['12345678'],
    ['qwertyuiop'],
    ['Countinghouse2026'],
    ['Summer2026!'],
    ['noor.haddad@example.com'],
    ['haddad99'],
    ['short'],
  ])('cannot have the password %s', async (password) => {
    const response = await call('POST', '/users', { ...account('noor.haddad@example.com'), password })
    expect([response.statusCode, response.json<{ errors: { field: string }[] }>().errors[0]?.field]).toEqual([400, 'password'])
  })

  it.each([
    ['small letters alone', 'mangrovekestreltundra'],
    ['figures alone', '90748813526417'],
    ['64 characters', 'every good boy deserves fruit, and so do all the others of us too'.slice(0, 64)],
    ['1,024 characters', `mangrove-kestrel-tundra-${'kestrel-'.repeat(125)}`],
    ['letters of another script and blanks', ' 潮風 la nuit ñandú '],
  ])('can have a password of %s, and log in with it', async (what, password) => {
    const email = `${what.replace(/\W/g, '')}@example.com`
    expect((await call('POST', '/users', { ...account(email), password })).statusCode).toBe(201)
    expect((await logInAt(api.app, email, password)).statusCode).toBe(200)
    expect((await logInAt(api.app, email, password.slice(0, -1))).statusCode).toBe(401)
  })

  it.each(['tenantId', 'instanceId', 'id', 'isAdmin', 'passwordHash', 'twoStepVerify'])('cannot be given %s', async (name) => {
    const response = await call('POST', '/users', { ...account('mallory@example.com'), [name]: true })
    expect([response.statusCode, response.json<{ errors: unknown[] }>().errors]).toEqual([
      400,
      [{ field: name, message: 'is not a known property' }],
    ])
  })

  it('lose their sessions with a new role, a new password, and when disabled', async () => {
    const outcomes: number[] = []
    for (const change of [{ role: 'viewer' }, { password: 'orchard-lantern-58-mist' }, { isEnabled: false }]) {
      const user = await api.addUser({ role: 'developer' })
      const with_ = await bearerOf(api, user.email)
      await call('PUT', `/users/${user.id}`, { name: 'x', role: 'developer', isEnabled: true, ...change })
      api.moveClock(5_000)
      outcomes.push((await call('GET', '/auth/me', undefined, with_)).statusCode)
    }
    expect(outcomes).toEqual([401, 401, 401])
  })

  const REMOVALS = {
    delete: (id: string, with_: { authorization: string }) => call('DELETE', `/users/${id}`, undefined, with_),
    demote: (id: string, with_: { authorization: string }) =>
      call('PUT', `/users/${id}`, { name: 'x', role: 'viewer', isEnabled: true }, with_),
  }

  it.each([
    ['delete', 'delete'],
    ['delete', 'demote'],
    ['demote', 'demote'],
  ] as const)('keep one admin, even when two remove each other at once: %s and %s', async (...removals) => {
    const instanceId = await api.addInstance()
    const pair = [await api.addUser({ instanceId }), await api.addUser({ instanceId })]
    const tokens = await Promise.all(pair.map((user) => bearerOf(api, user.email)))
    const { database } = api.deps
    // Both are past authentication before either may go on.
    const answers = await inTransaction(database, async (db) => {
      await db.query('select 1 from instances where id = $1 for update', [instanceId])
      const requests = removals.map((removal, at) => REMOVALS[removal](pair[1 - at]?.id ?? '', tokens[at] ?? headers))
      const sent = Promise.all(requests)
      await until('both wait for the instance', async () => {
        const { rows } = await database.query(WAITING)
        return rows[0]?.count === 2 ? true : null
      })
      return { sent }
    })
    const statuses = (await answers.sent).map((answer) => answer.statusCode)
    expect(statuses.filter((status) => status >= 400)).toEqual([409])
    const { rows } = await database.query(`select 1 from users where instance_id = $1 and role = 'admin'`, [instanceId])
    expect(rows).toHaveLength(1)
  })

  it('change their own password, which ends their other sessions and not this one', async () => {
    const { email } = await api.addUser({ role: 'viewer' })
    const mine = await bearerOf(api, email)
    const other = await bearerOf(api, email)
    const wrong = await call('POST', '/auth/password', { password: 'wrong', newPassword: 'orchard-lantern-58-mist' }, mine)
    const easy = await call('POST', '/auth/password', { password: PASSWORD, newPassword: 'password1234' }, mine)
    const done = await call('POST', '/auth/password', { password: PASSWORD, newPassword: 'orchard-lantern-58-mist' }, mine)
    api.moveClock(5_000)
    const after = await Promise.all([mine, other].map((with_) => call('GET', '/auth/me', undefined, with_)))
    const logins = [await logInAt(api.app, email), await logInAt(api.app, email, 'orchard-lantern-58-mist')]
    expect([wrong, easy, done, ...after, ...logins].map((answer) => answer.statusCode)).toEqual([400, 400, 204, 200, 401, 401, 200])
  })

  it('are nobody once they are disabled or deleted, also with a token that still lives', async () => {
    const [disabled, deleted] = [await api.addUser(), await api.addUser()]
    const tokens = [await bearerOf(api, disabled.email), await bearerOf(api, deleted.email)]
    // Without the end of their sessions, which other processes learn of a second later.
    await api.deps.database.query('update users set disabled_at = now() where id = $1', [disabled.id])
    await api.deps.database.query('delete from users where id = $1', [deleted.id])
    const answers = await Promise.all(tokens.map((with_) => call('GET', '/auth/me', undefined, with_)))
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([401, 401])
  })

  it('leave a record of a password that they have changed themselves', async () => {
    const instanceId = await api.addInstance()
    const { id, email } = await api.addUser({ instanceId })
    const with_ = await bearerOf(api, email)
    await call('POST', '/auth/password', { password: PASSWORD, newPassword: 'orchard-lantern-58-mist' }, with_)
    const { data } = (await call('GET', '/audit?Limit=1', undefined, with_)).json<{ data: object[] }>()
    expect(data).toMatchObject([{ action: 'password.changed', subject: `user/${id}`, userId: id }])
  })

  it('leave a record of what was done to them, which only their own admins read', async () => {
    const instanceId = await api.addInstance()
    const with_ = await bearerOf(api, (await api.addUser({ instanceId })).email)
    const { id } = (await call('POST', '/users', account('recorded@example.com'), with_)).json<{ id: string }>()
    await call('DELETE', `/users/${id}`, undefined, with_)
    const { data, before } = (await call('GET', '/audit?Limit=2', undefined, with_)).json<{
      data: { action: string; subject: string }[]
      before: number
    }>()
    const rest = (await call('GET', `/audit?Before=${before}`, undefined, with_)).json<{ data: { action: string }[]; before: null }>()
    expect(data.map((entry) => [entry.action, entry.subject])).toEqual([
      ['user.deleted', `user/${id}`],
      ['user.created', `user/${id}`],
    ])
    expect([rest.data.map((entry) => entry.action), rest.before]).toEqual([['login.succeeded'], null])
  })

  it('are guarded against guesses of their password by somebody with a token', async () => {
    const with_ = await bearerOf(api, (await api.addUser()).email)
    const answers: number[] = []
    for (let index = 0; index < 6; index += 1) {
      answers.push(
        (await call('POST', '/auth/password', { password: `guess${index}`, newPassword: 'orchard-lantern-58-mist' }, with_)).statusCode,
      )
    }
    expect(answers).toEqual([400, 400, 400, 400, 400, 429])
  })
})

const INSERT = `insert into users (instance_id, id, email, name, role, password_hash, created_at, updated_at)
  values ($1, gen_random_uuid(), $2, 'x', 'viewer', 'none', now(), now())`
