import { PasswordHashing } from '../../api/access/passwords/password-hashing.ts'
import type { InstanceContext } from '../../api/operator/instances.ts'
import { ownScope, withinActor } from '../../audit/actor.ts'
import { auditWriter } from '../../audit/record.ts'
import { openExistingKeysOf } from '../../process/settings/keys-setting.ts'
import { checkKeys } from '../../store/keys/key-fingerprints.ts'
import type { Keys } from '../../store/keys/keys.ts'
import { tokenHasher } from '../../store/keys/token-hash.ts'
import type { CommandContext } from '../command/command.ts'
import { withDatabase } from './open-database.ts'
import { readSettings } from './settings.ts'

/** Dependencies of operator commands. */
export interface OperatorContext extends InstanceContext {
  keys: Keys
}

/** Runs `work` of a command on the deployment's database with its keys, and closes both. */
export async function withOperator<T>(
  context: CommandContext,
  command: string,
  work: (operator: OperatorContext) => Promise<T>,
): Promise<T> {
  const config = readSettings(context)
  return await withDatabase(context, config, async ({ database }) => {
    const keys = await openExistingKeysOf(config)
    await checkKeys(database, keys)
    const hashing = new PasswordHashing(config.limits.hashCost)
    const now = () => new Date()
    const operator = { database, keys, hashes: tokenHasher(keys, ''), hashing, now, publicUrl: config.baseUrl }
    return await withinActor(ownScope(auditWriter(operator), 'command', command), () => work(operator))
  })
}
