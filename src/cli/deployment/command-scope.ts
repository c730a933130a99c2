import { ownScope, withinActor } from '../../audit/actor.ts'
import { auditWriter, type Change, recordChange } from '../../audit/record.ts'
import { reasonOf } from '../../model/texts/reason-of.ts'
import type { Config } from '../../process/settings/config.ts'
import { openExistingKeysOf } from '../../process/settings/keys-setting.ts'
import { type Database, inTransaction } from '../../store/db/database.ts'
import { areKeysOf, KeyMismatch } from '../../store/keys/key-fingerprints.ts'
import { recordBackup } from '../../store/snapshot/last-backup.ts'
import type { CommandContext } from '../command/command.ts'

/**
 * Runs work whose changes make audit entries under the name of a command. Keys that cannot be read hold up no work: then
 * there is no entry, and the command says so. Throws `KeyMismatch` before the work for keys of another deployment, whose
 * entries would not stand verification.
 */
export async function asCommand<T>(
  context: Pick<CommandContext, 'say'>,
  database: Database,
  config: Pick<Config, 'dataDir' | 'keys'>,
  name: string,
  work: () => Promise<T>,
): Promise<T> {
  const keys = await openExistingKeysOf(config).catch((error: unknown) => {
    sayNoEntry(context, error)
    return null
  })
  if (keys === null) return await work()
  if (!(await areKeysOf(database, keys))) throw new KeyMismatch()
  return await withinActor(ownScope(auditWriter({ keys, now: () => new Date() }), 'command', name), work)
}

/**
 * Records in the deployment's chain what a command has done outside a transaction. It is done, so where no entry can be
 * made, the command only says why.
 */
export async function recordDone(
  context: Pick<CommandContext, 'say'>,
  database: Database,
  config: Pick<Config, 'dataDir' | 'keys'>,
  name: string,
  change: Pick<Change, 'action' | 'after' | 'details'>,
): Promise<void> {
  const record = () => inTransaction(database, (db) => recordChange(db, { instanceId: null, subject: null, ...change }))
  await asCommand(context, database, config, name, record).catch((error: unknown) => sayNoEntry(context, error))
}

/** Records a complete backup for the metrics; a failure is said and ends nothing, because the file is there. */
export async function recordTaken(
  context: Pick<CommandContext, 'say'>,
  database: Database,
  backup: { takenAt: Date; fileBytes: number },
): Promise<void> {
  await recordBackup(database, backup).catch((error: unknown) => context.say(`its time could not be recorded: ${reasonOf(error)}`))
}

/** Why a command leaves no entry. */
export function sayNoEntry(context: Pick<CommandContext, 'say'>, error: unknown): void {
  context.say(`this leaves no audit entry: ${reasonOf(error)}`)
}
