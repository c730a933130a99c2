import { chmod, mkdtemp, readdir, readFile, rm, stat, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hasCode } from '../../src/model/error-code.ts'
import { findLockHolder } from '../../src/store/embedded/directory-lock.ts'
import { stopStaleServer } from '../../src/store/embedded/server.ts'

/** On Linux a file system in memory. Source: https://docs.kernel.org/filesystems/tmpfs.html */
const MEMORY = '/dev/shm'
/** A full run needs less than half of it. */
const ROOM_BYTES = 4 * 1024 ** 3
const MAX_RUN_MS = 24 * 3_600_000
/** Short, since a socket's path below it may have at most 107 characters. */
const PREFIX = 'ch-test-'

/**
 * The folder for everything that a test run writes, in memory if there is room: creating files there costs a tenth of
 * a disk's, and tests create many databases. It contains the temporary folders of this process and its children until
 * `remove` deletes everything, including what tests left behind.
 */
export async function openRunFolder(): Promise<{ path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join((await isRoomy(MEMORY)) ? MEMORY : tmpdir(), PREFIX))
  // PostgreSQL's own user must be able to traverse it.
  await chmod(path, 0o711)
  const before = process.env.TMPDIR
  process.env.TMPDIR = path
  return {
    path,
    remove: async () => {
      if (before === undefined) delete process.env.TMPDIR
      else process.env.TMPDIR = before
      await rm(path, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/**
 * Removes what a killed run left behind: its PostgreSQL and its folder. A folder without a claim may belong to a run
 * that is just starting or ending, or has no database: it is kept for a day.
 */
export async function sweepDeadRuns(): Promise<void> {
  for (const folder of [...(await listRuns(tmpdir())), ...(await listRuns(MEMORY))]) {
    try {
      if (!(await isAbandoned(folder))) continue
      await stopStaleServer(join(folder, 'postgres', 'cluster'))
      await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    } catch (error) {
      const isGoneOrForeign = hasCode(error, 'ENOENT', 'EACCES', 'EPERM')
      if (!isGoneOrForeign) throw error
    }
  }
}

/** Whether the folder has room for a full run, on the file system and in memory, and allows starting programs. */
async function isRoomy(folder: string): Promise<boolean> {
  try {
    const { bavail, bsize } = await statfs(folder)
    const mount = (await readFile('/proc/mounts', 'utf8')).split('\n').findLast((line) => line.split(' ')[1] === folder)
    const mayRun = mount?.split(' ')[3]?.split(',').includes('noexec') === false
    return mayRun && Math.min(bavail * bsize, process.availableMemory()) > ROOM_BYTES
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'EACCES')) return false
    throw error
  }
}

async function listRuns(root: string): Promise<string[]> {
  const names = await readdir(root).catch(() => [])
  return names.filter((name) => name.startsWith(PREFIX)).map((name) => join(root, name))
}

async function isAbandoned(folder: string): Promise<boolean> {
  const home = join(folder, 'postgres')
  const claims = await readdir(join(home, 'claims')).catch(() => [])
  if (claims.length > 0) return (await findLockHolder(home)) === null
  return Date.now() - (await stat(folder)).mtimeMs > MAX_RUN_MS
}
