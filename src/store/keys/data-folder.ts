import { constants } from 'node:fs'
import { access, chmod, mkdir, realpath } from 'node:fs/promises'

/**
 * Creates DATA_DIR unless it exists and returns its real path. Other users may not list it, and its content has
 * separate modes; if created by root, they may traverse it, since PostgreSQL runs as another user and keeps its files
 * there. Errors name the setting.
 */
export async function makeDataFolder(dataDir: string): Promise<string> {
  const created = await mkdir(dataDir, { recursive: true, mode: 0o700 }).catch((error: unknown) => refuse(dataDir, 'made', error))
  const folder = await realpath(dataDir)
  await access(folder, constants.R_OK | constants.W_OK | constants.X_OK).catch((error: unknown) => refuse(folder, 'written to', error))
  if (created !== undefined && process.getuid?.() === 0) await chmod(folder, 0o711)
  return folder
}

function refuse(folder: string, what: string, cause: unknown): never {
  const reason = cause instanceof Error && 'code' in cause ? ` (${cause.code})` : ''
  throw new Error(`DATA_DIR: ${folder} cannot be ${what} by this user${reason}; choose another, or give this user the right to it`, {
    cause,
  })
}
