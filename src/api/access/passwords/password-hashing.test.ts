import { availableParallelism } from 'node:os'
import { describe, expect, it } from 'vitest'
import { TEST_HASH_COST } from '../../../../test/harness/app/users.ts'
import { PasswordHashing } from './password-hashing.ts'

const SLOTS = Math.min(4, availableParallelism())
const WAITING = 64
const PASSWORD = 'violet-harbour-théière-91'

const busy = expect.objectContaining({ status: 429, message: 'Too many logins at once.', headers: { 'retry-after': '2' } })

describe('a hash of a password', () => {
  const hashing = new PasswordHashing(TEST_HASH_COST)

  it('is argon2id with the cost of the settings and a salt of its own', async () => {
    const [one, other] = [await hashing.hash(PASSWORD), await hashing.hash(PASSWORD)]
    expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
    expect(one).not.toBe(other)
  })

  it('fits its password and no other, and nothing fits where there is none', async () => {
    const stored = await hashing.hash(PASSWORD)
    const tried = [PASSWORD, PASSWORD.normalize('NFD'), PASSWORD.toUpperCase(), `${PASSWORD} `, '']
    expect(await Promise.all(tried.map((password) => hashing.verify(stored, password)))).toEqual([true, false, false, false, false])
    expect([await hashing.verify(null, PASSWORD), await hashing.verify(null, '')]).toEqual([false, false])
  })

  it('that nobody knows the password of is one for the whole process', async () => {
    const [hash, again] = await Promise.all([hashing.hashOfNobody(), hashing.hashOfNobody()])
    expect([again, await hashing.hashOfNobody()]).toEqual([hash, hash])
    expect(await new PasswordHashing(TEST_HASH_COST).hashOfNobody()).not.toBe(hash)
    expect(hashing.isOutdated(hash)).toBe(false)
  })

  it.each([
    ['$argon2id$v=19$m=19456,t=2,p=1$salt$hash', false],
    ['$argon2id$v=19$m=65536,t=2,p=1$salt$hash', true],
    ['$argon2id$v=19$m=19456,t=3,p=1$salt$hash', true],
    ['$argon2id$v=19$m=19456,t=2,p=2$salt$hash', true],
    ['$argon2id$v=19$m=19456,t=2,p=10$salt$hash', true],
    ['$argon2i$v=19$m=19456,t=2,p=1$salt$hash', true],
    ['x$argon2id$v=19$m=19456,t=2,p=1$salt$hash', true],
    ['', true],
  ])('%s is outdated: %s', (stored, isOutdated) => {
    expect(hashing.isOutdated(stored)).toBe(isOutdated)
  })

  it.each([{ memoryKiB: 19_455 }, { passes: 1 }, { lanes: 0 }])('is not made at a cost of %j', (lower) => {
    expect(() => new PasswordHashing({ ...TEST_HASH_COST, ...lower })).toThrow(
      new RangeError('password hashing needs at least 19456 KiB, 2 passes and 1 lane'),
    )
  })

  it('costs 64 MiB and three passes by default', async () => {
    expect(await new PasswordHashing().hash(PASSWORD)).toMatch(/^\$argon2id\$v=19\$m=65536,t=3,p=1\$/)
  })
})

describe('a flood of logins', () => {
  it('waits up to a bound, above which logins are refused; then there is room again', async () => {
    const hashing = new PasswordHashing(TEST_HASH_COST)
    const admitted = Array.from({ length: SLOTS + WAITING }, () => hashing.hash(PASSWORD))
    await expect(hashing.hash(PASSWORD)).rejects.toEqual(busy)
    await expect(hashing.hashOfNobody()).rejects.toEqual(busy)
    expect(new Set(await Promise.all(admitted)).size).toBe(SLOTS + WAITING)
    expect(await hashing.verify(await hashing.hashOfNobody(), PASSWORD)).toBe(false)
    const again = Array.from({ length: SLOTS + WAITING }, () => hashing.hash(PASSWORD))
    await expect(hashing.hash(PASSWORD)).rejects.toEqual(busy)
    await Promise.all(again)
  })

  it('loses no turn to a hash that cannot be read', async () => {
    const hashing = new PasswordHashing(TEST_HASH_COST)
    const unreadable = Array.from({ length: SLOTS + 2 }, () => hashing.verify('no hash', PASSWORD).catch(() => 'unreadable'))
    expect(await Promise.all(unreadable)).toEqual(unreadable.map(() => 'unreadable'))
    expect(await hashing.hash(PASSWORD)).toMatch(/^\$argon2id/)
  })
})
