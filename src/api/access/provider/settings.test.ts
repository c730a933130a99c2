import { randomUUID } from 'node:crypto'
import { afterEach, describe, expect, it } from 'vitest'
import { bareAccess } from '../../../../test/harness/app/bare-access.ts'
import { failsWith } from '../../../../test/harness/app/bare-operators.ts'
import { addInstance } from '../../../../test/harness/app/tenants.ts'
import { addUser } from '../../../../test/harness/app/users.ts'
import { openForTests } from '../../../../test/harness/for-tests.ts'
import { CLIENT, ScriptedProvider } from '../../../../test/identity-provider/scripted-provider.ts'
import { allowOnly, requireEncryption } from '../../../egress/allowed-hosts.ts'
import { createEgress } from '../../../egress/egress.ts'
import { listAudit } from '../../../store/access/audit.ts'
import { findIdentityProvider, noteTry } from '../../../store/access/identity-providers.ts'
import type { Access } from '../access.ts'
import type { UserCaller } from '../caller.ts'
import { secretContext } from './provider-client.ts'
import { inspectProvider, type ProviderChange, removeProvider, replaceProvider } from './settings.ts'

const ISSUER = 'https://login.maple.example'
const SETTINGS: ProviderChange = {
  ...{ issuer: ISSUER, clientId: 'books', clientSecret: 'secret-canary', scopes: ['openid', 'email'], parameters: {} },
  ...{ groupsClaim: null, emailDomains: ['maple.example'], trustsEmails: false, createsMembers: true, defaultRole: 'viewer' },
  ...{ acceptedAcr: [], acceptedAmr: [], isRequired: false },
}
const { clientSecret: _secret, ...WITHOUT_SECRET } = SETTINGS

const bare = openForTests(() => bareAccess())
const egress = openForTests(() => createEgress({ allowPrivate: true }))
const provider = openForTests(
  async () => {
    const opened = new ScriptedProvider(() => new Date(), {})
    await opened.open()
    return opened
  },
  (opened) => opened.close(),
)
afterEach(() => {
  allowOnly(null)
  requireEncryption(false)
})

const accessTo = (allowPrivate: boolean): Access => ({ ...bare.access, providers: { egress, allowPrivate } })
const newCaller = async (): Promise<UserCaller> => ({
  ...{ instanceId: await addInstance(bare.database), userId: randomUUID(), role: 'admin', sessionId: randomUUID(), keyId: null },
  ...{ provenAtMs: 0, lacksTwoStep: false },
})
const save = async (caller: UserCaller, change: Partial<ProviderChange> = {}, allowPrivate = false) =>
  await replaceProvider(accessTo(allowPrivate), caller, { ...SETTINGS, ...change })
/** Saves over what is there, without a new secret. */
const saveAgain = async (caller: UserCaller, change: Partial<ProviderChange>) =>
  await replaceProvider(accessTo(false), caller, { ...WITHOUT_SECRET, ...change })
const stored = async ({ instanceId }: UserCaller) => await findIdentityProvider(bare.database, instanceId)
const auditOf = async ({ instanceId }: UserCaller) =>
  (await listAudit(bare.database, instanceId, 20)).map(({ entry }) => entry).toReversed()
/** Field and message of a refusal, after which nothing is stored; null: it is saved. */
async function refusal(change: Partial<ProviderChange>, allowPrivate = false): Promise<string | null> {
  const caller = await newCaller()
  const found = await save(caller, change, allowPrivate).then(
    () => null,
    (error: { fields: { field: string; message: string }[] }) => error.fields.map(({ field, message }) => `${field} ${message}`).join(),
  )
  expect((await stored(caller)) === null).toBe(found !== null)
  return found
}

describe('an issuer', () => {
  const HTTPS = 'issuer has to begin with https://'
  const PUBLIC = 'issuer must name a host on the public internet'

  it.each<[string, boolean, string | null]>([
    [`${ISSUER}/tenant/v2.0`, false, null],
    ['https://login.maple.example:443', false, null],
    ['login.maple.example', false, 'issuer is no absolute URL'],
    [`${ISSUER}/?a=b`, false, 'issuer must not hold a query or a fragment'],
    [`${ISSUER}/#a`, false, 'issuer must not hold a query or a fragment'],
    ['https://ann@login.maple.example', false, 'issuer must not hold a user or a password'],
    ['https://:word@login.maple.example', false, 'issuer must not hold a user or a password'],
    ['http://login.maple.example', false, HTTPS],
    ['http://login.maple.example', true, null],
    ['ftp://login.maple.example', true, PUBLIC],
    ['https://login.maple.example:8443', false, PUBLIC],
    ['https://login.maple.example:80', false, PUBLIC],
    ['https://10.0.0.1', false, PUBLIC],
    ['https://10.0.0.1:8443', true, null],
    ['https://login.internal', false, PUBLIC],
    ['https://169.254.169.254', true, PUBLIC],
  ])('%s, private networks allowed: %s: %s', async (issuer, allowPrivate, expected) => {
    expect(await refusal({ issuer }, allowPrivate)).toBe(expected)
  })

  it('is https where the operator requires encryption, and a host that the operator allows', async () => {
    requireEncryption(true)
    expect(await refusal({ issuer: 'http://login.maple.example' }, true)).toBe(HTTPS)
    expect(await refusal({}, true)).toBeNull()
    allowOnly(['*.maple.example'])
    expect(await refusal({})).toBeNull()
    expect(await refusal({ issuer: 'https://login.example.org' })).toBe('issuer must name a host that the operator allows')
  })
})

it.each<[Partial<ProviderChange>, string | null]>([
  [{ scopes: ['email'] }, 'scopes must hold openid'],
  [{ scopes: [] }, 'scopes must hold openid'],
  [{ parameters: { '': 'x' } }, 'parameters has a wrong form'],
  [{ parameters: { good: 'x', 'a b': 'x' } }, 'parameters has a wrong form'],
  [{ parameters: { [`${'a'.repeat(61)}`]: 'x' } }, 'parameters has a wrong form'],
  [{ parameters: { [`${'a'.repeat(60)}`]: 'x', 'a.b-c_1': 'x', nonces: 'x', xstate: 'x', code_challenge_other: 'x' } }, null],
  [{ parameters: { code_challenge: 'x' } }, 'parameters.code_challenge is set by the sign-in itself'],
  [{ parameters: { code_challenge_method: 'x' } }, 'parameters.code_challenge_method is set by the sign-in itself'],
  [{ parameters: { request_uri: 'x' } }, 'parameters.request_uri is set by the sign-in itself'],
  [{ parameters: { request: 'x' } }, 'parameters.request is set by the sign-in itself'],
  [{ clientSecret: undefined }, 'clientSecret is required'],
])('settings with %j: %s', async (change, expected) => {
  expect(await refusal(change)).toBe(expected)
})

describe('saved settings', () => {
  it('are stored with a sealed secret and a version, and keep their id and secret when they are saved again', async () => {
    const [caller, neighbour] = [await newCaller(), await newCaller()]
    const first = await save(caller)
    expect(first).toEqual({
      ...WITHOUT_SECRET,
      ...{ instanceId: caller.instanceId, id: expect.any(String), sealedSecret: expect.any(Uint8Array), triedAt: null },
      ...{ version: expect.any(String), updatedAt: bare.access.now() },
    })
    bare.moveClock(1_000)
    const again = await saveAgain(caller, { createsMembers: false })
    expect(again).toMatchObject({ id: first.id, createsMembers: false, updatedAt: bare.access.now() })
    expect(again.version).not.toBe(first.version)
    const opened = bare.access.sealer.open(secretContext(again), again.sealedSecret)
    expect(Buffer.from(opened).toString()).toBe('secret-canary')
    expect([await stored(caller), await stored(neighbour)]).toEqual([{ ...again, sealedSecret: Buffer.from(again.sealedSecret) }, null])
    expect(await auditOf(caller)).toMatchObject([
      {
        action: 'identity-provider.saved',
        userId: caller.userId,
        subject: null,
        after: { issuer: ISSUER },
        withheld: expect.arrayContaining(['clientSecret']),
      },
      { action: 'identity-provider.saved', before: { createsMembers: true }, after: { createsMembers: false } },
    ])
    expect(JSON.stringify(await auditOf(caller))).not.toContain('canary')
  })

  it.each([{ issuer: 'https://login.birch.example' }, { clientId: 'others' }])('need a new secret with %j', async (change) => {
    const caller = await newCaller()
    await save(caller)
    const refused = { status: 400, fields: [{ field: 'clientSecret', message: 'is needed for another issuer or client' }] }
    await expect(saveAgain(caller, change)).rejects.toMatchObject(refused)
    expect(await save(caller, { ...change, clientSecret: 'new' })).toMatchObject(change)
  })

  it.each<[Partial<ProviderChange>, boolean]>([
    [{}, true],
    [{ createsMembers: false }, true],
    [{ scopes: ['openid'] }, false],
    [{ parameters: { audience: 'x' } }, false],
    [{ groupsClaim: 'groups' }, false],
    [{ emailDomains: [] }, false],
    [{ trustsEmails: true }, false],
    [{ acceptedAcr: ['gold'] }, false],
    [{ acceptedAmr: ['mfa'] }, false],
    [{ defaultRole: null }, false],
    [{ clientSecret: 'another' }, false],
  ])('that were tried count as tried after a change of %j: %s', async (change, isTried) => {
    const caller = await newCaller()
    const { version } = await save(caller)
    const at = bare.access.now()
    await noteTry(bare.database, caller.instanceId, version, at)
    expect((await saveAgain(caller, change)).triedAt).toEqual(isTried ? at : null)
  })
})

describe('a required sign-in', () => {
  it('is refused before an administrator has signed in with these very settings', async () => {
    const caller = await newCaller()
    const untried = failsWith(409, 'Sign in with these settings as an administrator first; then the sign-in can be required.')
    await expect(save(caller, { isRequired: true })).rejects.toEqual(untried)
    expect(await stored(caller)).toBeNull()
    const { version } = await save(caller)
    await noteTry(bare.database, caller.instanceId, version, bare.access.now())
    await expect(saveAgain(caller, { isRequired: true, defaultRole: null })).rejects.toEqual(untried)
    expect((await stored(caller))?.isRequired).toBe(false)
  })

  it('ends the passwords and their sessions of the instance when it begins, and no others', async () => {
    const [caller, neighbour] = [await newCaller(), await newCaller()]
    const members = await Promise.all(
      [caller, neighbour].map(({ instanceId }) => addUser(bare.database, instanceId, { now: bare.access.now })),
    )
    for (const [at, { instanceId }] of [caller, neighbour].entries())
      await bare.database.query(
        `insert into sessions (instance_id, id, user_id, created_at, last_used_at, expires_at) values ($1, gen_random_uuid(), $2, now(), now(), now() + interval '1 day')`,
        [instanceId, members[at]?.id],
      )
    const stateOf = async ({ instanceId }: UserCaller) =>
      (
        await bare.database.query(
          'select u.password_hash as hash, s.end_reason as reason from users u join sessions s on s.user_id = u.id where u.instance_id = $1',
          [instanceId],
        )
      ).rows[0]
    const before = [await stateOf(caller), await stateOf(neighbour)]
    const { version } = await save(caller)
    await noteTry(bare.database, caller.instanceId, version, bare.access.now())
    await saveAgain(caller, {})
    expect(await stateOf(caller)).toEqual(before[0])
    expect((await saveAgain(caller, { isRequired: true })).isRequired).toBe(true)
    const unmatchable = await bare.access.hashing.hashOfNobody()
    expect([await stateOf(caller), await stateOf(neighbour)]).toEqual([
      { hash: unmatchable, reason: 'identity provider required' },
      before[1],
    ])
    await bare.database.query(`update users set password_hash = 'set since' where instance_id = $1`, [caller.instanceId])
    await saveAgain(caller, { isRequired: true, createsMembers: false })
    expect((await stateOf(caller))?.hash).toBe('set since')
  })
})

it('a provider is removed once, with an entry, and a neighbour’s stays', async () => {
  const [caller, neighbour] = [await newCaller(), await newCaller()]
  await save(caller)
  await save(neighbour)
  await removeProvider(accessTo(false), caller)
  expect([await stored(caller), (await stored(neighbour))?.issuer]).toEqual([null, ISSUER])
  const entry = { action: 'identity-provider.removed', userId: caller.userId, subject: null, before: { issuer: ISSUER, clientId: 'books' } }
  expect((await auditOf(caller)).at(-1)).toMatchObject(entry)
  await expect(removeProvider(accessTo(false), caller)).rejects.toEqual(failsWith(409, 'No identity provider is set.'))
  expect((await auditOf(caller)).filter(({ action }) => action === entry.action)).toHaveLength(1)
})

describe('what a provider says about itself', () => {
  const SILENT = { givesRefreshTokens: false, announcesLogouts: false, hasLogoutPage: false }

  it.each<[Record<string, unknown>, object]>([
    [{}, { fault: null, ...SILENT, givesRefreshTokens: true }],
    [{ grant_types_supported: undefined }, { fault: null, ...SILENT }],
    [{ grant_types_supported: ['authorization_code'] }, { fault: null, ...SILENT }],
    [{ backchannel_logout_supported: true }, { fault: null, ...SILENT, givesRefreshTokens: true, announcesLogouts: true }],
    [{ end_session_endpoint: `${ISSUER}/end` }, { fault: null, ...SILENT, givesRefreshTokens: true, hasLogoutPage: true }],
    [{ jwks_uri: undefined }, { fault: 'invalidAnswer', ...SILENT, givesRefreshTokens: true }],
    [{ token_endpoint: undefined }, { fault: 'invalidAnswer', ...SILENT, givesRefreshTokens: true }],
    [{ authorization_endpoint: undefined }, { fault: 'invalidAnswer', ...SILENT, givesRefreshTokens: true }],
    [{ issuer: 'https://other.example' }, { fault: 'invalidAnswer', ...SILENT }],
  ])('with %j is reported as %j', async (metadata, report) => {
    const caller = await newCaller()
    const saved = await save(caller, { issuer: provider.url, clientId: CLIENT.id, clientSecret: CLIENT.secret }, true)
    provider.metadata = metadata
    expect(await inspectProvider(accessTo(true), saved)).toEqual(report)
    provider.metadata = {}
  })

  it('is nothing while it cannot be reached', async () => {
    const saved = await save(await newCaller(), { issuer: provider.url }, true)
    provider.script.failure = 503
    expect(await inspectProvider(accessTo(true), saved)).toEqual({ fault: 'unavailable', ...SILENT })
    provider.reset()
  })
})
