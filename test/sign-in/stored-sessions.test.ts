import { randomBytes, randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { addIdentity, findMemberId, hasIdentity } from '../../src/store/access/provider-identities.ts'
import {
  addProviderSession,
  consumeLogoutToken,
  deleteOldProviderSessions,
  endPasswordSessions,
  findProviderSession,
  findProviderSessionOfToken,
  leaseCheck,
  listSessionsOfSubject,
  noteCheck,
} from '../../src/store/access/provider-sessions.ts'
import { isStoredToken, lockPresentedToken, rotateToken } from '../../src/store/access/refresh-tokens.ts'
import {
  createSession,
  deleteOldSessions,
  endSession,
  endSessionOfUser,
  endSessionsOfUser,
  findProof,
  listSessions,
  noteProof,
} from '../../src/store/access/sessions.ts'
import { createChallenge, findChallenge } from '../../src/store/access/two-step.ts'
import { databaseForTests } from '../harness/for-tests.ts'
import { AT, later, storeMember, storeTwoInstances } from './stored-members.ts'

const ORIGIN = { network: '192.0.2.0', agent: 'Firefox' }

const test = databaseForTests()
let [instanceId, otherId, userId] = ['', '', '']

async function addSession(of = userId, minutes = 0): Promise<{ id: string; tokenHash: Buffer }> {
  const [id, tokenHash] = [randomUUID(), randomBytes(32)]
  const ends = { expiresAt: later(600), tokenExpiresAt: later(60) }
  await createSession(test.database, { instanceId, id, userId: of, tokenHash, origin: ORIGIN, at: later(minutes), ...ends })
  return { id, tokenHash }
}

beforeEach(async () => {
  ;({ instanceId, otherId, userId } = await storeTwoInstances(test.database))
})

const idsOf = async (minutes = 1, of = userId) => (await listSessions(test.database, instanceId, of, later(minutes))).map(({ id }) => id)

describe('a session', () => {
  it('is listed while it and its newest token last, last used first', async () => {
    const [first, second] = [await addSession(), await addSession(userId, 1)]
    expect(await listSessions(test.database, instanceId, userId, later(1))).toEqual(
      [second, first].map(({ id }, index) => ({
        ...{ id, ...ORIGIN, expiresOn: later(600) },
        ...{ createdOn: later(1 - index), lastUsedOn: later(1 - index) },
      })),
    )
    expect([await idsOf(60), await idsOf(1, await storeMember(test.database, instanceId))]).toEqual([[], []])
  })

  it('is ended by its user, once, and by nobody else', async () => {
    const [{ id }, stranger] = [await addSession(), await storeMember(test.database, instanceId)]
    const end = (key: Partial<{ instanceId: string; userId: string }>) =>
      endSessionOfUser(test.database, { instanceId, userId, id, ...key }, 'logout', later(1))
    expect([await end({ userId: stranger }), await end({ instanceId: otherId }), await idsOf()]).toEqual([false, false, [id]])
    await endSession(test.database, otherId, id, 'logout', later(1))
    expect(await idsOf()).toEqual([id])
    expect([await end({}), await end({}), await idsOf()]).toEqual([true, false, []])
  })

  it('ends with all of its user but for one, and with them the logins that wait for a code', async () => {
    const { database } = test
    const [kept, ended, others] = [await addSession(), await addSession(), await addSession(await storeMember(test.database, instanceId))]
    const challenge = { instanceId, id: randomUUID(), userId, expiresAt: later(5) }
    await createChallenge(database, challenge)
    expect(await endSessionsOfUser(database, instanceId, userId, 'password changed', later(1), kept.id)).toBe(1)
    expect(await idsOf()).toEqual([kept.id])
    expect(await findChallenge(database, instanceId, challenge.id)).toMatchObject({ completedAt: later(1) })
    expect(await findProof(database, instanceId, others.id)).toEqual({ provenAt: AT, way: 'password' })
    expect(await findProof(database, instanceId, ended.id)).toBe(null)
    expect(await endSessionsOfUser(database, instanceId, userId, 'disabled', later(2))).toBe(1)
    expect(await endSessionsOfUser(database, instanceId, userId, 'disabled', later(2))).toBe(0)
  })

  it('remembers the last proof of identity until it ends', async () => {
    const { id } = await addSession()
    expect([await noteProof(test.database, instanceId, id, later(2)), await noteProof(test.database, otherId, id, later(3))]).toEqual([
      true,
      false,
    ])
    expect(await findProof(test.database, instanceId, id)).toEqual({ provenAt: later(2), way: 'password' })
    expect(await findProof(test.database, otherId, id)).toBe(null)
    await endSession(test.database, instanceId, id, 'logout', later(4))
    expect(await noteProof(test.database, instanceId, id, later(5))).toBe(false)
  })

  it('is deleted a day after it has expired', async () => {
    const { tokenHash } = await addSession()
    await deleteOldSessions(test.database, later(600 + 24 * 60))
    expect(await isStoredToken(test.database, [tokenHash])).toBe(true)
    await deleteOldSessions(test.database, later(601 + 24 * 60))
    expect(await isStoredToken(test.database, [tokenHash])).toBe(false)
  })
})

describe('a refresh token', () => {
  it('is found by one of its possible hashes, with its session and user', async () => {
    const { id, tokenHash } = await addSession()
    expect(await isStoredToken(test.database, [randomBytes(32)])).toBe(false)
    expect(await isStoredToken(test.database, [randomBytes(32), tokenHash])).toBe(true)
    expect(await lockPresentedToken(test.database, [randomBytes(32)])).toBe(null)
    expect(await lockPresentedToken(test.database, [randomBytes(32), tokenHash])).toMatchObject({
      ...{ instanceId, sessionId: id, userId, role: 'admin', isUserEnabled: true, generation: 0, currentGeneration: 0, usedAt: null },
      ...{ tokenExpiresAt: later(60), sessionExpiresAt: later(600), sessionEndedAt: null, provenAt: AT },
      ...{ isOfProvider: false, checkedAt: null, isProviderRequired: false },
    })
  })

  it('is marked as used, and followed by one of the next generation', async () => {
    const { tokenHash } = await addSession()
    const presented = await lockPresentedToken(test.database, [tokenHash])
    if (!presented) throw new Error('the token is gone')
    const successor = { tokenHash: randomBytes(32), origin: { network: '198.51.100.0', agent: 'curl' }, at: later(5), expiresAt: later(65) }
    await rotateToken(test.database, presented, successor)
    expect(await lockPresentedToken(test.database, [tokenHash])).toMatchObject({ usedAt: later(5), generation: 0, currentGeneration: 1 })
    expect(await lockPresentedToken(test.database, [successor.tokenHash])).toMatchObject({
      usedAt: null,
      generation: 1,
      currentGeneration: 1,
    })
    expect(await listSessions(test.database, instanceId, userId, later(61))).toMatchObject([
      { network: '198.51.100.0', agent: 'curl', lastUsedOn: later(5) },
    ])
  })
})

describe('a session of an identity provider', () => {
  const PERSON = { issuer: 'https://login.maple.example', subject: 'avery' }

  async function addOfProvider(checkedAt: Date | null = AT): Promise<{ id: string; tokenHash: Buffer }> {
    const session = await addSession()
    const facts = { providerSessionId: 'p1', sealedTokens: Buffer.of(1), checkedAt }
    await addProviderSession(test.database, { instanceId, sessionId: session.id, ...PERSON, ...facts })
    return session
  }

  it('is found by its id and by its token until it ends, and a session of a password is not', async () => {
    const { database } = test
    const [ofPassword, { id, tokenHash }] = [await addSession(), await addOfProvider()]
    const expected = {
      instanceId,
      sessionId: id,
      userId,
      ...PERSON,
      providerSessionId: 'p1',
      checkedAt: AT,
      retryAt: null,
      leasedUntil: null,
    }
    expect(await findProviderSession(database, { instanceId, sessionId: id })).toMatchObject(expected)
    expect(await findProviderSessionOfToken(database, [randomBytes(32), tokenHash])).toMatchObject(expected)
    expect(await findProof(database, instanceId, id)).toMatchObject({ way: 'provider' })
    expect(await findProviderSession(database, { instanceId, sessionId: ofPassword.id })).toBe(null)
    expect(await findProviderSessionOfToken(database, [ofPassword.tokenHash])).toBe(null)
    expect(await findProviderSession(database, { instanceId: otherId, sessionId: id })).toBe(null)
    await endSession(database, instanceId, id, 'logout', later(1))
    expect([
      await findProviderSession(database, { instanceId, sessionId: id }),
      await findProviderSessionOfToken(database, [tokenHash]),
    ]).toEqual([null, null])
  })

  it('is checked by one process at a time, and not again after a later check', async () => {
    const { database } = test
    const { id: sessionId } = await addOfProvider()
    const lease = (minutes: number, checkedAt = AT) =>
      leaseCheck(database, { instanceId, sessionId, checkedAt }, { at: later(minutes), until: later(minutes + 1) })
    expect([await lease(0), await lease(0.5), await lease(1)]).toEqual([true, false, true])
    await noteCheck(database, { instanceId, sessionId }, { retryAt: later(9) })
    const stored = () => findProviderSession(database, { instanceId, sessionId })
    expect(await stored()).toMatchObject({ checkedAt: AT, sealedTokens: Buffer.of(1), retryAt: later(9), leasedUntil: null })
    await noteCheck(database, { instanceId, sessionId }, { checkedAt: later(10), sealedTokens: Buffer.of(2) })
    expect(await stored()).toMatchObject({ checkedAt: later(10), sealedTokens: Buffer.of(2), retryAt: null, leasedUntil: null })
    expect([await lease(11), await lease(11, later(10))]).toEqual([false, true])
  })

  it('is listed for its person or for the session of the provider', async () => {
    const { id: sessionId } = await addOfProvider()
    const list = (issuer: string, subject: string | null, providerSessionId: string | null) =>
      listSessionsOfSubject(test.database, instanceId, issuer, { subject, providerSessionId })
    const found = [{ instanceId, sessionId, userId }]
    expect([await list(PERSON.issuer, 'avery', null), await list(PERSON.issuer, null, 'p1')]).toEqual([found, found])
    for (const [issuer, subject, id] of [
      ['https://other.example', 'avery', null],
      [PERSON.issuer, 'blake', 'p1'],
      [PERSON.issuer, 'avery', 'p2'],
    ] as const)
      expect(await list(issuer, subject, id)).toEqual([])
  })

  it('goes on when those of passwords end', async () => {
    const [, , { id }] = [await addSession(), await addSession(), await addOfProvider()]
    expect(await endPasswordSessions(test.database, otherId, 'provider required', later(1))).toBe(0)
    expect(await endPasswordSessions(test.database, instanceId, 'provider required', later(1))).toBe(2)
    expect(await idsOf()).toEqual([id])
  })

  it('loses its tokens once it has ended or expired', async () => {
    const { database } = test
    const [{ id }, ended] = [await addOfProvider(), await addOfProvider()]
    await endSession(database, instanceId, ended.id, 'logout', later(1))
    const left = async () =>
      (await database.query('select session_id as id from provider_sessions where instance_id = $1', [instanceId])).rows
    await deleteOldProviderSessions(database, later(2))
    expect(await left()).toEqual([{ id }])
    await deleteOldProviderSessions(database, later(601))
    expect(await left()).toEqual([])
  })

  it('has logout tokens that serve once in an instance', async () => {
    const token = randomBytes(32)
    const consume = (of: string) => consumeLogoutToken(test.database, of, token, later(5))
    expect([await consume(instanceId), await consume(instanceId), await consume(otherId)]).toEqual([true, false, true])
    await deleteOldProviderSessions(test.database, later(5))
    expect(await consume(instanceId)).toBe(false)
    await deleteOldProviderSessions(test.database, later(6))
    expect(await consume(instanceId)).toBe(true)
  })

  it('belongs to one member of an instance', async () => {
    const { database } = test
    const [subject, second] = [{ instanceId, ...PERSON }, await storeMember(test.database, instanceId)]
    expect([await findMemberId(database, subject), await hasIdentity(database, instanceId, userId, PERSON.issuer)]).toEqual([null, false])
    expect([await addIdentity(database, subject, userId, AT), await addIdentity(database, subject, second, AT)]).toEqual([true, false])
    expect([await findMemberId(database, subject), await hasIdentity(database, instanceId, userId, PERSON.issuer)]).toEqual([userId, true])
    expect(await findMemberId(database, { ...subject, instanceId: otherId })).toBe(null)
    expect(await hasIdentity(database, instanceId, second, PERSON.issuer)).toBe(false)
  })
})
