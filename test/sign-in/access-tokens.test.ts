import { randomUUID, sign } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { AccessTokens } from '../../src/api/access/access-tokens.ts'
import { openForTests } from '../harness/for-tests.ts'
import { rotatableKeys } from '../harness/keys.ts'

type Json = Record<string, unknown>
const START = Date.parse('2026-11-20T12:00:00Z')
const USER = { instanceId: randomUUID(), userId: randomUUID(), sessionId: randomUUID(), role: 'viewer' as const }
const CALLER = { ...USER, provenAtMs: START - 5_000, lacksTwoStep: false }

describe('a signed token', () => {
  const made = openForTests(rotatableKeys)
  let nowMs = START
  const now = () => new Date(nowMs)
  const at = <T>(ms: number, ask: () => Promise<T>): Promise<T> => {
    nowMs = ms
    return ask().finally(() => {
      nowMs = START
    })
  }
  const issuer = (minutes: number, issuer = 'https://data.example.com') =>
    new AccessTokens(made.keys.signing, { issuer, accessTokenMinutes: minutes }, now)
  const claimsOf = (token: string): Json => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
  /** A token of our own key with these parts. */
  const assemble = (claims: Json, header: Json = {}) => {
    const { id: kid, privateKey } = made.keys.signing.newest
    const parts = [{ alg: 'EdDSA', typ: 'at+jwt', kid, ...header }, claims].map((part) =>
      Buffer.from(JSON.stringify(part)).toString('base64url'),
    )
    return [...parts, sign(null, Buffer.from(parts.join('.')), privateKey).toString('base64url')].join('.')
  }
  const good = (): Json => {
    const { userId: sub, instanceId: iid, sessionId: sid, role } = USER
    const iat = START / 1_000
    return { iss: 'https://data.example.com', aud: 'api', sub, iid, sid, role, jti: randomUUID(), iat, exp: iat + 600 }
  }
  it.each([0, 0.5, 0.99, -1, 1440.5, 2000, Number.NaN])('of %d minutes is refused at the start', (minutes) => {
    expect(() => issuer(minutes)).toThrow(RangeError)
  })

  it.each([
    [1, 60],
    [1.5, 90],
    [60, 3_600],
    [1_440, 86_400],
  ])('of %d minutes ends after %d seconds, and not before', async (minutes, seconds) => {
    const tokens = issuer(minutes)
    const token = await tokens.issue(CALLER)
    const end = START + seconds * 1_000
    const isTaken = async (ms: number) => (await at(ms, () => tokens.verify(token))) !== null
    expect([claimsOf(token).exp, await isTaken(START), await isTaken(end - 1), await isTaken(end)]).toEqual([
      end / 1_000,
      true,
      true,
      false,
    ])
  })

  it.each([
    ['no end of its own', null, 3_600],
    ['an earlier end', 90_000, 90],
    ['an end within a second, which it outlives by less than one', 999, 1],
    ['an end that is over', -5_000, 1],
    ['a later end than usual', 7_200_000, 3_600],
  ])('with %s lives that long', async (_what, leftMs, seconds) => {
    const token = await issuer(60).issue(CALLER, leftMs === null ? null : new Date(START + leftMs))
    expect(Number(claimsOf(token).exp) - START / 1_000).toBe(seconds)
  })

  it('gives back whom it was issued to, when that was proven, and whether a second step is missing', async () => {
    const tokens = issuer(60)
    for (const lacksTwoStep of [false, true]) {
      const verified = await tokens.verify(await tokens.issue({ ...CALLER, lacksTwoStep }))
      expect(verified).toEqual({
        caller: { ...CALLER, lacksTwoStep, keyId: null },
        kid: made.keys.signing.newest.id,
        refusedFromMs: START + 3_600_000,
      })
      expect(Object.isFrozen(verified?.caller)).toBe(true)
    }
  })

  it('of an earlier release, without the time of proof, counts as never proven', async () => {
    expect((await issuer(60).verify(assemble(good())))?.caller).toMatchObject({ provenAtMs: 0, lacksTwoStep: false })
  })

  it('that is a challenge opens the second step for five minutes, and nothing else', async () => {
    const tokens = issuer(60)
    const challenge = { instanceId: USER.instanceId, challengeId: randomUUID() }
    const token = await tokens.issueChallenge({ ...challenge, userId: USER.userId })
    const end = START + 300_000
    const verify = (ms: number) => at(ms, () => tokens.verifyChallenge(token))
    expect([await verify(START), await verify(end - 1), await verify(end)]).toEqual([challenge, challenge, null])
    expect(claimsOf(token)).toMatchObject({ sub: USER.userId, iid: USER.instanceId, jti: challenge.challengeId, aud: 'mfa' })
    expect([await tokens.verify(token), await tokens.verifyChallenge(await tokens.issue(CALLER))]).toEqual([null, null])
  })

  it.each<[string, Json, Json?]>([
    ['without a person', { sub: undefined }],
    ['without an id', { jti: undefined }],
    ['without a beginning', { iat: undefined }],
    ['without an end', { exp: undefined }],
    ['of another issuer', { iss: 'https://other.example.com' }],
    ['for another audience', { aud: 'mfa' }],
    ['of another type', {}, { typ: 'JWT' }],
    ['of another algorithm', {}, { alg: 'HS256' }],
    ['of no key', {}, { kid: undefined }],
    ['of a key that nobody has', {}, { kid: 'other' }],
    ['of a role that does not exist', { role: 'owner' }],
    ['of an instance that is no id', { iid: '*' }],
    ['that lives for a second more than a day', { exp: START / 1_000 + 86_401 }],
    ['that was issued a day and a minute ago and more', { iat: START / 1_000 - 86_461, exp: START / 1_000 + 10 }],
    ['that is issued more than a minute from now', { iat: START / 1_000 + 61 }],
  ])('%s is none', async (_what, claims, header) => {
    expect(await issuer(60).verify(assemble({ ...good(), ...claims }, header))).toBeNull()
  })

  it.each<[string, Json]>([
    ['as it is', {}],
    ['that lives for a day', { exp: START / 1_000 + 86_400 }],
    ['that another process with a clock a minute ahead has issued', { iat: START / 1_000 + 60 }],
  ])('%s is taken', async (_what, claims) => {
    expect(await issuer(60).verify(assemble({ ...good(), ...claims }))).not.toBeNull()
  })

  it.each(['admin', 'developer', 'integration', 'viewer'] as const)('of the role %s is taken', async (role) => {
    expect((await issuer(60).verify(await issuer(60).issue({ ...CALLER, role })))?.caller.role).toBe(role)
  })

  it.each<[string, boolean, Json, Json?]>([
    ['as it is', true, {}],
    ['of another type', false, {}, { typ: 'at+jwt' }],
    ['for another audience', false, { aud: 'api' }],
    ['of an instance that is no id', false, { iid: '*' }],
    ['without an instance', false, { iid: undefined }],
    ['with an id that is none', false, { jti: 'one' }],
  ])('that is a challenge %s is taken: %s', async (_what, isTaken, claims, header = {}) => {
    const token = assemble({ ...good(), aud: 'mfa', ...claims }, { typ: 'mfa+jwt', ...header })
    expect((await issuer(60).verifyChallenge(token)) !== null).toBe(isTaken)
  })

  it('has at most 2,048 characters', async () => {
    const lengths = new Map<number, boolean>()
    for (let length = 0; length < 1_600; length += 1) {
      const token = assemble({ ...good(), filler: 'x'.repeat(length) })
      if (token.length >= 2_046 && token.length <= 2_050) lengths.set(token.length, (await issuer(60).verify(token)) !== null)
    }
    const [taken, refused] = [true, false].map((kept) => [...lengths].filter(([, isTaken]) => isTaken === kept).map(([length]) => length))
    expect([Math.max(...(taken ?? [])) <= 2_048, Math.min(...(refused ?? [])) > 2_048, lengths.size > 2]).toEqual([true, true, true])
  })

  it.each(['a.b', 'a.b.c.d', ' a.b.c', 'a.b.c ', 'a.b.c\n', 'a..c', '', 'a.b=.c'])('that is written as %j is none', async (token) => {
    expect(await issuer(60).verify(token)).toBeNull()
  })

  it.each([
    [' ', ''],
    ['\n', ''],
    ['', ' '],
    ['', '\n'],
    ['=', ''],
    ['', '='],
  ])('with %j before it and %j behind it is none', async (before, behind) => {
    const tokens = issuer(60)
    expect(await tokens.verify(`${before}${await tokens.issue(CALLER)}${behind}`)).toBeNull()
  })

  it('is neither accepted nor refused while the keys cannot be read: the check fails', async () => {
    const ring = { ...made.keys.signing, newest: made.keys.signing.newest, all: [] }
    const unreadable = {
      ...ring,
      find: () => {
        throw new Error('the folder is gone')
      },
    }
    const tokens = new AccessTokens(unreadable, { issuer: 'https://data.example.com', accessTokenMinutes: 60 }, now)
    await expect(tokens.verify(await tokens.issue(CALLER))).rejects.toThrow('the folder is gone')
  })

  it('is signed by the newest key, taken under an older one, and names the one that it needs', async () => {
    const tokens = issuer(60)
    const older = await tokens.issue(CALLER)
    const id = await made.rotate('signing')
    const newer = await tokens.verify(await tokens.issue(CALLER))
    const known = await tokens.verify(older)
    expect([newer?.kid, known?.kid !== id, tokens.isKeyKnown(id), tokens.isKeyKnown(known?.kid ?? ''), tokens.isKeyKnown('none')]).toEqual([
      ...[id, true, true, true, false],
    ])
  })
})
