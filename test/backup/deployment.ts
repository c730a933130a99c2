import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeBackup } from '../../src/backup/write-backup.ts'
import { Secret } from '../../src/model/values/secret.ts'
import { checkKeys } from '../../src/store/keys/key-fingerprints.ts'
import { openKeys } from '../../src/store/keys/keys.ts'
import { CannedSource } from '../replay/canned-source.ts'
import { type OpenDatabase, openSyncHarness, type SyncHarness } from '../sync/harness.ts'

export const PASSPHRASE = 'violet harbour teapot ninety-one'
export const passphrase = new Secret(PASSPHRASE)

/** A deployment with published records of several sources, on an external PostgreSQL, with its keys in a folder. */
export interface BackedUpDeployment {
  harness: SyncHarness
  dataDir: string
  /** Folder for backups and empty targets. */
  folder: string
  /** Writes a backup and returns its path. */
  backUp(name: string): Promise<string>
  close(): Promise<void>
}

export async function openDeployment(
  sourceKeys: readonly string[] = ['xero', 'plaid', 'bank-files'],
  open?: OpenDatabase,
): Promise<BackedUpDeployment> {
  const folder = await mkdtemp(join(tmpdir(), 'countinghouse-backup-'))
  const dataDir = join(folder, 'data')
  const keys = await openKeys(dataDir)
  const sources = await Promise.all(sourceKeys.map((key) => CannedSource.of(key)))
  const harness = await openSyncHarness(sources, [], keys, {}, open)
  await checkKeys(harness.deps.database, keys)
  for (const source of sources) await harness.sync(await harness.connect(source), { reason: 'first' })
  return {
    harness,
    dataDir,
    folder,
    backUp: async (name) => {
      const path = join(folder, name)
      const source = { databaseUrl: harness.url, dataDir, keysElsewhere: null, version: '0.1.0' }
      await writeBackup(source, { path, passphrase, signal: new AbortController().signal })
      return path
    },
    close: async () => {
      await harness.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
