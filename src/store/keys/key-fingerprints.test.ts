import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { testDatabase } from '../../../test/harness/database.ts'
import { testKeys } from '../../../test/harness/keys.ts'
import { areKeysOf, checkKeys, haveFingerprint, KeyMismatch } from './key-fingerprints.ts'
import { addKey, openKeys } from './keys.ts'

it('takes the keys of the first start ever after, and no others', async () => {
  const { database, drop } = await testDatabase()
  try {
    const keys = await testKeys()
    await checkKeys(database, keys)
    await checkKeys(database, keys)
    await expect(checkKeys(database, await testKeys())).rejects.toThrow(KeyMismatch)
    await checkKeys(database, keys)
  } finally {
    await drop()
  }
})

it('takes a rotated key with the old one, then without it, and no longer the old one alone', async () => {
  const { database, drop } = await testDatabase()
  const dataDir = await mkdtemp(join(tmpdir(), 'countinghouse-keys-'))
  try {
    const before = await openKeys(dataDir)
    await checkKeys(database, before)
    await addKey(dataDir, 'token-hash')
    expect(await areKeysOf(database, await openKeys(dataDir))).toBe(true)
    await checkKeys(database, await openKeys(dataDir))
    await rm(join(dataDir, 'keys', 'token-hash-1.json'))
    const after = await openKeys(dataDir)
    await checkKeys(database, after)
    expect([await areKeysOf(database, after), await areKeysOf(database, before)]).toEqual([true, false])
    await expect(checkKeys(database, before)).rejects.toThrow(KeyMismatch)
  } finally {
    await rm(dataDir, { recursive: true })
    await drop()
  }
})

it('tells by a fingerprint whether a key for tokens belongs to a database, and no key of another purpose does', () => {
  const [bytes, other] = [Buffer.alloc(32, 7), Buffer.alloc(32, 8)]
  const fingerprint = '4c6ee1a2f7345369217b23109fc77db949c521813fbd10de29b91013d3a9c6b4'
  expect(
    haveFingerprint(
      [
        { purpose: 'token-hash', bytes: other },
        { purpose: 'token-hash', bytes },
      ],
      fingerprint,
    ),
  ).toBe(true)
  expect(
    haveFingerprint(
      [
        { purpose: 'sealing', bytes },
        { purpose: 'token-hash', bytes: other },
      ],
      fingerprint,
    ),
  ).toBe(false)
  expect(haveFingerprint([], fingerprint)).toBe(false)
})
