import { expect, it } from 'vitest'
import { listAudit } from '../../src/store/access/audit.ts'
import { openForTests } from '../harness/for-tests.ts'
import { PASSWORD } from '../harness/test-api.ts'
import { newAuthenticator } from '../sign-in/authenticator.ts'
import { type Headers, type Member, signInHarness } from '../sign-in/harness.ts'

const NEW = 'quiet-orchard-lantern-58'
const UNKNOWN = '3f2504e0-4f89-41d3-9a0c-0305e82c3301'
const harness = openForTests(signInHarness)

/** Entries that work leaves in the chain of the instance, oldest first: action, who, subject, and what is told. */
async function trailOf({ instanceId }: Member, work: () => Promise<void>): Promise<unknown[]> {
  const { database } = harness.deps
  const [latest] = await listAudit(database, instanceId, 1)
  await work()
  return (await listAudit(database, instanceId, 100))
    .filter(({ position }) => position > (latest?.position ?? 0))
    .map(({ entry: { action, userId, subject, before, after, withheld, details } }) => {
      return [action, userId, subject, { before, after, withheld, details }]
    })
    .toReversed()
}

type Step = [method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body: (() => object) | undefined, status: number]

/** Makes the steps one after the other; each has to be answered with its status. */
async function walk(headers: Headers, steps: readonly Step[]): Promise<void> {
  for (const [method, path, body, status] of steps)
    expect([method, path, (await harness.ask(method, path, headers, body?.())).status]).toEqual([method, path, status])
}

it('an administrator leaves who did what to which user, and nothing for what was refused', async () => {
  const admin = await harness.addMember()
  const { headers, userId } = admin
  const made = async (body: object) => (await harness.ask<{ id: string }>('POST', '/users', headers, body)).body.id
  let ids = { added: '', invited: '' }
  const trail = await trailOf(admin, async () => {
    const added = await made({ email: 'Added@maple.example', name: ' Added ', role: 'viewer', password: NEW })
    const invited = await made({ email: 'invited@maple.example', name: 'Invited', role: 'developer', language: 'fr' })
    ids = { added, invited }
    const change = { name: 'Added', role: 'developer', isEnabled: true }
    await walk(headers, [
      ['POST', `/users/${invited}/invitation`, () => ({ language: 'en' }), 202],
      ['PUT', `/users/${added}`, () => change, 200],
      ['PUT', `/users/${added}`, () => ({ ...change, name: 'Other', password: NEW }), 200],
      ['PUT', `/users/${added}`, () => ({ ...change, name: 'Other', isEnabled: false }), 200],
      ['POST', `/users/${added}/invitation`, () => ({}), 409],
      ['DELETE', `/users/${added}/sessions`, undefined, 200],
      ['DELETE', `/users/${added}/two-step`, undefined, 409],
      ['DELETE', `/users/${userId}/two-step`, undefined, 409],
      ['DELETE', `/users/${userId}`, undefined, 409],
      ['PUT', `/users/${userId}`, () => ({ ...change, role: 'viewer' }), 409],
      ['PUT', `/users/${userId}`, () => ({ ...change, role: 'admin', isEnabled: false }), 409],
      ['DELETE', `/users/${added}`, undefined, 204],
      ...(['', '/sessions', '/two-step'] as const).map((path): Step => ['DELETE', `/users/${UNKNOWN}${path}`, undefined, 404]),
      ['PUT', `/users/${UNKNOWN}`, () => change, 404],
      ['POST', `/users/${UNKNOWN}/invitation`, () => ({}), 404],
    ])
  })
  const [added, invited] = [`user/${ids.added}`, `user/${ids.invited}`]
  const withheld = ['name', 'email']
  expect(trail).toEqual([
    ['user.created', userId, added, { after: { role: 'viewer', isEnabled: true }, withheld }],
    ['user.created', userId, invited, { after: { role: 'developer', isEnabled: true }, withheld }],
    ['user.invited', userId, invited, {}],
    ['user.invited', userId, invited, {}],
    ['user.changed', userId, added, { before: { role: 'viewer' }, after: { role: 'developer' } }],
    ['user.changed', userId, added, { withheld: ['name', 'password'] }],
    ['user.changed', userId, added, { before: { isEnabled: true }, after: { isEnabled: false } }],
    ['user.sessions-ended', userId, added, { details: { ended: 0 } }],
    ['user.deleted', userId, added, { before: { role: 'developer', isEnabled: false }, withheld }],
  ])
  expect([await harness.letters('invited@maple.example'), await harness.letters('added@maple.example')]).toEqual([
    ['invitation', 'invitation'],
    ['passwordChanged'],
  ])
})

it('a member leaves each change of the own account, with its factor', async () => {
  const member = await harness.addMember()
  const { headers, userId } = member
  const trail = await trailOf(member, async () => {
    const { secret } = await harness.setUpApp(headers)
    const options = (await harness.ask<{ challenge: string }>('POST', '/auth/passkeys/options', headers)).body
    const { body } = await harness.ask<{ passkey: { id: string } }>('POST', '/auth/passkeys', headers, {
      ...{ name: ' Laptop ', passkey: newAuthenticator().register(options) },
    })
    const passkey = `/auth/passkeys/${body.passkey.id}`
    const confirmed = (password: string) => () => ({ password, code: harness.nextCode(secret) })
    const rule = (requiresTwoStep: boolean) => () => ({ requiresTwoStep })
    await walk(headers, [
      ['PUT', passkey, () => ({ name: ' Old ' }), 200],
      ['DELETE', passkey, undefined, 204],
      ['POST', '/auth/two-step/recovery-codes', confirmed(PASSWORD), 200],
      ['POST', '/auth/proof', confirmed(PASSWORD), 200],
      ['POST', '/auth/proof', confirmed('wrong'), 400],
      ['POST', '/auth/password', () => ({ password: PASSWORD, newPassword: NEW }), 204],
      ['PUT', '/instance/sign-in-rules', rule(true), 200],
      ['PUT', '/instance/sign-in-rules', rule(true), 200],
      ['PUT', '/instance/sign-in-rules', rule(false), 200],
      ['PUT', '/instance/mcp-access', () => ({ isEnabled: true }), 200],
      ['PUT', '/instance/mcp-access', () => ({ isEnabled: true }), 200],
      ['PUT', '/instance/mcp-access', () => ({ isEnabled: false }), 200],
      ['POST', '/auth/two-step/disable', confirmed(NEW), 204],
      ['POST', '/auth/logout', undefined, 204],
    ])
  })
  const [subject, session] = [`user/${userId}`, expect.stringMatching(/^session\//)]
  expect(trail).toEqual([
    ['two-step.begun', userId, subject, {}],
    ['two-step.enabled', userId, subject, {}],
    ['passkey.added', userId, subject, { after: { name: 'Laptop' } }],
    ['passkey.renamed', userId, subject, { before: { name: 'Laptop' }, after: { name: 'Old' } }],
    ['passkey.removed', userId, subject, { before: { name: 'Old' } }],
    ['two-step.codes-renewed', userId, subject, {}],
    ['session.proven', userId, session, { details: { factor: 'code' } }],
    ['session.proof-refused', userId, session, { details: { reason: 'password' } }],
    ['password.changed', userId, subject, {}],
    ['sign-in.rules-changed', userId, null, { before: { requiresTwoStep: false }, after: { requiresTwoStep: true } }],
    ['sign-in.rules-changed', userId, null, { before: { requiresTwoStep: true }, after: { requiresTwoStep: false } }],
    ['mcp.access-changed', userId, null, { before: { isEnabled: false }, after: { isEnabled: true } }],
    ['mcp.access-changed', userId, null, { before: { isEnabled: true }, after: { isEnabled: false } }],
    ['two-step.disabled', userId, subject, {}],
    ['session.closed', userId, session, {}],
  ])
})

it('keys are in the audit with what they open and when they end; a second revocation is not', async () => {
  const admin = await harness.addMember()
  const { headers, userId } = admin
  let [id, successor, prefixes] = ['', '', ['', '']]
  const on = (hours: number) => new Date(harness.deps.now().getTime() + hours * 3_600_000).toISOString()
  const plain = (hours: number) => on(hours).slice(0, -1)
  const trail = await trailOf(admin, async () => {
    const wanted = { name: ' Import ', scopes: ['data:read', 'audit:read'], expiresInDays: 30 }
    id = (await harness.ask<{ id: string }>('POST', '/api-keys', headers, wanted)).body.id
    successor = (await harness.ask<{ id: string }>('POST', `/api-keys/${id}/rotate`, headers, { overlapHours: 2 })).body.id
    await walk(headers, [
      ['POST', `/api-keys/${id}/rotate`, () => ({}), 409],
      ['DELETE', `/api-keys/${successor}`, undefined, 204],
      ['DELETE', `/api-keys/${successor}`, undefined, 204],
      ['POST', `/api-keys/${successor}/rotate`, () => ({}), 409],
      ['DELETE', `/api-keys/${UNKNOWN}`, undefined, 404],
      ['POST', `/api-keys/${UNKNOWN}/rotate`, () => ({}), 404],
      ['GET', `/api-keys/${UNKNOWN}`, undefined, 404],
    ])
    const read = async (key: string) => (await harness.ask<{ prefix: string }>('GET', `/api-keys/${key}`, headers)).body
    const keys = [await read(id), await read(successor)]
    prefixes = keys.map(({ prefix }) => prefix)
    const shared = { applicationId: id, name: 'Import', scopes: wanted.scopes, createdBy: userId, createdOn: plain(0), lastUsedOn: null }
    expect(keys).toEqual([
      { ...shared, id, prefix: prefixes[0], state: 'active', expiresOn: plain(2), revokedOn: null, replacedBy: successor },
      { ...shared, id: successor, prefix: prefixes[1], state: 'revoked', expiresOn: plain(720), revokedOn: plain(0), replacedBy: null },
    ])
  })
  const created = { name: 'Import', prefix: prefixes[0], expiresOn: on(720), applicationId: id }
  expect(trail).toEqual([
    ['api-key.created', userId, `api-key/${id}`, { after: created, details: { scopes: 'data:read, audit:read' } }],
    [
      ...['api-key.rotated', userId, `api-key/${id}`],
      {
        before: { replacedBy: null, expiresOn: on(720) },
        after: { replacedBy: successor, expiresOn: on(2) },
        details: { overlapHours: 2 },
      },
    ],
    ['api-key.revoked', userId, `api-key/${successor}`, { before: { name: 'Import', prefix: prefixes[1] } }],
  ])
})
