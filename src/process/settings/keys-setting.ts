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

/** Opens the deployment's keys, wherever the settings say that they are. */
export async function openKeysOf({ dataDir, keys }: { dataDir: string; keys: SecretSource | null }): Promise<Keys> {
  return await openKeys(dataDir, undefined, toKeysElsewhere(keys))
}
