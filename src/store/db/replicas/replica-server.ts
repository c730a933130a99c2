import pg from 'pg'
import { reasonOf } from '../../../model/texts/reason-of.ts'
import { connectionOf, serverName } from '../connection/database-url.ts'
import { KEEP_ALIVE } from '../connection/keep-alive.ts'
import { LoginClient } from '../connection/login.ts'
import { LOCAL_TIMEOUTS } from '../connection/session-settings.ts'
import { currentInstance } from '../instance-scope.ts'
import type { Preamble } from '../pipelined-query.ts'
import { openSocket } from '../row-reader.ts'
import type { Mark } from './marks.ts'
import { type Position, toLsn, toPosition } from './positions.ts'

/** Timeout of a probe. After it the replica counts as lost, and all reads that wait for it go to the primary. */
const PROBE_TIMEOUT_MS = 1_500
const CONNECT_MS = 1_000
const MAX_CONNECTIONS = 10
const MISSING_TABLES = 'it does not have the tables of this deployment'

/** State of a replica: `serving`, or why it is not used. */
export type ReplicaPhase = 'unknown' | 'serving' | 'behind' | 'lost' | 'refused'

export interface ReplicaState {
  phase: ReplicaPhase
  /** For the log; empty while it serves. */
  reason: string
  /** Age of the newest mark that it shows; null if it shows none. */
  lagMs: number | null
}

interface Answer {
  isStandby: boolean
  pid: number
  shown: string[]
}

/** NOTE the condition on `slot` is needed for the index. */
const PROBE = `select pg_is_in_recovery() as "isStandby", pg_backend_pid() as pid,
    array(select m.id::text from read_marks m where m.slot = any($1::smallint[]) and m.id = any($2::uuid[])) as shown`

/**
 * Guard of a statement on a replica, with its settings: fails (division by zero) on a server that is no standby, does not
 * show the mark (slot $2, id $3), or has not replayed the log as far as $4. Works behind any pooler or balancer, because
 * the server that passes it runs the statement, in the same transaction.
 */
const GUARD = `select set_config('countinghouse.instance', $1, true), ${LOCAL_TIMEOUTS},
  1 / (pg_is_in_recovery() and exists (select from read_marks where slot = $2::smallint and id = $3::uuid)
       and coalesce(pg_last_wal_replay_lsn() >= $4::pg_lsn, false))::int`

export interface ReplicaOptions {
  maxStalenessMs: number
  /** Called when it begins or stops serving. */
  onChange(state: ReplicaState): void
}

/** One replica: its connections, and its progress at the last probe. */
export class ReplicaServer {
  /** Host and port. */
  readonly name: string
  readonly pool: pg.Pool
  readonly #url: string
  readonly #options: ReplicaOptions
  readonly #clients = new Set<pg.Client>()
  /** Connection of probes; null: to be opened. */
  #probeClient: pg.Client | null = null
  /** Behind a pooler no statement may be kept by name. */
  #isPooled = true
  #mark: Mark | null = null
  #isProbing = false
  #state: ReplicaState = { phase: 'unknown', reason: '', lagMs: null }
  #reported: ReplicaPhase = 'unknown'
  #isClosed = false

  constructor(url: string, options: ReplicaOptions) {
    this.name = serverName(url)
    this.#url = url
    this.#options = options
    this.pool = new pg.Pool({
      ...connectionOf(url),
      ...KEEP_ALIVE,
      Client: LoginClient,
      max: MAX_CONNECTIONS,
      application_name: 'countinghouse reads',
      connectionTimeoutMillis: CONNECT_MS,
      stream: openSocket,
    })
    this.pool.on('error', () => undefined)
    this.pool.on('connect', (client) => this.#clients.add(client))
    this.pool.on('remove', (client) => this.#clients.delete(client))
  }

  get state(): ReplicaState {
    return this.#state
  }

  /** Newest mark that it has shown; null while it is not used. */
  get mark(): Mark | null {
    return this.#state.phase === 'serving' ? this.#mark : null
  }

  /** Guard of a statement of the current instance scope. */
  guard(mark: Mark, atLeast: Position): Preamble {
    return {
      name: this.#isPooled ? '' : 'on-replica',
      text: GUARD,
      values: [currentInstance() ?? '*', String(mark.slot), mark.id, toLsn(atLeast)],
      isShared: this.#isPooled,
    }
  }

  /** Log position that it has replayed now. */
  async position(): Promise<Position> {
    const { rows } = await this.pool.query<{ position: string }>('select pg_last_wal_replay_lsn()::text as position')
    return toPosition(rows[0]?.position ?? '')
  }

  /** Probes its progress, unless a probe is running; `marks` newest first, with their ages in milliseconds. */
  async probe(marks: readonly Mark[], ageOf: (mark: Mark) => number): Promise<void> {
    if (this.#isProbing) return
    this.#isProbing = true
    try {
      const { isStandby, shown } = await this.#ask(marks)
      const mark = marks.find(({ id }) => shown.includes(id)) ?? null
      const oldest = marks.at(-1)
      this.#mark = mark
      this.#become(this.#judge(isStandby, mark && ageOf(mark), oldest ? ageOf(oldest) : 0))
    } catch (error) {
      this.markLost(error)
    } finally {
      this.#isProbing = false
    }
  }

  /** Stops using it until it answers again; waiting reads fail at once. */
  markLost(error: unknown): void {
    const isForeign = isMissingTable(error)
    const phase = isForeign ? 'refused' : 'lost'
    // The first reason is more useful than those that follow from it.
    if (this.#state.phase !== phase) this.#become({ phase, reason: isForeign ? MISSING_TABLES : reasonOf(error), lagMs: null })
    this.#disconnect()
  }

  /** Closes the probe connection until the next probe. */
  rest(): void {
    this.#probeClient?.connection.stream.destroy()
    this.#probeClient = null
  }

  /** Waiting reads fail at once. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#disconnect()
    await this.pool.end()
  }

  #disconnect(): void {
    this.rest()
    for (const client of this.#clients) client.connection.stream.destroy(new LostReplica())
  }

  async #ask(marks: readonly Mark[]): Promise<Answer> {
    const client = this.#probeClient ?? (await this.#connect())
    const { rows } = await client.query<Answer>(PROBE, [marks.map(({ slot }) => slot), marks.map(({ id }) => id)])
    const [answer] = rows
    if (!answer) throw new Error('a select without from returned no row')
    this.#isPooled = !('processID' in client && client.processID === answer.pid)
    return answer
  }

  async #connect(): Promise<pg.Client> {
    const client = new LoginClient({
      ...connectionOf(this.#url),
      ...KEEP_ALIVE,
      application_name: 'countinghouse replica watch',
      connectionTimeoutMillis: CONNECT_MS,
      query_timeout: PROBE_TIMEOUT_MS,
    })
    client.on('error', () => {
      if (this.#probeClient === client) this.#probeClient = null
    })
    try {
      await client.connect()
    } catch (error) {
      client.connection.stream.destroy()
      throw error
    }
    this.#probeClient = client
    return client
  }

  /** `oldestMs`: age of the oldest mark that it could show. */
  #judge(isStandby: boolean, lagMs: number | null, oldestMs: number): ReplicaState {
    const { maxStalenessMs } = this.#options
    if (!isStandby) return { phase: 'refused', reason: 'it accepts writes: it is the primary, or was promoted', lagMs }
    if (lagMs !== null && lagMs <= maxStalenessMs) return { phase: 'serving', reason: '', lagMs }
    if (lagMs !== null) return { phase: 'behind', reason: `it is ${(lagMs / 1_000).toFixed(1)} s behind`, lagMs }
    // Marks that were just written have not arrived yet.
    if (oldestMs <= maxStalenessMs) return this.#state
    return { phase: 'behind', reason: 'it shows nothing that was written lately', lagMs }
  }

  #become(state: ReplicaState): void {
    if (this.#isClosed) return
    const { phase } = state
    this.#state = state
    // A lost replica has to catch up before it is used again.
    const isComingBack = phase === 'behind' && (this.#reported === 'lost' || this.#reported === 'refused')
    if (phase === this.#reported || isComingBack) return
    this.#reported = phase
    this.#options.onChange(state)
  }
}

/** Thrown to reads that wait for a replica that no longer answers. */
class LostReplica extends Error {
  override readonly name = 'LostReplica'
  readonly code = 'ETIMEDOUT'

  constructor() {
    super('the replica no longer answers')
  }
}

/** A server without our tables belongs to another cluster, or has not replayed the migration that creates them. */
function isMissingTable(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '42P01'
}
