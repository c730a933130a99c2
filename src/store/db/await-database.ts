import { setTimeout as wait } from 'node:timers/promises'
import type { Database } from './database.ts'
import { checkServer, type ServerFacts, UnsupportedDatabase } from './server-check.ts'

const FIRST_PAUSE_MS = 500
const MAX_PAUSE_MS = 5_000
const LOG_EVERY_MS = 30_000

/**
 * What passes by itself: nobody listens or the name is not known yet, the server starts, stops or is full, the connection broke. Class 08 also
 * holds what a pooler says while its server is away.
 * Source: https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const TRANSIENT = /^(08|53|57P)|^E(CONNREFUSED|CONNRESET|PIPE|NOENT|TIMEDOUT|HOSTUNREACH|NETUNREACH|NOTFOUND|AI_AGAIN)$/
const BROKEN = /^(Connection terminated|timeout exceeded when trying to connect|timeout expired)/

/**
 * Waits, for as long as it takes, until the database answers and can be written to; `tell` hears why it waits, at once and every 30 s. Throws
 * `UnsupportedDatabase` for what a person has to mend, and an `AbortError` when `signal` says so.
 */
export async function awaitDatabase(database: Database, onWait: (reason: string) => void, signal: AbortSignal): Promise<ServerFacts> {
  let pauseMs = FIRST_PAUSE_MS
  let loggedAt = Number.NEGATIVE_INFINITY
  for (;;) {
    const found = await ask(database)
    if (typeof found !== 'string') return found
    if (performance.now() - loggedAt >= LOG_EVERY_MS) {
      loggedAt = performance.now()
      onWait(found)
    }
    await wait(pauseMs, undefined, { signal })
    pauseMs = Math.min(MAX_PAUSE_MS, pauseMs * 2)
  }
}

/** A text says why to wait. */
async function ask(database: Database): Promise<ServerFacts | string> {
  try {
    const facts = await checkServer(database)
    return facts.fault ?? facts
  } catch (error) {
    if (!(error instanceof Error) || error instanceof UnsupportedDatabase) throw error
    const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
    if (TRANSIENT.test(code) || BROKEN.test(error.message)) return error.message || code
    throw new UnsupportedDatabase(`the database cannot be used: ${error.message}`, { cause: error })
  }
}
