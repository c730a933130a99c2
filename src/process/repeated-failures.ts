/**
 * Codes of a server that cannot be reached, or that refuses all connections.
 * Source: https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const UNREACHABLE = /^(08...|53...|57P..)$|^E(CONNREFUSED|CONNRESET|PIPE|NOENT|TIMEDOUT|HOSTUNREACH|NETUNREACH|NOTFOUND|AI_AGAIN)$/
const BROKEN = /^(Connection terminated|timeout exceeded when trying to connect|timeout expired)/
const EVERY_MS = 60_000
/** Distinct failures of one outage are few. */
const MOST_KINDS = 100

/**
 * Log filter: during an outage of the database every task reports the same failure each second, for hours. One line of
 * each text passes per minute, with the number of lines omitted since the last one.
 */
export class RepeatedFailures {
  readonly #elapsedMs: () => number
  readonly #kinds = new Map<string, { passedAt: number; leftOut: number }>()

  constructor(elapsedMs: () => number) {
    this.#elapsedMs = elapsedMs
  }

  /** Number of such lines omitted since the last one that passed; null if this one is to be omitted too. */
  leftOutBefore(error: Error): number | null {
    const kind = kindOf(error)
    if (kind === null) return 0
    const now = this.#elapsedMs()
    const known = this.#kinds.get(kind)
    if (known && now - known.passedAt < EVERY_MS) {
      known.leftOut += 1
      return null
    }
    if (!known && this.#kinds.size >= MOST_KINDS) this.#kinds.clear()
    this.#kinds.set(kind, { passedAt: now, leftOut: 0 })
    return known?.leftOut ?? 0
  }
}

/** Null for a failure of a single task: each of its lines is logged. */
function kindOf(error: Error): string | null {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  return UNREACHABLE.test(code) || BROKEN.test(error.message) ? `${code} ${error.message}` : null
}
