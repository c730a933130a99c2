import { setTimeout as wait } from 'node:timers/promises'
import { ReadLease } from '../../src/api/read-cache/read-lease.ts'
import type { Database } from '../../src/store/db/database.ts'
import { listPublicationChanges, READ_LEASE_MS } from '../../src/store/records/publication-changes.ts'
import { findVersions } from '../../src/store/records/publications.ts'

/** Newest version of each publication that anybody has been shown. */
export type Shown = Map<string, number>

export interface KeptReads {
  name: string
  /** Reads that a lease answered, those that the database answered, and those that nobody could answer. */
  kept: number
  asked: number
  failed: number
  stale: string[]
  stop(): Promise<void>
}

/**
 * Reads the versions of publications as a process of the API does, by a read lease and the database behind it, without a
 * pause. What any reader was shown, no reader may be shown an older version of afterwards.
 */
export function startKeptReads(name: string, database: Database, keys: () => readonly string[], shown: Shown): KeptReads {
  const lease = new ReadLease({
    leaseMs: READ_LEASE_MS,
    listChanges: () => listPublicationChanges(database),
    elapsedMs: () => performance.now(),
    now: () => new Date(),
  })
  let isStopping = false
  const reads = { name, kept: 0, asked: 0, failed: 0, stale: [] as string[] }

  const read = async (key: string): Promise<void> => {
    const least = shown.get(key) ?? 0
    const known = lease.find(key)
    const ticket = lease.ticket()
    const version = known ?? (await findVersions(database, [key])).get(key)
    if (version === undefined) return
    if (known === undefined) lease.remember(ticket, key, version)
    reads[known === undefined ? 'asked' : 'kept'] += 1
    if (Number(version) < least) reads.stale.push(`${name} read ${version} after ${least} was shown`)
    shown.set(key, Math.max(least, shown.get(key) ?? 0, Number(version)))
  }
  const work = (async () => {
    while (!isStopping) {
      for (const key of keys()) {
        await read(key).catch(() => {
          reads.failed += 1
        })
      }
      await wait(5)
    }
  })()
  return Object.assign(reads, {
    stop: async () => {
      isStopping = true
      await work
    },
  })
}
