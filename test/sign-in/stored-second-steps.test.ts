import { randomBytes, randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  type AttemptLimit,
  consumeAttempt,
  deleteOldAttempts,
  isKnownNetwork,
  refundAttempts,
  rememberNetwork,
} from '../../src/store/access/login-rate-limits.ts'
import { insertPasskey } from '../../src/store/access/passkeys.ts'
import {
  clearTwoStep,
  completeChallenge,
  confirmTwoStep,
  consumeCounter,
  consumeRecoveryCode,
  countRecoveryCodes,
  createChallenge,
  deleteOldChallenges,
  deleteTwoStep,
  findChallenge,
  findTwoStep,
  holdRecoveryCodes,
  replaceRecoveryCodes,
  retireTwoStep,
  startTwoStep,
  tryChallenge,
} from '../../src/store/access/two-step.ts'
import { databaseForTests } from '../harness/for-tests.ts'
import { AT, later, storeTwoInstances } from './stored-members.ts'

const test = databaseForTests()
let [instanceId, otherId, userId] = ['', '', '']

beforeEach(async () => {
  ;({ instanceId, otherId, userId } = await storeTwoInstances(test.database))
})

describe('a second step', () => {
  const [secret, other] = [Buffer.of(1), Buffer.of(2)]

  it('can be started again until it is confirmed, and confirmed once, as it was started last', async () => {
    const { database } = test
    expect(await startTwoStep(database, instanceId, userId, secret, AT)).toBe(true)
    expect(await startTwoStep(database, instanceId, userId, other, later(1))).toBe(true)
    expect(await confirmTwoStep(database, instanceId, userId, AT, later(2))).toBe(false)
    expect(await findTwoStep(database, instanceId, userId)).toEqual({ sealedSecret: other, startedAt: later(1), confirmedAt: null })
    expect(await confirmTwoStep(database, instanceId, userId, later(1), later(2))).toBe(true)
    expect(await confirmTwoStep(database, instanceId, userId, later(1), later(3))).toBe(false)
    expect(await startTwoStep(database, instanceId, userId, secret, later(4))).toBe(false)
    expect(await findTwoStep(database, instanceId, userId)).toMatchObject({ sealedSecret: other, confirmedAt: later(2) })
    expect(await findTwoStep(database, otherId, userId)).toBe(null)
  })

  it('takes a code of one time step once, and none of an earlier one', async () => {
    await startTwoStep(test.database, instanceId, userId, secret, AT)
    const taken: boolean[] = []
    for (const counter of [7, 7, 6, 8]) taken.push(await consumeCounter(test.database, instanceId, userId, counter))
    expect(taken).toEqual([true, false, false, true])
    expect(await consumeCounter(test.database, otherId, userId, 9)).toBe(false)
  })

  it('has recovery codes that serve once, and are replaced together', async () => {
    const { database } = test
    await holdRecoveryCodes(database, instanceId, userId, secret, AT)
    const codes = [randomBytes(32), randomBytes(32)] as const
    const consume = (...hashes: Uint8Array[]) => consumeRecoveryCode(database, instanceId, userId, hashes, later(1))
    await replaceRecoveryCodes(database, instanceId, userId, codes)
    expect([await consume(randomBytes(32)), await consume(randomBytes(32), codes[0]), await consume(codes[0])]).toEqual([
      false,
      true,
      false,
    ])
    expect(await countRecoveryCodes(database, instanceId, userId)).toBe(1)
    await replaceRecoveryCodes(database, instanceId, userId, [randomBytes(32), randomBytes(32), randomBytes(32)])
    expect([await consume(codes[1]), await countRecoveryCodes(database, instanceId, userId)]).toEqual([false, 3])
    expect(await countRecoveryCodes(database, otherId, userId)).toBe(0)
  })

  it('that is held for recovery codes is no app, and keeps one', async () => {
    const { database } = test
    await holdRecoveryCodes(database, instanceId, userId, secret, AT)
    expect(await findTwoStep(database, instanceId, userId)).toMatchObject({ sealedSecret: secret, confirmedAt: null })
    expect(await startTwoStep(database, instanceId, userId, other, later(1))).toBe(true)
    expect(await confirmTwoStep(database, instanceId, userId, later(1), later(2))).toBe(true)
    await holdRecoveryCodes(database, instanceId, userId, secret, later(3))
    expect(await findTwoStep(database, instanceId, userId)).toMatchObject({ sealedSecret: other, confirmedAt: later(2) })
    await retireTwoStep(database, instanceId, userId, secret, later(4))
    expect(await findTwoStep(database, instanceId, userId)).toMatchObject({ sealedSecret: secret, confirmedAt: null })
  })

  it('tells when it is removed whether it was one', async () => {
    const { database } = test
    expect([await clearTwoStep(database, instanceId, userId), await deleteTwoStep(database, instanceId, userId)]).toEqual([false, false])
    await holdRecoveryCodes(database, instanceId, userId, secret, AT)
    expect(await clearTwoStep(database, instanceId, userId)).toBe(false)
    await startTwoStep(database, instanceId, userId, secret, AT)
    await confirmTwoStep(database, instanceId, userId, AT, later(1))
    expect([await clearTwoStep(database, otherId, userId), await clearTwoStep(database, instanceId, userId)]).toEqual([false, true])
    await startTwoStep(database, instanceId, userId, secret, AT)
    expect([await deleteTwoStep(database, otherId, userId), await deleteTwoStep(database, instanceId, userId)]).toEqual([false, true])
  })

  it('is removed with passkeys, where there is nothing else', async () => {
    const { database } = test
    const passkey = {
      id: randomUUID(),
      name: 'Laptop',
      credentialId: randomBytes(16),
      publicKey: randomBytes(32),
      transports: [],
      signCount: 0,
    }
    await insertPasskey(database, { kind: 'user', instanceId, id: userId }, passkey, AT)
    expect([await clearTwoStep(database, instanceId, userId), await clearTwoStep(database, instanceId, userId)]).toEqual([true, false])
  })

  it('is asked for by a login that counts its tries and completes once', async () => {
    const { database } = test
    const id = randomUUID()
    await createChallenge(database, { instanceId, id, userId, expiresAt: later(5) })
    expect([await tryChallenge(database, otherId, id), await findChallenge(database, otherId, id)]).toEqual([null, null])
    const expected = { userId, expiresAt: later(5), completedAt: null }
    expect(await tryChallenge(database, instanceId, id)).toEqual({ ...expected, tries: 1 })
    expect(await tryChallenge(database, instanceId, id)).toEqual({ ...expected, tries: 2 })
    expect(await findChallenge(database, instanceId, id)).toEqual({ ...expected, tries: 2 })
    const complete = (of = instanceId) => completeChallenge(database, of, id, later(1))
    expect([await complete(otherId), await complete(), await complete()]).toEqual([false, true, false])
    await deleteOldChallenges(database, later(5))
    expect(await findChallenge(database, instanceId, id)).not.toBe(null)
    await deleteOldChallenges(database, later(6))
    expect(await findChallenge(database, instanceId, id)).toBe(null)
  })
})

describe('attempts to log in', () => {
  const limitOf = (limit: number, windowSeconds: number): AttemptLimit => ({ key: randomBytes(32), limit, windowSeconds })

  it('are refused by the limit that lets the next one in last, and count against none then', async () => {
    const { database } = test
    const [address, network, wide] = [limitOf(1, 60), limitOf(1, 600), limitOf(3, 3600)]
    const attempt = (limits: AttemptLimit[], minutes = 0) => consumeAttempt(database, limits, later(minutes))
    expect(await attempt([address, network, wide])).toBe(null)
    for (let again = 0; again < 5; again += 1) expect(await attempt([address, network, wide])).toEqual(later(10))
    expect(await attempt([address, wide], 0.5)).toEqual(later(1))
    expect([await attempt([wide]), await attempt([wide]), await attempt([wide])]).toEqual([null, null, later(60)])
    expect(await attempt([address], 1)).toBe(null)
  })

  it('are given back after a success: all of the account, one of the network', async () => {
    const { database } = test
    const [address, network] = [limitOf(2, 60), limitOf(2, 60)]
    const attempt = (...limits: AttemptLimit[]) => consumeAttempt(database, limits, AT)
    for (let count = 0; count < 2; count += 1) expect(await attempt(address, network)).toBe(null)
    await refundAttempts(database, [address.key], [network.key])
    expect([await attempt(network), await attempt(network)]).toEqual([null, later(1)])
    expect([await attempt(address), await attempt(address), await attempt(address)]).toEqual([null, null, later(1)])
    await deleteOldAttempts(database, later(2))
    expect(await attempt(address, network)).toBe(null)
  })

  it('know a network for 90 days after the last login from it', async () => {
    const { database } = test
    const key = randomBytes(32)
    const day = 24 * 60
    expect(await isKnownNetwork(database, key, AT)).toBe(false)
    await rememberNetwork(database, key, later(day))
    await rememberNetwork(database, key, AT)
    expect([await isKnownNetwork(database, key, later(91 * day - 1)), await isKnownNetwork(database, key, later(91 * day))]).toEqual([
      true,
      false,
    ])
    await deleteOldAttempts(database, later(91 * day + 1))
    expect(await isKnownNetwork(database, key, AT)).toBe(false)
  })
})
