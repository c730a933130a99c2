import { hasKeyFolder } from '../../store/keys/key-files.ts'
import { type Keys, openKeys } from '../../store/keys/keys.ts'
import { type KeysElsewhere, keysElsewhere } from '../../store/keys/keys-elsewhere.ts'
import { readSecretCommand, readSecretFile } from '../../store/keys/read-secret.ts'
import type { SecretSource } from './secret-source.ts'

/** Keys that the settings name; null: those in DATA_DIR. */
export function toKeysElsewhere(source: SecretSource | null): KeysElsewhere | null {
  if (source === null) return null
  if (source.kind === 'text') return keysElsewhere('KEYS', () => source.value)
  if (source.kind === 'file') return keysElsewhere('KEYS_FILE', () => readSecretFile(source.path, 'KEYS_FILE'))
  return keysElsewhere('KEYS_COMMAND', () => readSecretCommand(source.command, 'KEYS_COMMAND'))
}

/** Opens the deployment's keys at the place that the settings name; in an empty DATA_DIR they are created. */
export async function openKeysOf({ dataDir, keys }: { dataDir: string; keys: SecretSource | null }): Promise<Keys> {
  return await openKeys(dataDir, undefined, toKeysElsewhere(keys))
}

/** The same for commands on a deployment that exists: throws where there are no keys, and creates none. */
export async function openExistingKeysOf(settings: { dataDir: string; keys: SecretSource | null }): Promise<Keys> {
  const { dataDir, keys } = settings
  if (keys === null && !hasKeyFolder(dataDir))
    throw new Error(`there are no keys in ${dataDir}/keys; give the command the settings of the service`)
  return await openKeysOf(settings)
}
