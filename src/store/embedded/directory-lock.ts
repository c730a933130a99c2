import { mkdir, open, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { hasCode } from '../../model/error-code.ts'
import { findStartOf } from './processes.ts'

/** Two simultaneous starts see each other; their pauses differ, so that one wins at its next try. */
const TRIES = 3
const PAUSE_MS = 100

/** Exclusive lock on a data directory. */
export interface DirectoryLock {
  release(): Promise<void>
}

/**
 * Claims `folder/claims` for this process, or throws with the id of the process that has it.
 *
 * A claim is an empty file named after a process and its start time. A process that sees the claim of another live
 * process withdraws; the claim of a dead process is deleted, which is always safe because a process never comes back.
 * So `kill -9` leaves nothing to repair, and there is no window between finding a lock stale and taking it over in
 * which two processes could both win.
 */
export async function lockDirectory(folder: string): Promise<DirectoryLock> {
  const claims = join(folder, 'claims')
  await mkdir(claims, { recursive: true, mode: 0o700 })
  const name = `${process.pid}-${await findStartOf(process.pid)}`
  for (let attempt = 1; ; attempt++) {
    await createLockFile(join(claims, name))
    const holder = await findHolder(claims, name)
    if (holder === null) return { release: () => rm(join(claims, name), { force: true }) }
    await rm(join(claims, name), { force: true })
    if (attempt === TRIES) throw alreadyRuns(holder)
    await wait(PAUSE_MS * (1 + Math.random()))
  }
}

/** Id of the live process that has claimed `folder`; null when there is none. */
export async function findLockHolder(folder: string): Promise<number | null> {
  try {
    return await findHolder(join(folder, 'claims'), '')
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null
    throw error
  }
}

async function createLockFile(path: string): Promise<void> {
  try {
    await (await open(path, 'wx', 0o600)).close()
  } catch (error) {
    throw hasCode(error, 'EEXIST') ? alreadyRuns(process.pid) : error
  }
}

async function findHolder(claims: string, ours: string): Promise<number | null> {
  for (const name of await readdir(claims)) {
    if (name === ours) continue
    const pid = Number.parseInt(name, 10)
    if (`${pid}-${await findStartOf(pid)}` === name) return pid
    await rm(join(claims, name), { force: true })
  }
  return null
}

function alreadyRuns(pid: number): Error {
  return new Error(`another Countinghouse (pid ${pid}) runs on this data directory; stop it, or give this one its own DATA_DIR`)
}
