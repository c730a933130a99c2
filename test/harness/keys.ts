import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Keys, openKeys } from '../../src/store/keys/keys.ts'

/** Fresh keys that live in memory only. */
export async function testKeys(): Promise<Keys> {
  const folder = await mkdtemp(join(tmpdir(), 'countinghouse-keys-'))
  try {
    return await openKeys(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
