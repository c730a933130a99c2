import { setTimeout as wait } from 'node:timers/promises'
import { UnsupportedDatabase } from './connection/unsupported-database.ts'
import type { Database } from './database.ts'
import { checkServer, type ServerFacts } from './server-check.ts'

const FIRST_PAUSE_MS = 500
const MAX_PAUSE_MS = 5_000
const LOG_EVERY_MS = 30_000

/**
 * Transient errors: refused or unknown host, server starting, stopping or full, connection lost. Class 08 also covers
 * what a pooler reports while its server is down.
 * Source: https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const TRANSIENT = /^(08|53|57P)|^E(CONNREFUSED|CONNRESET|PIPE|NOENT|TIMEDOUT|HOSTUNREACH|NETUNREACH|NOTFOUND|AI_AGAIN)$/
const BROKEN = /^(Connection terminated|timeout exceeded when trying to connect|timeout expired)/

/**
 * Waits without limit until the database answers and is writable; calls `onWait` with the reason immediately and every
 * 30 s. Throws `UnsupportedDatabase` for what an operator must fix, and an `AbortError` on `signal`.
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

/** Returns a text when the database is not ready yet: the reason. */
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
