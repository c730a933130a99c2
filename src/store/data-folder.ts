import { chmod, mkdir, realpath } from 'node:fs/promises'

/**
 * Makes DATA_DIR where it is absent and returns its real path. Others may not list it, and what is inside has modes of its own; for
 * root they may pass through, since PostgreSQL runs as another user and keeps its files there.
 */
export async function makeDataFolder(dataDir: string): Promise<string> {
  const created = await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const folder = await realpath(dataDir)
  if (created !== undefined && process.getuid?.() === 0) await chmod(folder, 0o711)
  return folder
}
