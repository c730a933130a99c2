import type { RouteOptions } from 'fastify'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { requireProofRule } from '../../src/api/access/proof/proof-rule.ts'
import { actionsOf } from '../../src/audit/rule.ts'
import { listAudit } from '../../src/store/access/audit.ts'
import { openForTests } from '../harness/for-tests.ts'
import { PASSWORD } from '../harness/test-api.ts'
import { newAuthenticator } from './authenticator.ts'
import { type Headers, signInHarness } from './harness.ts'

const MINUTE = 60_000
/** Review this list whenever a line changes: changes of users, keys, subscriptions and secrets, with what proves who makes them. */
const TABLE = `
DELETE /api-keys/:keyId fresh
DELETE /auth/passkeys/:passkeyId fresh
DELETE /auth/sessions/:sessionId fresh
DELETE /export-destinations/:destinationId fresh
DELETE /file-feeds/:feedId fresh
DELETE /identity-provider fresh
DELETE /sources/:sourceKey/keys fresh
DELETE /users/:userId fresh
DELETE /users/:userId/sessions fresh
DELETE /users/:userId/two-step fresh
DELETE /webhooks/receivers/:receiverId fresh
DELETE /webhooks/subscriptions/:subscriptionId fresh
POST /api-keys fresh
POST /api-keys/:keyId/rotate fresh
POST /auth/passkeys fresh
POST /auth/passkeys/options fresh
POST /auth/password fresh
POST /auth/proof body
POST /auth/two-step/disable body
POST /auth/two-step/recovery-codes body
POST /auth/two-step/setup fresh
POST /auth/two-step/setup/confirm fresh
POST /export-destinations fresh
POST /file-feeds fresh
POST /users fresh
POST /users/:userId/invitation fresh
POST /webhooks/receivers fresh
POST /webhooks/subscriptions/:eventName fresh
POST /webhooks/subscriptions/:subscriptionId/enable fresh
POST /webhooks/subscriptions/:subscriptionId/secret/promote fresh
POST /webhooks/subscriptions/:subscriptionId/secret/retire fresh
POST /webhooks/subscriptions/:subscriptionId/secret/revoke fresh
POST /webhooks/subscriptions/:subscriptionId/secret/rotate fresh
PUT /auth/passkeys/:passkeyId fresh
PUT /file-feeds/:feedId fresh
PUT /group-roles fresh
PUT /identity-provider fresh
PUT /instance/mcp-access fresh
PUT /instance/sign-in-rules fresh
PUT /sources/:sourceKey/keys fresh
PUT /users/:userId fresh
PUT /webhooks/subscriptions/:subscriptionId fresh
`

describe('a fresh proof of who the user is', () => {
  const harness = openForTests(signInHarness)
  const routes: Pick<RouteOptions, 'method' | 'url' | 'config'>[] = []
  beforeAll(async () => {
    harness.app.addHook('onRoute', ({ method, url, config }) => {
      for (const each of [method].flat())
        if (url.startsWith('/admin/api/v1/') && each !== 'HEAD')
          routes.push({ method: each, url: url.slice(13), ...(config ? { config } : {}) })
    })
    await harness.app.ready()
  })

  const addKey = async (headers: Headers) => await harness.ask('POST', '/api-keys', headers, { name: 'Import', scopes: ['data:read'] })
  const prove = async (headers: Headers, body: object) =>
    await harness.ask<{ access_token: string; provenOn: string }>('POST', '/auth/proof', headers, body)

  it('is asked for by the operations of the list and no others', () => {
    const declared = routes.flatMap(({ method, url, config }) => (config?.proof ? [`${method} ${url} ${config.proof}`] : []))
    expect(declared.toSorted()).toEqual(TABLE.trim().split('\n'))
  })

  it('is asked for by every operation of users that changes users, keys, subscriptions or secrets', () => {
    const kinds =
      /^(user|api-key|subscription|receiver|webhook-secret|source-keys|file-feed|password|two-step|passkey|sign-in|identity-provider|group-roles|scim|mcp|export-destination)\./
    const changing = routes.filter(({ config }) => config?.audit && [...actionsOf(config.audit)].some((action) => kinds.test(action)))
    const without = changing.filter(({ config }) => config?.roles !== 'public' && config?.proof === undefined).map(({ url }) => url)
    expect([without.toSorted(), changing.length > 25]).toEqual([
      [
        '/file-feeds/:feedId/look',
        '/sources/:sourceKey/keys/test',
        '/webhooks/receivers/:receiverId',
        '/webhooks/receivers/:receiverId/requests',
        '/webhooks/subscriptions/:subscriptionId/test',
      ],
      true,
    ])
  })

  it('is demanded of such an operation before the service starts', () => {
    const config = { audit: 'user.deleted', roles: ['admin'] } as const
    expect(() => requireProofRule({ method: 'DELETE', url: '/users/:userId', config })).toThrow('user.deleted')
    expect(() => requireProofRule({ method: 'DELETE', url: '/users/:userId', config: { ...config, proof: 'fresh' } })).not.toThrow()
  })

  it('is answered with a 403 by each of them, 15 minutes after the login, and by none before', async () => {
    const { headers: session } = await harness.addMember()
    const fresh = routes.filter(({ config }) => config?.proof === 'fresh')
    const call = async ({ method, url }: (typeof fresh)[number]) => {
      const path = url.replace(/:\w+/g, '6f6a2a0e-7d59-4c7e-9f5e-3a8f1f0f2b11')
      const { body } = await harness.ask<{ reason?: string } | null>([method].flat()[0] as 'GET', path, session)
      return body?.reason === 'proof-required'
    }
    harness.moveClock(15 * MINUTE)
    const before = await Promise.all(fresh.map(call))
    harness.moveClock(1)
    const after = await Promise.all(fresh.map(call))
    expect([before.includes(true), after.includes(false), fresh.length > 25]).toEqual([false, false, true])
  })

  it('is a documented error with a challenge, and changes nothing', async () => {
    const { headers: session } = await harness.addMember()
    harness.moveClock(16 * MINUTE)
    const { status, body, headers } = await addKey(session)
    expect([status, body.reason, body.detail, headers['www-authenticate']]).toEqual([
      403,
      'proof-required',
      'Prove again who you are, then repeat the request.',
      'Bearer realm="api", error="insufficient_user_authentication", max_age="900"',
    ])
    expect((await harness.ask<{ data: unknown[] }>('GET', '/api-keys', session)).body.data).toEqual([])
  })

  it('is not renewed by refreshing the session', async () => {
    const { headers: session } = await harness.addMember()
    harness.moveClock(10 * MINUTE)
    const renewed = await harness.refresh(session.refreshToken)
    harness.moveClock(6 * MINUTE)
    expect((await addKey(renewed)).status).toBe(403)
  })

  it('is given by the password, and kept by the session for its next tokens', async () => {
    const { headers: session } = await harness.addMember()
    harness.moveClock(20 * MINUTE)
    const proven = await prove(session, { password: PASSWORD })
    const next = await harness.refresh(session.refreshToken)
    expect([proven.status, (await addKey(session)).status]).toEqual([200, 403])
    expect((await addKey({ authorization: `Bearer ${proven.body.access_token}` })).status).toBe(201)
    expect([(await addKey(next)).status, (await harness.ask('GET', '/auth/proof', next)).body]).toMatchObject([
      201,
      // A token tells the second.
      { way: 'password', twoStepVerify: false, hasPasskey: false, provenOn: `${proven.body.provenOn.slice(0, 19)}.000` },
    ])
  })

  it('takes the second step too, where there is one, each code once', async () => {
    const { headers: session } = await harness.addMember()
    const { secret, recoveryCodes } = await harness.setUpApp(session)
    harness.moveClock(20 * MINUTE)
    const code = harness.nextCode(secret)
    const tries = [
      { password: PASSWORD },
      { code },
      { password: 'wrong', code },
      { password: PASSWORD, code: '000000' },
      { password: PASSWORD, code },
      { password: PASSWORD, code },
      { password: PASSWORD, recoveryCode: recoveryCodes[0] },
    ]
    const statuses: number[] = []
    for (const body of tries) statuses.push((await prove(session, body)).status)
    expect(statuses).toEqual([400, 400, 400, 400, 200, 400, 200])
  })

  it.each([
    ['POST', '/auth/proof'],
    ['POST', '/auth/two-step/disable'],
    ['POST', '/auth/two-step/recovery-codes'],
  ] as const)('ends the guessing of codes by somebody with the password: %s %s', async (method, path) => {
    const { headers: session } = await harness.addMember()
    const { secret } = await harness.setUpApp(session)
    const guess = async () => (await harness.ask(method, path, session, { password: PASSWORD, code: '000000' })).status
    const statuses: number[] = []
    for (let count = 0; count < 3; count += 1) statuses.push(await guess())
    // What the password alone can do takes no wrong code back.
    await harness.ask('POST', '/auth/password', session, { password: PASSWORD, newPassword: 'password1234' })
    await harness.ask('POST', '/auth/two-step/setup', session, { password: PASSWORD })
    for (let count = 0; count < 2; count += 1) statuses.push(await guess())
    expect(statuses).toEqual([400, 400, 400, 400, 429])
    harness.moveClock(15 * MINUTE)
    const code = harness.nextCode(secret)
    expect((await harness.ask(method, path, session, { password: PASSWORD, code })).status).toBeLessThan(300)
  })

  it('by a passkey is checked for twenty at once over four connections, as are new passkeys', async () => {
    const small = await signInHarness()
    onTestFinished(() => small.close())
    small.deps.database.options.max = 4
    const sessions: Headers[] = []
    for (let count = 0; count < 4; count += 1) sessions.push(await small.logIn((await small.addUser()).email))
    const device = newAuthenticator()
    const unknown = { challenge: 'AAAA' }
    const ask = async (path: string, toBody: () => object) => {
      const asked = Array.from({ length: 20 }, (_value, index) =>
        small.ask('POST', path, sessions[index % 4] ?? { authorization: '' }, toBody()),
      )
      return new Set((await Promise.all(asked)).map(({ status }) => status))
    }
    const proofs = await ask('/auth/proof', () => ({ passkey: device.assert(unknown) }))
    const added = await ask('/auth/passkeys', () => ({ name: 'Laptop', passkey: device.register(unknown) }))
    expect([[...proofs], [...added]]).toEqual([[400], [400]])
  })

  it('leaves entries, right or wrong, and is limited', async () => {
    const { email, headers: session } = await harness.addMember({ role: 'viewer' })
    const statuses: number[] = []
    for (let count = 0; count < 6; count += 1) statuses.push((await prove(session, { password: 'wrong' })).status)
    expect(statuses).toEqual([400, 400, 400, 400, 400, 429])
    harness.moveClock(16 * MINUTE)
    await prove(session, { password: PASSWORD })
    const { body } = await harness.ask<{ instanceId: string }>('GET', '/auth/me', await harness.logIn(email))
    const entries = (await listAudit(harness.deps.database, body.instanceId, 50)).filter(({ entry }) =>
      entry.action.startsWith('session.pro'),
    )
    expect(entries.map(({ entry: { action, details } }) => [action, details])).toEqual([
      ['session.proven', { factor: 'password' }],
      // The sixth was not compared.
      ...Array.from({ length: 5 }, () => ['session.proof-refused', { reason: 'password' }]),
    ])
  })

  it('is asked of nobody with an API key', async () => {
    const { headers: session } = await harness.addMember()
    const scopes = ['webhooks:write', 'webhooks:read']
    const { key } = (await harness.ask<{ key: string }>('POST', '/api-keys', session, { name: 'Import', scopes })).body
    harness.moveClock(60 * MINUTE)
    const body = { callbackUrl: 'https://hooks.example.com/in' }
    const made = await harness.ask('POST', '/webhooks/subscriptions/NormalizedData', { authorization: `Bearer ${key}` }, body)
    expect(made.body.reason).toBeUndefined()
    expect(made.status).not.toBe(403)
  })

  it('is another sign-in for a session of an identity provider', async () => {
    const { headers: session } = await harness.addMember()
    await harness.deps.database.query(
      `insert into provider_sessions (instance_id, session_id, issuer, subject, tokens) select instance_id, id, 'https://login.example', 'x', '\\x00' from sessions`,
    )
    const answer = await prove(session, { password: PASSWORD })
    expect([answer.status, (await harness.ask('GET', '/auth/proof', session)).body.way]).toEqual([409, 'provider'])
  })
})
