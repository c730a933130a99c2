import { setTimeout as wait } from 'node:timers/promises'
import { ReadLease } from '../../src/api/read-cache/read-lease.ts'
import type { Database } from '../../src/store/db/database.ts'
import { type KnownChanges, listPublicationChanges, READ_LEASE_MS } from '../../src/store/records/publication-changes.ts'
import { findVersions } from '../../src/store/records/publications.ts'
import { until } from '../process/deadline.ts'

/** Time within which kept reads go on, at the same server or at the next. */
const AGAIN_WITHIN_MS = 30_000

/** Answer to the query for announced changes, with the time at which it was asked. */
interface LeaseAnswer extends KnownChanges {
  askedAtMs: number
}

export interface KeptReads {
  name: string
  /** Reads that a lease answered, those that the database answered, and those that nobody could answer. */
  kept: number
  asked: number
  failed: number
  /** Reads of the unchanged publication that the lease answered, by the server that had renewed it. */
  keptByServer: Map<string, number>
  /** Answer of the database by which the lease answered the newest read of the unchanged publication. */
  newest: LeaseAnswer | null
  stale: string[]
  /** Reads that the lease answered after its end. */
  late: string[]
  /** Reads of the unchanged publication that the lease did not answer while the publication was known to be fresh. */
  missed: string[]
  /** Reads the unchanged publication at once: whether the lease answers. */
  isKept(): boolean
  stop(): Promise<void>
}

export interface ReadPublications {
  keys: readonly string[]
  /** One of the keys: nobody changes it while leaders are lost, so a lease can always answer its reads. */
  unchangedKey: string
  /** Newest version of each publication that any reader has been shown. */
  shown: Map<string, number>
}

/**
 * Reads the versions of publications as a process of the API does, by a read lease and the database behind it, without a
 * pause and each publication by itself. What any reader was shown, no reader may be shown an older version of afterwards.
 */
export function startKeptReads(name: string, database: Database, { keys, unchangedKey, shown }: ReadPublications): KeptReads {
  // One time for each read, in whole milliseconds as on the wall clock: the lease and the checks of it compare the same.
  let nowMs = 0
  let answer: LeaseAnswer | null = null
  const lease = new ReadLease({
    leaseMs: READ_LEASE_MS,
    listChanges: () => {
      const askedAtMs = nowMs
      const listed = listPublicationChanges(database)
      // NOTE registered before the lease waits for it: no read comes between the two.
      listed.then(
        (known) => {
          answer = { ...known, askedAtMs }
        },
        () => undefined,
      )
      return listed
    },
    elapsedMs: () => nowMs,
    now: () => new Date(nowMs),
  })
  let isStopping = false
  const reads = {
    ...{ name, kept: 0, asked: 0, failed: 0, keptByServer: new Map<string, number>(), newest: null as LeaseAnswer | null },
    ...{ stale: [] as string[], late: [] as string[], missed: [] as string[] },
  }

  const check = (key: string, isKept: boolean): void => {
    const ageMs = nowMs - (answer?.askedAtMs ?? Number.NEGATIVE_INFINITY)
    if (isKept && ageMs >= READ_LEASE_MS) reads.late.push(`${name} read ${key} ${ageMs} ms after the database was asked`)
    if (key !== unchangedKey || !answer) return
    if (isKept) {
      reads.newest = answer
      reads.keptByServer.set(answer.server, (reads.keptByServer.get(answer.server) ?? 0) + 1)
    } else if (isFresh(key, answer, reads.newest, nowMs)) {
      reads.missed.push(`${name} did not read ${key} by its lease ${ageMs} ms after the database was asked`)
    }
  }
  const find = (key: string): string | undefined => {
    nowMs = Math.floor(performance.now())
    const known = lease.find(key)
    check(key, known !== undefined)
    return known
  }
  const read = async (key: string): Promise<void> => {
    const least = shown.get(key) ?? 0
    const known = find(key)
    const ticket = lease.ticket()
    const version = known ?? (await findVersions(database, [key])).get(key)
    if (version === undefined) return
    if (known === undefined) lease.remember(ticket, key, version)
    reads[known === undefined ? 'asked' : 'kept'] += 1
    if (Number(version) < least) reads.stale.push(`${name} read ${version} after ${least} was shown`)
    shown.set(key, Math.max(least, shown.get(key) ?? 0, Number(version)))
  }
  const work = keys.map(async (key) => {
    while (!isStopping) {
      await read(key).catch(() => {
        reads.failed += 1
      })
      await wait(5)
    }
  })
  return Object.assign(reads, {
    isKept: () => find(unchangedKey) !== undefined,
    stop: async () => {
      isStopping = true
      await Promise.all(work)
    },
  })
}

/**
 * Whether a publication that was read with an earlier answer is known to be fresh by the newest one: the lease lasts,
 * the same server has been asked often enough in between, and it lists no change of the publication.
 */
function isFresh(key: string, answer: LeaseAnswer, earlier: LeaseAnswer | null, nowMs: number): boolean {
  if (nowMs - answer.askedAtMs >= READ_LEASE_MS || earlier?.server !== answer.server) return false
  return answer.askedAtMs - earlier.askedAtMs < answer.askAgainWithinMs && answer.changes.every((change) => change.key !== key)
}

/**
 * Waits until each reader's lease has answered a read of the unchanged publication with what the database said after
 * `sinceMs`; returns the servers that said it.
 */
export async function whenKept(readers: readonly KeptReads[], why: string, sinceMs: number): Promise<string[]> {
  const ask = (): string[] | null => {
    const servers = readers.flatMap(({ newest }) => (newest && newest.askedAtMs > sinceMs ? [newest.server] : []))
    return servers.length === readers.length ? [...new Set(servers)] : null
  }
  return await until(`kept reads go on ${why}`, ask, AGAIN_WITHIN_MS)
}
