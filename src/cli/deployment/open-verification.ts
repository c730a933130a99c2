import { openBackup, readFacts } from '../../backup/format/backup-reader.ts'
import { SourceError } from '../../connectors/contract/contract.ts'
import { connectorsWith } from '../../connectors/registry.ts'
import { createSources, type Sources } from '../../connectors/sources.ts'
import { createEgress } from '../../egress/egress.ts'
import { openPageObjects } from '../../process/open-page-objects.ts'
import { openExistingKeysOf } from '../../process/settings/keys-setting.ts'
import { toAuditKey } from '../../store/access/audit.ts'
import { isDistributed } from '../../store/db/cluster/distribute.ts'
import { areKeysOf, KeyMismatch } from '../../store/keys/key-fingerprints.ts'
import { createSealer, type Sealer } from '../../store/keys/sealing.ts'
import type { TableDigest } from '../../store/snapshot/table-digest.ts'
import type { PageObjects } from '../../sync/context/groups.ts'
import type { CommandContext } from '../command/command.ts'
import { type OpenedDatabase, openDatabaseOf } from './open-database.ts'
import { readPassphrase } from './passphrase.ts'
import { readSettings } from './settings.ts'

export interface Verification extends OpenedDatabase {
  sealer: Sealer
  /** Each may have written an entry of the audit trail. */
  auditKeys: Uint8Array[]
  sources: Sources
  /** Where raw pages may lie. */
  pageObjects?: PageObjects
  /** Digests that the backup recorded; null without a backup. */
  recorded: Record<string, TableDigest> | null
}

/** Opens a deployment to verify it, beside a running service, and a backup to compare it with. No source is called. */
export async function openVerification(context: Pick<CommandContext, 'env' | 'say'>, backupPath: string | null): Promise<Verification> {
  const config = readSettings(context)
  const recorded = backupPath === null ? null : await readRecorded(backupPath, () => readPassphrase(config.backupPassphrase))
  const opened = await openDatabaseOf(config, (error) => context.say(error.message))
  try {
    opened.database.isDistributed = await isDistributed(opened.database)
    const keys = await openExistingKeysOf(config)
    if (!(await areKeysOf(opened.database, keys))) throw new KeyMismatch()
    const http = () => Promise.reject(new SourceError('unavailable', 'a verification asks no source'))
    const sources = createSources(connectorsWith(config.bankProfilesDir, config.environment === 'sandbox'), {
      settings: {},
      simulators: {},
      createKit: (app, hosts) => ({ http, app, hosts, now: () => new Date() }),
    })
    const egress = createEgress({ allowPrivate: true })
    const close = async () => {
      await egress.close()
      await opened.close()
    }
    const auditKeys = keys.tokenHash.all.map(toAuditKey)
    return { ...opened, close, sealer: createSealer(keys), auditKeys, sources, recorded, ...openPageObjects(config, egress) }
  } catch (error) {
    await opened.close()
    throw error
  }
}

async function readRecorded(path: string, passphrase: () => ReturnType<typeof readPassphrase>): Promise<Record<string, TableDigest>> {
  const backup = await openBackup(path, passphrase())
  try {
    return (await readFacts(backup)).tables
  } finally {
    await backup.close()
  }
}
