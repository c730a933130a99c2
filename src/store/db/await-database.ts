import { setTimeout as wait } from 'node:timers/promises'
import type { Database } from './database.ts'
import { checkServer, DatabaseRefused, type ServerFacts } from './server-check.ts'

const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 5_000
const TELL_EVERY_MS = 30_000

/**
 * What passes by itself: nobody listens or the name is not known yet, the server starts, stops or is full, the connection broke. Class 08 also
 * holds what a pooler says while its server is away.
 * Source: https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const PASSING = /^(08|53|57P)|^E(CONNREFUSED|CONNRESET|PIPE|NOENT|TIMEDOUT|HOSTUNREACH|NETUNREACH|NOTFOUND|AI_AGAIN)$/
const BROKEN = /^(Connection terminated|timeout exceeded when trying to connect|timeout expired)/

/**
 * Waits, for as long as it takes, until the database answers and can be written to; `tell` hears why it waits, at once and every 30 s. Throws
 * `DatabaseRefused` for what a person has to mend, and an `AbortError` when `signal` says so.
 */
export async function awaitDatabase(database: Database, tell: (reason: string) => void, signal: AbortSignal): Promise<ServerFacts> {
  let pauseMs = FIRST_PAUSE_MS
  let toldAt = Number.NEGATIVE_INFINITY
  for (;;) {
    const found = await ask(database)
    if (typeof found !== 'string') return found
    if (performance.now() - toldAt >= TELL_EVERY_MS) {
      toldAt = performance.now()
      tell(found)
    }
    await wait(pauseMs, undefined, { signal })
    pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2)
  }
}

/** A text says why to wait. */
async function ask(database: Database): Promise<ServerFacts | string> {
  try {
    const facts = await checkServer(database)
    return facts.fault ?? facts
  } catch (error) {
    if (!(error instanceof Error) || error instanceof DatabaseRefused) throw error
    const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
    if (PASSING.test(code) || BROKEN.test(error.message)) return error.message || code
    throw new DatabaseRefused(`the database cannot be used: ${error.message}`, { cause: error })
  }
}
