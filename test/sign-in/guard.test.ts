import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { AccessTokens } from '../../src/api/access/access-tokens.ts'
import type { KeyCaller, UserCaller } from '../../src/api/access/caller.ts'
import { checkAccess, Guard, type GuardParts, mayCall, readBearer } from '../../src/api/access/guard.ts'
import { newApiKey } from '../../src/api/access/keys/key-text.ts'
import { KeyUses } from '../../src/api/access/keys/key-uses.ts'
import { hashApiKey, KeyVerifier } from '../../src/api/access/keys/key-verifier.ts'
import type { Scope } from '../../src/api/access/keys/scopes.ts'
import { Revocations } from '../../src/api/access/revocations.ts'
import { createApiKey, findApiKey } from '../../src/store/access/api-keys.ts'
import { createInstance } from '../../src/store/access/instances.ts'
import type { Role } from '../../src/store/access/users.ts'
import { type TokenHash, tokenHasher } from '../../src/store/keys/token-hash.ts'
import { setQuotas } from '../../src/store/operators/quotas.ts'
import { insertSuspension } from '../../src/store/operators/suspensions.ts'
import { type TestDatabase, testDatabase } from '../harness/database.ts'
import { testKeys } from '../harness/keys.ts'

type Gate = Parameters<typeof mayCall>[1]

const user = (role: Role, lacksTwoStep = false): UserCaller => {
  const ids = { instanceId: randomUUID(), userId: randomUUID(), sessionId: randomUUID() }
  return { ...ids, role, keyId: null, provenAtMs: 0, lacksTwoStep }
}
const key = (...scopes: Scope[]): KeyCaller => {
  const ids = { instanceId: randomUUID(), keyId: randomUUID(), applicationId: randomUUID(), createdBy: randomUUID() }
  return { ...ids, userId: null, scopes: new Set(scopes) }
}
/** Status and machine-readable reason of the refusal; null when there is none. */
const refusalOf = (caller: UserCaller | KeyCaller, gate: Gate): unknown => {
  try {
    checkAccess(caller, gate)
    return null
  } catch (error) {
    return error
  }
}

describe('a route', () => {
  const gates: [string, Gate, UserCaller | KeyCaller, boolean][] = [
    ['of admins, an admin', { roles: ['admin'] }, user('admin'), true],
    ['of admins, a developer', { roles: ['admin'] }, user('developer'), false],
    ['of three roles, the last of them', { roles: ['admin', 'developer', 'viewer'] }, user('viewer'), true],
    ['that is public, by its gate', { roles: 'public' }, user('admin'), false],
    ['without roles', {}, user('admin'), false],
    ['of admins, an admin who has to set up a second step', { roles: ['admin'] }, user('admin', true), false],
    ['that sets one up, an admin who has to', { roles: ['admin'], isTwoStepSetup: true }, user('admin', true), true],
    ['that sets one up, a viewer where only admins may', { roles: ['admin'], isTwoStepSetup: true }, user('viewer', true), false],
    ['of a scope, a key with it', { roles: ['admin'], scope: 'data:read' }, key('companies:read', 'data:read'), true],
    ['of a scope, a key with another', { roles: ['admin'], scope: 'data:read' }, key('companies:read'), false],
    ['of a scope, a key with none', { roles: ['admin'], scope: 'data:read' }, key(), false],
    ['of users alone, a key', { roles: ['admin'], scope: 'users' }, key('data:read'), false],
    ['without a scope, a key', { roles: ['admin'] }, key('data:read'), false],
  ]

  it.each(gates)('%s: what it may is what it is not refused', (_what, gate, caller, may) => {
    expect([mayCall(caller, gate), refusalOf(caller, gate) === null]).toEqual([may, may])
  })

  it('says what is missing: a role, a second step, a scope, or a person', () => {
    const reasons = [
      refusalOf(user('viewer'), { roles: ['admin'] }),
      refusalOf(user('admin', true), { roles: ['admin'] }),
      refusalOf(key('companies:read'), { roles: ['admin'], scope: 'data:read' }),
      refusalOf(key('companies:read'), { roles: ['admin'], scope: 'users' }),
      refusalOf(key('companies:read'), { roles: ['admin'] }),
    ]
    expect(reasons.map((error) => (error as { status: number }).status)).toEqual([403, 403, 403, 403, 403])
    const messages = reasons.map((error) => (error as Error).message)
    expect(messages[2]).toContain('data:read')
    expect([new Set(messages.slice(0, 4)).size, messages[3] === messages[4]]).toEqual([4, true])
  })
})

describe('the token of a header', () => {
  it.each([
    ['Bearer abc', 'abc'],
    ['bearer abc', 'abc'],
    ['BEARER   abc', 'abc'],
    ['Bearer abc def', 'abc def'],
    ['Bearer bearer abc', 'bearer abc'],
    ['Bearerabc', null],
    ['Basic abc', null],
    [' Bearer abc', null],
    ['Token bearer abc', null],
    ['', null],
    [undefined, null],
  ])('%j is %j', (header, token) => {
    expect(readBearer(header)).toBe(token)
  })
})

describe('a guard', () => {
  let test: TestDatabase
  let parts: GuardParts
  let guard: Guard
  let tokens: AccessTokens
  let nowMs: number
  let keyUses: KeyUses
  let hashes: TokenHash
  beforeEach(async () => {
    test = await testDatabase()
    nowMs = Date.parse('2026-11-20T12:00:00Z')
    const now = () => new Date(nowMs)
    const keys = await testKeys()
    const { database } = test
    tokens = new AccessTokens(keys.signing, { issuer: 'https://data.example.com', accessTokenMinutes: 60 }, now)
    hashes = tokenHasher(keys, '')
    keyUses = new KeyUses(database)
    parts = { tokens, keys: new KeyVerifier(database, hashes, now), keyUses, revocations: new Revocations(database), now }
    guard = new Guard(parts)
  })
  afterEach(async () => await test.drop())

  const sign = async (caller: UserCaller) => `Bearer ${await tokens.issue(caller)}`
  const suspend = async (instanceId: string) => {
    await createInstance(test.database, { id: instanceId, name: 'Maple Lending' })
    await insertSuspension(test.database, instanceId, 'unpaid')
  }
  const end = async ({ sessionId }: UserCaller) =>
    await test.database.query('insert into ended_sessions (session_id) values ($1)', [sessionId])
  /** A key of a new instance, as its header and its row. */
  const addKey = async ({ expiresInMs = null as number | null } = {}) => {
    const { text, prefix } = newApiKey('live')
    const ids = { instanceId: randomUUID(), id: randomUUID(), applicationId: randomUUID(), createdBy: randomUUID() }
    await createInstance(test.database, { id: ids.instanceId, name: 'Maple Lending' })
    const [tokenHash = new Uint8Array()] = hashApiKey(hashes, text)
    const times = { createdOn: new Date(nowMs), expiresOn: expiresInMs === null ? null : new Date(nowMs + expiresInMs) }
    await createApiKey(test.database, { ...ids, ...times, name: 'Import', prefix, scopes: ['data:read', 'gone'], tokenHash })
    return { header: `Bearer ${text}`, ...ids }
  }
  const identify = async (header: string) => await guard.identify(header, { atOnce: false })

  it('recognizes a token for a second after it has looked, and nothing that it has not seen', async () => {
    const caller = user('viewer')
    const header = await sign(caller)
    expect([guard.recognize(undefined), guard.recognize(header)]).toEqual([null, null])
    expect(await identify(header)).toEqual(caller)
    nowMs += 999
    expect([guard.recognize(header), guard.recognize(`${header}x`)]).toEqual([caller, null])
    nowMs += 1
    expect(guard.recognize(header)).toBeNull()
  })

  it('recognizes no token of a session that has ended, and lets its answers go on no longer', async () => {
    const [ended, other] = [user('viewer'), user('viewer')]
    const header = await sign(ended)
    await identify(header)
    await guard.requireNotEnded(ended)
    await end(ended)
    nowMs += 1_000
    await identify(await sign(other))
    expect(guard.recognize(header)).toBeNull()
    await expect(guard.requireNotEnded(ended)).rejects.toMatchObject({ status: 401 })
    await expect(identify(header)).rejects.toMatchObject({ status: 401 })
    await guard.requireNotEnded(other)
  })

  it('recognizes no token of an instance that is suspended, says so, and lets its answers go on no longer', async () => {
    const [suspended, other] = [user('admin'), user('admin')]
    const header = await sign(suspended)
    await identify(header)
    await suspend(suspended.instanceId)
    nowMs += 1_000
    await identify(await sign(other))
    expect(guard.recognize(header)).toBeNull()
    await expect(identify(header)).rejects.toMatchObject({ status: 403 })
    await expect(guard.requireNotEnded(suspended)).rejects.toMatchObject({ status: 403 })
    await guard.requireNotEnded(other)
  })

  it('recognizes no token whose signing key was withdrawn, and knows it again when the key is back', async () => {
    const keys = await testKeys()
    let isWithdrawn = false
    const signing = {
      newest: keys.signing.newest,
      all: keys.signing.all,
      find: (id: string) => (isWithdrawn ? undefined : keys.signing.find(id)),
    }
    const signed = new AccessTokens(signing, { issuer: 'https://data.example.com', accessTokenMinutes: 60 }, parts.now)
    const other = new Guard({ ...parts, tokens: signed })
    const caller = user('viewer')
    const header = `Bearer ${await signed.issue(caller)}`
    await other.identify(header, { atOnce: false })
    isWithdrawn = true
    expect(other.recognize(header)).toBeNull()
    await expect(other.identify(header, { atOnce: false })).rejects.toMatchObject({ status: 401 })
    isWithdrawn = false
    expect(await other.identify(header, { atOnce: false })).toEqual(caller)
  })

  it('recognizes no token at its end', async () => {
    const header = await sign(user('viewer'))
    nowMs += 3_600_000 - 1
    expect(await identify(header)).toMatchObject({ role: 'viewer' })
    nowMs += 1
    expect(guard.recognize(header)).toBeNull()
    await expect(identify(header)).rejects.toMatchObject({ status: 401 })
  })

  it('asks for a token where there is none, and says of any other that it is not valid', async () => {
    const challengeOf = async (header: string | undefined) =>
      await guard.identify(header, { atOnce: false }).then(
        () => null,
        (error: unknown) => error,
      )
    for (const header of [undefined, '', 'Basic abc', 'Bearerabc'])
      expect(await challengeOf(header)).toMatchObject({ status: 401, headers: { 'www-authenticate': 'Bearer realm="api"' } })
    for (const header of ['Bearer abc', `Bearer ${newApiKey('live').text}`, 'Bearer ch_live_abc'])
      expect(await challengeOf(header)).toMatchObject({ headers: { 'www-authenticate': expect.stringContaining('error="invalid_token"') } })
  })

  it('knows a key with its scopes, recognizes it, and notes each use', async () => {
    const { header, instanceId, id, applicationId, createdBy } = await addKey()
    const lastUse = async () => {
      await keyUses.flush()
      return (await findApiKey(test.database, instanceId, id))?.lastUsedOn?.getTime()
    }
    const caller = { instanceId, keyId: id, applicationId, createdBy, userId: null, scopes: new Set(['data:read']) }
    expect([await identify(header), await lastUse()]).toEqual([caller, nowMs])
    nowMs += 60_000
    await identify(header)
    nowMs += 999
    expect([guard.recognize(header), await lastUse()]).toEqual([caller, nowMs - 999])
    nowMs += 60_000
    expect([guard.recognize(header), await lastUse()]).toEqual([null, nowMs - 60_999])
  })

  it('looks a key up again ten minutes later, and refuses it from the moment when it expires', async () => {
    const { header } = await addKey({ expiresInMs: 900_000 })
    const rename = async (scope: string) => await test.database.query('update api_keys set scopes = array[$1]', [scope])
    const scopes = async () => [...((await identify(header)) as KeyCaller).scopes]
    await identify(header)
    await rename('companies:read')
    nowMs += 600_000 - 1
    expect(await scopes()).toEqual(['data:read'])
    nowMs += 1
    expect(guard.recognize(header)).toBeNull()
    expect(await scopes()).toEqual(['companies:read'])
    nowMs += 300_000 - 1
    expect(await scopes()).toEqual(['companies:read'])
    nowMs += 1
    await expect(identify(header)).rejects.toMatchObject({ status: 401 })
  })

  it('refuses a key that was revoked, whether it knows it or not', async () => {
    const { header, id } = await addKey()
    await identify(header)
    const { header: unknown } = await addKey()
    await test.database.query('update api_keys set revoked_at = now()')
    await expect(identify(unknown)).rejects.toMatchObject({ status: 401 })
    expect(await identify(header)).toMatchObject({ keyId: id })
    await test.database.query('insert into ended_sessions (session_id) values ($1) on conflict do nothing', [id])
    await expect(guard.identify(header, { atOnce: true })).rejects.toMatchObject({ status: 401 })
    expect(guard.recognize(header)).toBeNull()
  })

  it('looks at what has ended a second later at the latest, and at once before a change', async () => {
    const [first, second] = [user('admin'), user('admin')]
    const headers = [await sign(first), await sign(second)] as const
    await identify(headers[0])
    await identify(headers[1])
    await end(first)
    nowMs += 999
    expect(await identify(headers[0])).toEqual(first)
    nowMs += 1
    await expect(identify(headers[0])).rejects.toMatchObject({ status: 401 })
    await end(second)
    expect(await identify(headers[1])).toEqual(second)
    await expect(guard.identify(headers[1], { atOnce: true })).rejects.toMatchObject({ status: 401 })
  })

  it('knows how many requests operators have set for an instance', async () => {
    const { header, instanceId } = await addKey()
    await setQuotas(test.database, instanceId, { requestsPerMinute: 7 })
    await identify(header)
    expect([guard.requestQuotaOf(instanceId), guard.requestQuotaOf(randomUUID())]).toEqual([7, undefined])
  })

  it('remembers no more headers than it may: the oldest is looked at again', async () => {
    const small = new Guard(parts, 10)
    const headers = await Promise.all(Array.from({ length: 11 }, () => sign(user('viewer'))))
    for (const header of headers) await small.identify(header, { atOnce: false })
    const isKnown = (at: number) => small.recognize(headers[at]) !== null
    expect([isKnown(0), isKnown(1), isKnown(10)]).toEqual([false, true, true])
    for (const header of headers) await small.identify(`${header}x`, { atOnce: false }).catch(() => undefined)
    expect(isKnown(10), 'what is no token takes no place').toBe(true)
  })
})
