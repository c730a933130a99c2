import pg from 'pg'
import type { ReplicaReader } from '../instance-scope.ts'
import type { Preamble } from '../pipelined-query.ts'
import type { Mark } from './marks.ts'
import type { Position } from './positions.ts'
import type { ReplicaServer } from './replica-server.ts'

/** Reasons why the primary answered a statement. */
export const FALLBACK_REASONS = ['behind', 'busy', 'conflict', 'lost', 'write', 'error'] as const
export type FallbackReason = (typeof FALLBACK_REASONS)[number]

/**
 * Code of a statement that fails for its caller as on the primary: it took longer than 30 s, or a person cancelled it.
 * NOTE one that recovery cancels has another code, `serialization_failure`.
 * Source: https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const CANCELLED = '57014'
/**
 * Recovery needed what the statement read, or waited for it (`serialization_failure`, `deadlock_detected`).
 * Source: https://www.postgresql.org/docs/current/hot-standby.html#HOT-STANDBY-CONFLICT
 */
const CONFLICTS = ['40001', '40P01']
/** Error code with which the guard fails. */
const DIVISION_BY_ZERO = '22012'
const READ_ONLY_TRANSACTION = '25006'
/** Connections, and servers that stop or start. */
const LOST = /^(08|57P|E[A-Z]+$)/
/**
 * Errors of the pool itself, which have no code: all of its connections are in use, or another one could not be opened in
 * time. Reads on open connections may go on; whether the server is lost is for the next probe to say.
 * Source: https://github.com/brianc/node-postgres/blob/master/packages/pg-pool/index.js
 */
const POOL_ERRORS = ['timeout exceeded when trying to connect', 'Connection terminated due to connection timeout']

export interface ReplicaReadParts {
  primary: pg.Pool
  server: ReplicaServer
  /** Mark that the replica has to show now; null: it is no longer good enough for this read. */
  findMark(): Mark | null
  atLeast: Position
  onAnswer(): void
  onFallback(reason: FallbackReason): void
}

/**
 * Read on one replica. After the first statement that the replica does not answer, all others go to the primary, so
 * that a read never goes back in time.
 */
export class ReplicaRead implements ReplicaReader {
  readonly primary: pg.Pool
  readonly #parts: ReplicaReadParts
  #server: ReplicaServer | null

  constructor(parts: ReplicaReadParts) {
    this.primary = parts.primary
    this.#parts = parts
    this.#server = parts.server
  }

  /** Null once the primary was asked. */
  get server(): ReplicaServer | null {
    return this.#server
  }

  async attempt<T>(ask: (replica: pg.Pool, guard: Preamble) => Promise<T>): Promise<{ value: T } | null> {
    const server = this.#server
    if (server === null) return null
    const { findMark, atLeast, onAnswer } = this.#parts
    const mark = findMark()
    if (mark === null) return this.#fallBack('behind')
    try {
      const value = await ask(server.pool, server.guard(mark, atLeast))
      onAnswer()
      return { value }
    } catch (error) {
      const reason = fallbackReasonOf(error)
      if (reason === null) throw error
      if (reason === 'lost') server.markLost(error)
      return this.#fallBack(reason)
    }
  }

  #fallBack(reason: FallbackReason): null {
    this.#server = null
    this.#parts.onFallback(reason)
    return null
  }
}

/**
 * Null if the primary must not be asked. An error of the statement itself is left to the primary, which reports the
 * same.
 */
function fallbackReasonOf(error: unknown): FallbackReason | null {
  if (error instanceof Error && POOL_ERRORS.includes(error.message)) return 'busy'
  if (!(error instanceof pg.DatabaseError)) return 'lost'
  const { code = '' } = error
  if (code === CANCELLED) return null
  if (code === DIVISION_BY_ZERO) return 'behind'
  if (CONFLICTS.includes(code)) return 'conflict'
  if (code === READ_ONLY_TRANSACTION) return 'write'
  return LOST.test(code) ? 'lost' : 'error'
}
