import { randomUUID } from 'node:crypto'
import { chmod, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { hasCode } from '../../model/error-code.ts'
import { makeDataFolder } from '../keys/data-folder.ts'
import { createDurably } from '../keys/durable-file.ts'
import { type Account, chooseAccount } from './account.ts'
import { canEnter, findInaccessibleFolder } from './folder-access.ts'

/** Folder with everything of one database: `cluster`, `socket`, `claims` and our settings files. */
export interface Home {
  folder: string
  /** PostgreSQL's own data directory; absent before the first start. */
  cluster: string
  account: Account
  /** Folder for copies of the programs. */
  programs: string
}

/**
 * Finds or creates the home of a data directory's database: `DATA_DIR/postgres`.
 *
 * It differs only for root: PostgreSQL then runs as an unprivileged user, and where that user cannot enter DATA_DIR
 * (below /root, say), the home is a new folder below `systemFolder`, recorded in the file `DATA_DIR/postgres-location`.
 * The record is written before the database, and a recorded home that is missing is an error: a start never replaces a
 * full database with an empty one.
 */
export async function openHome(dataDir: string, systemFolder: string): Promise<Home> {
  const data = await makeDataFolder(dataDir)
  const inside = join(data, 'postgres')
  const existing = await findHomeFolder(data)
  if (existing !== null) return reopen(existing, systemFolder)
  const account = await chooseAccount()
  if (await canEnter(data, account)) return prepare(inside, account, systemFolder)
  const folder = join(systemFolder, `database-${randomUUID().slice(0, 8)}`)
  const home = await prepare(folder, account, systemFolder)
  await writeFile(join(folder, 'data-directory'), `${data}\n`, { mode: 0o600 })
  const isFirst = await createRecord(data, folder)
  if (isFirst) return home
  await rm(folder, { recursive: true })
  return openHome(dataDir, systemFolder)
}

/** Folder of the home of a data directory's database; null when there is none yet. */
export async function findHomeFolder(dataDir: string): Promise<string | null> {
  const inside = join(dataDir, 'postgres')
  return (await readRecord(dataDir)) ?? ((await isFolder(join(inside, 'cluster'))) ? inside : null)
}

async function prepare(folder: string, account: Account, systemFolder: string): Promise<Home> {
  const created = await mkdir(folder, { recursive: true })
  if (created === systemFolder) await chmod(systemFolder, 0o755)
  await chmod(folder, account.isSwitched ? 0o711 : 0o700)
  return toHome(folder, account, systemFolder)
}

async function reopen(folder: string, systemFolder: string): Promise<Home> {
  if (!(await isFolder(folder))) {
    throw new Error(`the database of this data directory lay in ${folder}, which is gone; bring it back, or remove DATA_DIR to begin again`)
  }
  const cluster = join(folder, 'cluster')
  const account = await chooseAccount((await isFolder(cluster)) ? cluster : undefined)
  return toHome(folder, account, systemFolder)
}

async function toHome(folder: string, account: Account, systemFolder: string): Promise<Home> {
  const barred = await findInaccessibleFolder(folder, account)
  if (barred !== null) throw new Error(`user ${account.name}, who runs PostgreSQL, may not enter ${barred}; run: chmod o+x ${barred}`)
  return { folder, cluster: join(folder, 'cluster'), account, programs: account.isSwitched ? systemFolder : join(folder, 'programs') }
}

/** False when a concurrent start has recorded its own folder. */
async function createRecord(data: string, folder: string): Promise<boolean> {
  try {
    await createDurably(recordOf(data), `${folder}\n`)
    return true
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false
    throw error
  }
}

function recordOf(data: string): string {
  return join(data, 'postgres-location')
}

async function readRecord(data: string): Promise<string | undefined> {
  try {
    return (await readFile(recordOf(data), 'utf8')).trim()
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  }
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory()
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return false
    throw error
  }
}
