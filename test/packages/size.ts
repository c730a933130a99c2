import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** Disk space used by the files of a folder, in MB. */
export function megabytesOf(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => !entry.isDirectory())
  return files.reduce((sum, { parentPath, name }) => sum + lstatSync(join(parentPath, name)).blocks / 2, 0) / 1024
}
