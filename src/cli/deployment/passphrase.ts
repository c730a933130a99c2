import type { Secret } from '../../model/values/secret.ts'
import type { SecretSource } from '../../process/settings/secret-source.ts'
import { readSecretCommand, readSecretFile } from '../../store/keys/read-secret.ts'
import { UsageError } from '../command/command.ts'

const MIN_LENGTH = 16

/** Passphrase of a backup, from the settings. Throws `UsageError` when there is none or it is short. */
export function readPassphrase(source: SecretSource | null): Secret {
  if (source === null)
    throw new UsageError('a backup is encrypted: set BACKUP_PASSPHRASE_FILE, BACKUP_PASSPHRASE_COMMAND or BACKUP_PASSPHRASE')
  const passphrase = readFrom(source)
  if ([...passphrase.reveal()].length < MIN_LENGTH)
    throw new UsageError(`the passphrase of backups has to have ${MIN_LENGTH} characters; openssl rand -base64 32 makes a good one`)
  return passphrase
}

function readFrom(source: SecretSource): Secret {
  if (source.kind === 'text') return source.value
  if (source.kind === 'file') return readSecretFile(source.path, 'BACKUP_PASSPHRASE_FILE')
  return readSecretCommand(source.command, 'BACKUP_PASSPHRASE_COMMAND')
}
