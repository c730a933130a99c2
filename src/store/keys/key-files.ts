import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { hasCode } from '../../model/error-code.ts'
import { parseJsonOrNull } from '../../model/values/json.ts'
import { createDurably, syncFolder } from './durable-file.ts'

/** Key as stored in a file. */
export interface KeyFile {
  purpose: string
  /** Counter per purpose; the highest is the newest. */
  number: number
  /** Random name of the key, 16 hex digits. */
  id: string
  bytes: Uint8Array
  /** When it starts to write; null for at once. It is used for reading as soon as a process has loaded it. */
  from: Date | null
}

/**
 * Reads all keys of a folder, oldest first within a purpose; null when the folder does not exist. Throws when other
 * users can read the folder or a file in it, and when a file is damaged: a key that data depends on is never replaced
 * by a new one.
 */
export async function readKeyFiles(folder: string): Promise<KeyFile[] | null> {
  if (!(await refuseOpenToOthers(folder, 0o700))) return null
  const names = (await readdir(folder)).filter((name) => name.endsWith('.json'))
  const keys = await Promise.all(names.map((name) => readKeyFile(join(folder, name))))
  return keys.sort((a, b) => a.number - b.number)
}

/** Whether the data directory has a folder of keys. */
export function hasKeyFolder(dataDir: string): boolean {
  return existsSync(join(dataDir, 'keys'))
}

/**
 * Synchronous re-read of a folder that `readKeyFiles` has read before; empty when the folder is gone. For a value
 * sealed with a key unknown to this process. Skips files that are still being written.
 */
export function rereadKeyFiles(folder: string): KeyFile[] {
  if (!existsSync(folder)) return []
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'))
  const keys = names.map((name) => parseKey(readFileSync(join(folder, name), 'utf8')))
  return keys.filter((key) => key !== null).sort((a, b) => a.number - b.number)
}

/** Creates the folder with its first keys atomically. Keeps a folder that another process created first. */
export async function createKeyFolder(folder: string, keys: readonly KeyFile[]): Promise<void> {
  const draft = `${folder}.draft-${randomUUID()}`
  await mkdir(draft, { recursive: true, mode: 0o700 })
  for (const key of keys) await writeKeyFile(draft, key)
  try {
    await rename(draft, folder)
  } catch (error) {
    const isThere = hasCode(error, 'ENOTEMPTY', 'EEXIST', 'EPERM')
    await rm(draft, { recursive: true, force: true })
    if (!isThere) throw error
  }
  await syncFolder(dirname(folder))
}

export async function writeKeyFile(folder: string, key: KeyFile): Promise<void> {
  await createDurably(join(folder, keyFileName(key)), toKeyText(key))
}

export function keyFileName(key: Pick<KeyFile, 'purpose' | 'number'>): string {
  return `${key.purpose}-${key.number}.json`
}

/** Content of a key's file. */
export function toKeyText(key: KeyFile): string {
  const document = {
    purpose: key.purpose,
    number: key.number,
    id: key.id,
    key: Buffer.from(key.bytes).toString('base64url'),
    ...(key.from === null ? {} : { from: key.from.toISOString() }),
    check: checkOf(key),
  }
  return `${JSON.stringify(document, null, 2)}\n`
}

export function newKey(purpose: string, number: number, from: Date | null = null, bytes: Uint8Array = randomBytes(32)): KeyFile {
  return { purpose, number, id: randomBytes(8).toString('hex'), bytes, from }
}

async function readKeyFile(path: string): Promise<KeyFile> {
  await refuseOpenToOthers(path, 0o600)
  const key = parseKey(await readFile(path, 'utf8'))
  if (key === null || !path.endsWith(keyFileName(key))) {
    throw new Error(
      `key file ${path} is damaged; restore it from the backup of the keys, since data sealed with it can be read with nothing else`,
    )
  }
  return key
}

/** Null when the content is not that of a key's file, or is damaged. */
export function parseKey(text: string): KeyFile | null {
  const found = parseJsonOrNull(text)
  const fields: Record<string, unknown> = typeof found === 'object' ? { ...found } : {}
  const { purpose, number, id, key, check, from = null } = fields
  if (typeof purpose !== 'string' || typeof number !== 'number' || typeof id !== 'string' || typeof key !== 'string') return null
  if (from !== null && (typeof from !== 'string' || Number.isNaN(Date.parse(from)))) return null
  const file = { purpose, number, id, bytes: Buffer.from(key, 'base64url'), from: from === null ? null : new Date(from) }
  return check === checkOf(file) ? file : null
}

/** Checksum against damage, not against tampering. */
function checkOf(key: KeyFile): string {
  return createHash('sha256').update(`${key.purpose}/${key.number}/${key.id}/`).update(key.bytes).digest('hex').slice(0, 16)
}

/**
 * Throws when other users have access; false when the path does not exist. Windows has no such modes: there the
 * folder's own access list decides.
 */
async function refuseOpenToOthers(path: string, wanted: number): Promise<boolean> {
  let mode: number
  try {
    mode = (await stat(path)).mode & 0o777
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return false
    throw error
  }
  if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
    throw new Error(`others may read the keys in ${path} (mode ${mode.toString(8)}); run: chmod ${wanted.toString(8)} ${path}`)
  }
  return true
}
