import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { addKey, type Keys, openKeys, refreshKeys } from '../../src/store/keys/keys.ts'
import type { Purpose } from '../../src/store/keys/purposes.ts'
import type { TokenHash } from '../../src/store/keys/token-hash.ts'

/** New keys, kept in memory only. */
export async function testKeys(): Promise<Keys> {
  const folder = await mkdtemp(join(tmpdir(), 'countinghouse-keys-'))
  try {
    return await openKeys(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Keys in a separate folder, to rotate while they are in use. */
export async function rotatableKeys(): Promise<{
  keys: Keys
  rotate(purpose: Purpose, from?: Date): Promise<string>
  close(): Promise<void>
}> {
  const folder = await mkdtemp(join(tmpdir(), 'countinghouse-keys-'))
  const keys = await openKeys(folder)
  return {
    keys,
    rotate: async (purpose, from) => {
      const id = await addKey(folder, purpose, from)
      refreshKeys(keys)
      return id
    },
    close: () => rm(folder, { recursive: true, force: true }),
  }
}

/** A hash without key rotation, for tests that pass their own function. */
export function plainHash(hash: (token: string) => Uint8Array): TokenHash {
  return Object.assign((token: string) => hash(token), { all: (token: string) => [hash(token)] })
}
