import { readFileSync } from 'node:fs'

/** Files that a process needs besides connections of clients: database, sources, keys, logs. */
const RESERVED = 128
/** Connections that are left however few files a process may open. */
const LEAST = 32

/** Files that this process may open; null where the system does not say. */
export function readFileLimit(path = '/proc/self/limits'): number | null {
  try {
    const soft = /^Max open files\s+(\d+)/m.exec(readFileSync(path, 'utf8'))?.[1]
    return soft === undefined ? null : Number(soft)
  } catch {
    return null
  }
}

/** Connections that fit beside the files that the process needs, at most `wanted`. */
export function fitConnections(wanted: number, fileLimit: number | null): number {
  return fileLimit === null ? wanted : Math.min(wanted, Math.max(LEAST, fileLimit - RESERVED))
}
