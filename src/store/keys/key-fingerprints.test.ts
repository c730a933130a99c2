import { expect, it } from 'vitest'
import { testDatabase } from '../../../test/harness/database.ts'
import { testKeys } from '../../../test/harness/keys.ts'
import { checkKeys, KeyMismatch } from './key-fingerprints.ts'

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
