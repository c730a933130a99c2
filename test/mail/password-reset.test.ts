import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { listAudit } from '../../src/store/access/audit.ts'
import { sendMails } from '../harness/app/jobs.ts'
import { openForTests } from '../harness/for-tests.ts'
import { bearerOf, logInAt, PASSWORD, testApi } from '../harness/test-api.ts'
import { until } from '../process/deadline.ts'
import { openSmtp } from './smtp.ts'

const NEW = 'quiet-lantern-orchard-27'
const api = openForTests(testApi)
const smtp = openForTests(openSmtp)

beforeAll(() => {
  const { sealer, hashToken } = api.deps.sync
  api.deps.sync.mail = { sealer, hashToken }
})
beforeEach(() => {
  smtp.taken.length = 0
})

let network = 0

async function ask(email: string) {
  network += 1
  const url = '/admin/api/v1/auth/forgotten-password'
  return await api.app.inject({ method: 'POST', url, payload: { email, language: 'fr' }, remoteAddress: `198.51.100.${network}` })
}

const set = (token: string, password = NEW) =>
  api.app.inject({ method: 'POST', url: '/admin/api/v1/auth/new-password', payload: { token, password } })

/** The token in the mail to a user. */
async function tokenFor(email: string): Promise<string> {
  expect((await ask(email)).statusCode).toBe(202)
  const { database, sealer } = api.deps
  await until('the mail is queued', async () => {
    const { rows } = await database.query(`select 1 from jobs where kind = 'mail'`)
    return rows.length > 0 ? rows : null
  })
  await sendMails({ database, sealer, transport: smtp.post })
  expect(smtp.taken.at(-1)?.recipients).toEqual([email])
  return /new-password#([\w-]{43})/.exec(smtp.taken.at(-1)?.email.text ?? '')?.[1] ?? ''
}

describe('a forgotten password', () => {
  it('is replaced by the link in a mail; every session ends, and the audit log says so', async () => {
    const { id, email } = await api.addUser()
    const bearer = await bearerOf(api, email)
    const token = await tokenFor(email)
    expect((await set(token)).statusCode).toBe(204)
    expect((await logInAt(api.app, email)).statusCode).toBe(401)
    expect((await logInAt(api.app, email, NEW)).statusCode).toBe(200)
    api.moveClock(10_000)
    expect((await api.app.inject({ url: '/admin/api/v1/auth/me', headers: bearer })).statusCode).toBe(401)
    const actions = (await listAudit(api.deps.database, api.instanceId, 20)).filter(({ entry }) => entry.subject === `user/${id}`)
    expect(actions.map(({ entry }) => entry.action)).toEqual(expect.arrayContaining(['password.forgotten', 'password.reset']))
  })

  it('works once, and invalidates other links of the same user', async () => {
    const { email } = await api.addUser()
    const [first, second] = [await tokenFor(email), await tokenFor(email)]
    expect((await set(second)).statusCode).toBe(204)
    expect([(await set(second)).statusCode, (await set(first)).statusCode]).toEqual([400, 400])
  })

  it('cannot be set by a link from before the user, or an admin, has set another one', async () => {
    const { id, email } = await api.addUser({ role: 'viewer' })
    const [own, admin] = [await bearerOf(api, email), await bearerOf(api, (await api.addUser({ role: 'admin' })).email)]
    const first = await tokenFor(email)
    const call = (method: 'POST' | 'PUT', url: string, headers: { authorization: string }, payload: object) =>
      api.app.inject({ method, url: `/admin/api/v1${url}`, headers, payload })
    const changed = await call('POST', '/auth/password', own, { password: PASSWORD, newPassword: NEW })
    const afterOwn = await set(first)
    const second = await tokenFor(email)
    const user = { name: 'Robin', role: 'viewer', isEnabled: true, password: 'amber-thistle-causeway-58' }
    const given = await call('PUT', `/users/${id}`, admin, user)
    const afterAdmin = await set(second)
    expect([changed, afterOwn, given, afterAdmin].map(({ statusCode }) => statusCode)).toEqual([204, 400, 200, 400])
  })

  it('is set by only one of two who have the link', async () => {
    const { email } = await api.addUser()
    const token = await tokenFor(email)
    const answers = await Promise.all([set(token), set(token)])
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([204, 400])
  })

  it('is not set after half an hour, for a disabled user, or to a password that is easy to guess', async () => {
    const { database } = api.deps
    const { email } = await api.addUser()
    const token = await tokenFor(email)
    expect((await set(token, 'password1')).statusCode).toBe(400)
    await database.query(`update password_resets set expires_at = expires_at - interval '30 minutes'`)
    expect((await set(token)).statusCode).toBe(400)
    const other = await api.addUser()
    const otherToken = await tokenFor(other.email)
    await database.query('update users set disabled_at = now() where id = $1', [other.id])
    expect((await set(otherToken)).statusCode).toBe(400)
    expect((await logInAt(api.app, email, PASSWORD)).statusCode).toBe(200)
  })

  it('is stored as a hash', async () => {
    const { email } = await api.addUser()
    const token = await tokenFor(email)
    const { rows } = await api.deps.database.query(`select encode(token_hash, 'hex') as hash from password_resets`)
    expect(rows.map(({ hash }) => hash)).not.toContain(Buffer.from(token, 'base64url').toString('hex'))
    expect(api.logged.join('')).not.toContain(token)
  })

  it('gets the same response for addresses without an account, before any look-up', async () => {
    const { email } = await api.addUser()
    const [known, unknown] = [await ask(email), await ask('nobody@example.org')]
    expect([known.statusCode, known.body]).toEqual([unknown.statusCode, unknown.body])
    await api.deps.database.query(`delete from jobs where kind = 'mail'`)
  })

  it('can be requested five times an hour at most, known or not', async () => {
    for (const email of [(await api.addUser()).email, 'stranger@example.org']) {
      const codes: number[] = []
      for (let n = 0; n < 6; n += 1) codes.push((await ask(email)).statusCode)
      expect(codes).toEqual([202, 202, 202, 202, 202, 429])
    }
  })

  it('cannot be mailed without a mail server, which is reported', async () => {
    const desk = api.deps.sync.mail
    delete api.deps.sync.mail
    const answer = await ask('nobody@example.org')
    if (desk) api.deps.sync.mail = desk
    expect([answer.statusCode, answer.body.includes('No mail server is set')]).toEqual([409, true])
  })
})
