import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { hasCode } from '../../model/error-code.ts'
import { DATABASE_NAME } from './cluster.ts'
import { findLockHolder } from './directory-lock.ts'
import { findHomeFolder } from './home.ts'

/**
 * URL of the embedded PostgreSQL that another process runs on this data directory; null when none runs. Only the user
 * of that process can connect. Changes nothing.
 */
export async function findRunningPostgres(dataDir: string): Promise<string | null> {
  const folder = await findHomeFolder(dataDir)
  if (folder === null || (await findLockHolder(folder)) === null) return null
  const lines = await readLines(join(folder, 'cluster', 'postmaster.pid'))
  // Source: https://www.postgresql.org/docs/18/storage-file-layout.html (postmaster.pid)
  const [, , , port = '', socketFolder = '', , , status = ''] = lines ?? []
  if (status.trim() !== 'ready') return null
  if (socketFolder !== '') return `postgres://${DATABASE_NAME}@/${DATABASE_NAME}?host=${encodeURIComponent(socketFolder)}`
  const [password = ''] = (await readLines(join(folder, 'password'))) ?? []
  return `postgres://${DATABASE_NAME}:${password}@127.0.0.1:${port}/${DATABASE_NAME}`
}

async function readLines(path: string): Promise<string[] | null> {
  try {
    return (await readFile(path, 'utf8')).split('\n')
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null
    throw error
  }
}
