import type { FastifyInstance } from 'fastify'
import { Secret, TOTP } from 'otpauth'
import { Registry } from 'prom-client'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openForTests } from '../../../../test/harness/for-tests.ts'
import { PASSWORD, testApi } from '../../../../test/harness/test-api.ts'
import { createApi } from '../../server.ts'

const API = '/admin/api/v1'
const NEW = 'quiet-orchard-lantern-58'

interface SentMail {
  kind: string
  to: string
  subject: string
  text: string
}

describe('mails about the own account', () => {
  const api = openForTests(() => testApi({ requestLimits: { perSession: 0, perInstance: 0, perNetwork: 0 } }))
  let app: FastifyInstance
  let user: { id: string; email: string }
  beforeAll(() => {
    const { sealer } = api.deps
    const mail = { sealer, hashToken: (token: string) => Buffer.from(token) }
    app = createApi({ ...api.deps, metrics: new Registry(), sync: { ...api.deps.sync, mail } })
  })
  beforeEach(async () => {
    user = await api.addUser({ role: 'viewer' })
  })
  afterAll(async () => {
    await app.close()
  })

  const logIn = async (email: string, options: { password?: string; from?: string; language?: string } = {}) => {
    const { password = PASSWORD, from = '192.0.2.7', language = 'en-CA,en;q=0.9' } = options
    const headers = { 'accept-language': language, 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Firefox/128.0' }
    const answer = await app.inject({
      method: 'POST',
      url: `${API}/auth/login`,
      payload: { email, password },
      headers,
      remoteAddress: from,
    })
    return { status: answer.statusCode, headers: { authorization: `Bearer ${answer.json<{ access_token: string }>().access_token}` } }
  }
  const post = (url: string, payload: object, headers: { authorization: string }, method: 'POST' | 'PUT' = 'POST') =>
    app.inject({ method, url: API + url, payload, headers })

  /** What an address was written since the start of the test. */
  async function mailsTo(email: string): Promise<SentMail[]> {
    const { rows } = await api.deps.database.query<{ id: string; instanceId: string; kind: string; sealed: Buffer }>(
      'select id, instance_id as "instanceId", kind, sealed from mails where sealed is not null order by created_at',
    )
    return rows.flatMap(({ id, instanceId, kind, sealed }) => {
      const opened = api.deps.sealer.open({ instanceId, table: 'mails', rowId: id, column: 'sealed' }, sealed)
      const { to, subject, text }: { to: { address: string }; subject: string; text: string } = JSON.parse(Buffer.from(opened).toString())
      return to.address === email ? [{ kind, to: to.address, subject, text: text.replaceAll('\u00a0', ' ') }] : []
    })
  }
  const kinds = async (email: string) => (await mailsTo(email)).map(({ kind }) => kind)

  it('tell of a password that its user has changed, in the language of the last login', async () => {
    const { headers } = await logIn(user.email, { language: 'fr-CA,fr;q=0.9,en;q=0.5' })
    await post('/auth/password', { password: PASSWORD, newPassword: NEW }, headers)
    const [mail] = await mailsTo(user.email)
    expect([mail?.kind, mail?.subject]).toEqual(['passwordChanged', 'Votre mot de passe a été changé'])
    expect(mail?.text).toMatch(/127\.0\.0\.1:8080.*Quand : .*\/portal\/account/s)
  })

  it('tell of a password that an administrator has set', async () => {
    const admin = await logIn((await api.addUser()).email)
    const change = { name: 'Avery', role: 'viewer', isEnabled: true }
    await post(`/users/${user.id}`, change, admin.headers, 'PUT')
    const before = await kinds(user.email)
    await post(`/users/${user.id}`, { ...change, password: NEW }, admin.headers, 'PUT')
    expect([before, await kinds(user.email)]).toEqual([[], ['passwordChanged']])
  })

  it('tell of two-step login that was turned off', async () => {
    const { headers } = await logIn(user.email)
    const { secret } = (await post('/auth/two-step/setup', { password: PASSWORD }, headers)).json<{ secret: string }>()
    const code = () => new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: api.deps.now().getTime() })
    await post('/auth/two-step/setup/confirm', { code: code() }, headers)
    api.moveClock(90_000)
    await post('/auth/two-step/disable', { password: PASSWORD, code: '000000' }, headers)
    const before = await kinds(user.email)
    await post('/auth/two-step/disable', { password: PASSWORD, code: code() }, headers)
    expect([before, await kinds(user.email)]).toEqual([['secondStepAdded'], ['secondStepAdded', 'twoStepDisabled']])
  })

  it('tell of a login from a network that the account was not used from, once, and not of the first login', async () => {
    await logIn(user.email)
    const first = await kinds(user.email)
    for (const from of ['198.51.100.9', '198.51.100.9', '192.0.2.7']) await logIn(user.email, { from })
    await logIn(user.email, { from: '198.51.100.77', password: 'wrong' })
    const [mail, ...more] = await mailsTo(user.email)
    expect([first, mail?.kind, more]).toEqual([[], 'newNetwork', []])
    expect(mail?.text).toMatch(/198\.51\.100\.9.*Firefox, Linux/s)
  })

  it('tell the other administrators of a new one, whether added, invited or promoted, and nobody of other members', async () => {
    const instanceId = await api.addInstance()
    const [acting, watching] = [await api.addUser({ instanceId }), await api.addUser({ instanceId })]
    const viewer = await api.addUser({ instanceId, role: 'viewer' })
    const { headers } = await logIn(acting.email)
    await post('/users', { email: 'added@example.com', name: 'Added', role: 'admin', password: NEW }, headers)
    await post('/users', { email: 'invited@example.com', name: 'Invited', role: 'admin' }, headers)
    await post(`/users/${viewer.id}`, { name: 'Promoted', role: 'admin', isEnabled: true }, headers, 'PUT')
    await post(`/users/${viewer.id}`, { name: 'Promoted twice', role: 'admin', isEnabled: true }, headers, 'PUT')
    await post('/users', { email: 'developer@example.com', name: 'Developer', role: 'developer', password: NEW }, headers)
    const mails = (await mailsTo(watching.email)).map(({ kind, text }) => [kind, /\S+@example\.com/.exec(text)?.[0]])
    expect(mails).toEqual([
      ['newAdministrator', 'added@example.com'],
      ['newAdministrator', 'invited@example.com'],
      ['newAdministrator', viewer.email],
    ])
    expect([(await kinds(acting.email)).length, await kinds(user.email)]).toEqual([3, []])
  })

  it('tell the address before of one that the identity provider has changed', async () => {
    const admin = await logIn((await api.addUser()).email)
    const { key } = (await post('/api-keys', { name: 'IdP', scopes: ['scim'] }, admin.headers)).json<{ key: string }>()
    const patch = async (value: object) => {
      const body = { schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'], Operations: [{ op: 'replace', value }] }
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/scim+json' }
      return await app.inject({ method: 'PATCH', url: `/scim/v2/Users/${user.id}`, headers, payload: JSON.stringify(body) })
    }
    const moved = `moved-${user.email}`
    const answers = [await patch({ displayName: 'Same Address' }), await patch({ emails: [{ value: moved, primary: true }] })]
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200])
    expect([await kinds(user.email), await kinds(moved)]).toEqual([['addressChanged'], []])
  })

  it('keep nobody out whose address takes no mail', async () => {
    const { email } = await api.addUser({ email: 'nobody@in_valid.example' })
    await logIn(email)
    expect([(await logIn(email, { from: '198.51.100.9' })).status, await kinds(email)]).toEqual([200, []])
  })
})
