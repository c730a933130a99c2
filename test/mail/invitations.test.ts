import { beforeAll, describe, expect, it } from 'vitest'
import { listAudit } from '../../src/store/access/audit.ts'
import { sendMails } from '../harness/app/jobs.ts'
import { openForTests } from '../harness/for-tests.ts'
import { bearerOf, logInAt, testApi } from '../harness/test-api.ts'
import { openSmtp } from './smtp.ts'

const CHOSEN = 'quiet-lantern-orchard-27'
const api = openForTests(testApi)
const smtp = openForTests(openSmtp)
let admin: { authorization: string }
beforeAll(async () => {
  const { sealer, hashToken } = api.deps.sync
  api.deps.sync.mail = { sealer, hashToken }
  admin = await bearerOf(api, (await api.addUser({ role: 'admin' })).email)
})

const call = (method: 'GET' | 'POST' | 'PUT', url: string, payload?: object) =>
  api.app.inject({ method, url: `/admin/api/v1${url}`, headers: admin, ...(payload ? { payload } : {}) })
const set = (token: string, password = CHOSEN) => call('POST', '/auth/new-password', { token, password })
const invite = (email: string) => call('POST', '/users', { email, name: 'Noor Haddad', role: 'viewer', language: 'fr' })
const provenOn = async (id: string) => (await call('GET', `/users/${id}`)).json<{ emailProvenOn: string | null }>().emailProvenOn

/** Sends the waiting mail; returns the token in it. */
async function takeToken(): Promise<string> {
  const { database, sealer } = api.deps
  await sendMails({ database, sealer, transport: smtp.post })
  return /new-password#([\w-]{43})/.exec(smtp.taken.at(-1)?.email.text ?? '')?.[1] ?? ''
}

describe('an invited user', () => {
  it('chooses the password by the link in the mail, which verifies the address', async () => {
    const { id, email } = (await invite('noor@example.com')).json<{ id: string; email: string }>()
    const token = await takeToken()
    const before = await provenOn(id)
    expect((await set(token)).statusCode).toBe(204)
    expect(smtp.taken.at(-1)).toMatchObject({ recipients: [email], email: { subject: expect.stringContaining('Votre accès au portail') } })
    expect([before, await provenOn(id)]).toEqual([null, expect.stringMatching(/^20\d\d-/)])
    expect((await logInAt(api.app, email, CHOSEN)).statusCode).toBe(200)
    const actions = (await listAudit(api.deps.database, api.instanceId, 20)).filter(({ entry }) => entry.subject === `user/${id}`)
    expect(actions.map(({ entry }) => entry.action)).toEqual(expect.arrayContaining(['user.created', 'user.invited', 'password.reset']))
  })

  it('is created only with the mail, which needs a mail server', async () => {
    const desk = api.deps.sync.mail
    delete api.deps.sync.mail
    const refused = await invite('without-server@example.com')
    if (desk) api.deps.sync.mail = desk
    const found = await call('GET', `/users?FilterQuery=${encodeURIComponent('email=without-server@example.com')}`)
    expect([refused.statusCode, found.json<{ data: unknown[] }>().data]).toEqual([409, []])
  })

  it('has three days, and a new link invalidates the previous one', async () => {
    const { id } = (await invite('late@example.com')).json<{ id: string }>()
    const first = await takeToken()
    const { rows } = await api.deps.database.query(
      `select extract(epoch from expires_at - created_at) / 3600 as hours from password_resets where user_id = $1`,
      [id],
    )
    expect(Number(rows[0].hours)).toBeCloseTo(72, 2)
    expect((await call('POST', `/users/${id}/invitation`, { language: 'en' })).statusCode).toBe(202)
    const second = await takeToken()
    expect([(await set(first)).statusCode, (await set(second)).statusCode]).toEqual([400, 204])
  })

  it('gets no more mails once the address is verified, nor while the account is disabled', async () => {
    const { id, name, role } = (await invite('settled@example.com')).json<{ id: string; name: string; role: string }>()
    const token = await takeToken()
    await call('PUT', `/users/${id}`, { name, role, isEnabled: false })
    const disabled = await call('POST', `/users/${id}/invitation`, {})
    await call('PUT', `/users/${id}`, { name, role, isEnabled: true })
    expect((await set(token)).statusCode).toBe(400)
    await call('POST', `/users/${id}/invitation`, {})
    await set(await takeToken())
    const proven = await call('POST', `/users/${id}/invitation`, {})
    expect([disabled, proven].map(({ statusCode }) => statusCode)).toEqual([409, 409])
  })

  it('of another instance is unknown', async () => {
    const foreign = await api.addUser({ instanceId: await api.addInstance() })
    expect((await call('POST', `/users/${foreign.id}/invitation`, {})).statusCode).toBe(404)
  })
})

it('an account with a password set by an admin counts as verified only once a mailed link was used', async () => {
  const { id } = (
    await call('POST', '/users', { email: 'given@example.com', name: 'Given', role: 'viewer', password: 'violet-harbour-teapot-91' })
  ).json<{ id: string }>()
  const before = await provenOn(id)
  await call('POST', `/users/${id}/invitation`, {})
  await set(await takeToken())
  expect([before, await provenOn(id)]).toEqual([null, expect.any(String)])
})
