import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { PasswordHashing } from '../../src/api/access/passwords/password-hashing.ts'
import { listAudit } from '../../src/store/access/audit.ts'
import { saveIdentityProvider } from '../../src/store/access/identity-providers.ts'
import { inTransaction } from '../../src/store/db/database.ts'
import { deleteSuspension, insertSuspension } from '../../src/store/operators/suspensions.ts'
import { openForTests } from '../harness/for-tests.ts'
import { logInAt, PASSWORD, testApi } from '../harness/test-api.ts'
import { countWaiting } from '../harness/while-open.ts'
import { until } from '../process/deadline.ts'

const REFRESH = '/admin/api/v1/auth/refresh'
const DAY_MS = 86_400_000

describe('a member of an instance', () => {
  const api = openForTests(() => testApi({ requestLimits: { perSession: 0, perInstance: 0, perNetwork: 0 } }))
  let instanceId: string
  let email: string
  let userId: string
  beforeEach(async () => {
    instanceId = await api.addInstance()
    const user = await api.addUser({ instanceId })
    email = user.email
    userId = user.id
  })
  const refresh = (refreshToken: string) => api.app.inject({ method: 'POST', url: REFRESH, payload: { refreshToken } })
  const begin = async () => (await logInAt(api.app, email)).json<{ access_token: string; refreshToken: string }>()
  const auditEntries = async () => (await listAudit(api.deps.database, instanceId, 50)).map(({ entry }) => entry)
  const sessions = async () =>
    (await api.deps.database.query<{ reason: string | null }>('select end_reason as reason from sessions where user_id = $1', [userId]))
      .rows

  it('that is suspended can neither log in nor go on, and can once it is not', async () => {
    const { refreshToken } = await begin()
    await insertSuspension(api.deps.database, instanceId, 'unpaid')
    const refused = [await logInAt(api.app, email), await refresh(refreshToken)]
    expect(refused.map(({ statusCode }) => statusCode)).toEqual([403, 403])
    expect(await sessions()).toHaveLength(1)
    await deleteSuspension(api.deps.database, instanceId)
    expect((await logInAt(api.app, email)).statusCode).toBe(200)
  })

  it('that is suspended is not told whether a password is right before it is', async () => {
    await insertSuspension(api.deps.database, instanceId, 'unpaid')
    expect((await logInAt(api.app, email, 'not the password')).statusCode).toBe(401)
  })

  it('that requires its provider is sent there, right password or wrong, and the attempt is in its audit', async () => {
    const { refreshToken } = await begin()
    await requireProvider()
    const answers = [await logInAt(api.app, email), await logInAt(api.app, email, 'not the password'), await refresh(refreshToken)]
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([403, 403, 401])
    const failed = (await auditEntries()).filter(({ action }) => action === 'login.failed')
    const entry = { subject: `user/${userId}`, userId: null, details: { reason: 'provider required' } }
    expect(failed).toEqual([expect.objectContaining(entry), expect.objectContaining(entry)])
  })

  it('whose password counts as wrong is told in the audit, and a success by its last step', async () => {
    await logInAt(api.app, email, 'not the password')
    await begin()
    const told = (await auditEntries()).map(({ action, details, userId: by, subject }) => [action, details, by, subject])
    expect(told).toEqual([
      ['login.succeeded', { factor: 'password' }, userId, `user/${userId}`],
      ['login.failed', { reason: 'password' }, null, `user/${userId}`],
    ])
  })

  it('gets a token that lasts seven days from its last use', async () => {
    const { refreshToken } = await begin()
    api.moveClock(DAY_MS)
    const used = (await refresh(refreshToken)).json<{ refreshToken: string }>().refreshToken
    api.moveClock(7 * DAY_MS)
    expect((await refresh(used)).statusCode).toBe(401)
  })

  it('gets a session for thirty days, however often its token is used, and no token that lasts longer', async () => {
    let { refreshToken } = await begin()
    const next = async () => {
      const answer = await refresh(refreshToken)
      if (answer.statusCode === 200) refreshToken = answer.json<{ refreshToken: string }>().refreshToken
      return answer.statusCode
    }
    const statuses: number[] = []
    for (const days of [6.5, 6.5, 6.5, 6.5, 3.9]) {
      api.moveClock(days * DAY_MS)
      statuses.push(await next())
    }
    api.moveClock(0.2 * DAY_MS)
    expect([statuses, await next()]).toEqual([[200, 200, 200, 200, 200], 401])
    const { rows } = await api.deps.database.query<{ late: number }>(
      `select count(*)::int as late from refresh_tokens t join sessions s on (s.instance_id, s.id) = (t.instance_id, t.session_id)
       where t.expires_at > s.expires_at`,
    )
    expect(rows).toEqual([{ late: 0 }])
  })

  it('whose session is over is refused at that very moment, whatever its refresh token says', async () => {
    const endAt = async (ms: number) =>
      await api.deps.database.query('update sessions set expires_at = $2 where user_id = $1', [
        userId,
        new Date(api.deps.now().getTime() + ms),
      ])
    const { refreshToken } = await begin()
    await endAt(0)
    expect((await refresh(refreshToken)).statusCode).toBe(401)
    await endAt(1)
    expect((await refresh(refreshToken)).statusCode).toBe(200)
  })

  describe('whose hash is of yesterday’s cost', () => {
    const hash = async (password: string) => await new PasswordHashing().hash(password)
    /** Logs in twice while the account is locked; what is done with it meanwhile is there before the hash is renewed. */
    async function logInWhile(work: (renewed: string) => [sql: string, values: unknown[]]): Promise<number[]> {
      await api.deps.database.query('update users set password_hash = $2 where id = $1', [userId, await hash(PASSWORD)])
      const other = await hash('quiet-lantern-orchard-27')
      const { answers } = await inTransaction(api.deps.database, async (db) => {
        await db.query('select from users where id = $1 for update', [userId])
        const waiting = Promise.all([logInAt(api.app, email), logInAt(api.app, email)])
        await until('both wait for the account', async () => (await countWaiting(api.deps.database)) === 2 || null)
        await db.query(...work(other))
        return { answers: waiting }
      })
      return (await answers).map(({ statusCode }) => statusCode)
    }

    it('is let in twice at once', async () => {
      expect(await logInWhile(() => ['select 1', []])).toEqual([200, 200])
    })

    it('is not let in with a password that is changed meanwhile, nor once the account is disabled', async () => {
      const change = (other: string): [string, unknown[]] => ['update users set password_hash = $2 where id = $1', [userId, other]]
      expect(await logInWhile(change)).toEqual([401, 401])
      expect(await logInWhile(() => ['update users set disabled_at = now() where id = $1', [userId]])).toEqual([401, 401])
      expect(await sessions()).toEqual([])
    })
  })

  it('that logs out ends its session, which is recorded with the reason', async () => {
    const { access_token: token, refreshToken } = await begin()
    const headers = { authorization: `Bearer ${token}` }
    await api.app.inject({ method: 'POST', url: '/admin/api/v1/auth/logout', headers })
    expect([(await refresh(refreshToken)).statusCode, await sessions()]).toEqual([401, [{ reason: 'logout' }]])
    expect((await auditEntries()).map(({ action }) => action)).toContain('session.closed')
  })

  it('whose refresh token comes twice loses the session, and the operator reads which one in the log', async () => {
    const { refreshToken } = await begin()
    await refresh(refreshToken)
    api.moveClock(11_000)
    await refresh(refreshToken)
    expect(await sessions()).toEqual([{ reason: 'refresh token used twice' }])
    const { rows } = await api.deps.database.query<{ id: string }>('select id from sessions where user_id = $1', [userId])
    const line = api.logged.map((text) => JSON.parse(text)).find(({ msg }) => msg === 'refresh token used twice, session ended')
    expect(line).toMatchObject({ instanceId, sessionId: rows[0]?.id })
    const entry = (await auditEntries()).find(({ action }) => action === 'session.reuse-detected')
    expect(entry).toMatchObject({ userId, subject: `session/${rows[0]?.id}` })
  })

  it('that signs in again in the browser ends the session that the browser had, once, and no other', async () => {
    const other = await begin()
    const signIn = async (cookie?: string) => {
      const answer = await api.app.inject({
        method: 'POST',
        url: '/admin/api/v1/auth/login',
        payload: { email, password: PASSWORD, keep: 'cookie' },
        ...(cookie === undefined ? {} : { headers: { cookie } }),
      })
      return [answer.statusCode, String(answer.headers['set-cookie']).split(';')[0] ?? ''] as const
    }
    const [, first] = await signIn()
    const [status] = await signIn(first)
    await signIn(first)
    const ended = (await auditEntries()).filter(({ action }) => action === 'session.closed')
    expect([status, ended.length, (await refresh(other.refreshToken)).statusCode]).toEqual([200, 1, 200])
    expect((await sessions()).map(({ reason }) => reason ?? '').sort()).toEqual(['', '', '', 'signed in again'])
    expect(ended[0]).toMatchObject({ userId })
  })

  async function requireProvider(): Promise<void> {
    const at = api.deps.now()
    await saveIdentityProvider(api.deps.database, {
      ...{ instanceId, id: randomUUID(), version: randomUUID(), triedAt: at, updatedAt: at, isRequired: true },
      ...{ issuer: 'https://id.maple.example', clientId: 'books', sealedSecret: Buffer.alloc(1), scopes: ['openid'], parameters: {} },
      ...{ groupsClaim: null, emailDomains: [], trustsEmails: false, createsMembers: true, defaultRole: 'viewer' },
      ...{ acceptedAcr: [], acceptedAmr: [] },
    })
  }
})
