import { type Database, inTransaction } from '../store/database.ts'
import { enqueueDueSyncs } from '../store/jobs.ts'

/** Share of the interval by which refreshes are spread, so that connections made together do not stay together. */
const JITTER = 0.05

/** Hours until the next refresh: the interval and up to 5 % more. */
export function nextRefreshHours(refreshHours: number, random = Math.random()): number {
  return refreshHours * (1 + JITTER * random)
}

/** Queues what is due; gives how many. Any process may call it at any time. */
export async function enqueueDue(database: Database): Promise<number> {
  return await inTransaction(database, (db) => enqueueDueSyncs(db, 1_000))
}
