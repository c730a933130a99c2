import { readFileSync } from 'node:fs'

/** Files that a process needs besides connections of clients: database, sources, keys, logs. */
const RESERVED = 128
/** Minimum number of connections, however few files a process may open. */
const LEAST = 32

/** Maximum number of open files of this process; null if the system does not report it. */
export function readFileLimit(path = '/proc/self/limits'): number | null {
  try {
    const soft = /^Max open files\s+(\d+)/m.exec(readFileSync(path, 'utf8'))?.[1]
    return soft === undefined ? null : Number(soft)
  } catch {
    return null
  }
}

/** Number of connections that fit beside the files that the process needs, at most `wanted`. */
export function fitConnections(wanted: number, fileLimit: number | null): number {
  return fileLimit === null ? wanted : Math.min(wanted, Math.max(LEAST, fileLimit - RESERVED))
}
