import pg from 'pg'
import { reasonOf } from '../../../model/texts/reason-of.ts'
import { connectionOf, nameOf } from '../connection/database-url.ts'
import { LOCAL_TIMEOUTS } from '../connection/session-settings.ts'
import { currentInstance } from '../instance-scope.ts'
import { openSocket } from '../row-reader.ts'
import type { Preamble } from '../scoped-query.ts'
import type { Mark } from './marks.ts'
import { type Position, toLsn, toPosition } from './positions.ts'

/** Timeout of a replica that is asked how far it is: then it counts as lost, and all that wait for it ask the primary. */
const ANSWER_TIMEOUT_MS = 1_500
const CONNECT_MS = 1_000
const MAX_CONNECTIONS = 10
const MISSING_TABLES = 'it does not have the tables of this deployment'

/** What a replica is good for: `serving`, or why it is left alone. */
export type ReplicaPhase = 'unknown' | 'serving' | 'behind' | 'lost' | 'refused'

export interface ReplicaState {
  phase: ReplicaPhase
  /** For the log; empty while it serves. */
  reason: string
  /** How long ago the newest mark that it shows was written; null: it shows none. */
  lagMs: number | null
}

interface Answer {
  isStandby: boolean
  isEncrypted: boolean
  pid: number
  shown: string[]
}

/** NOTE `slot` is there for the index. */
const PROBE = `select pg_is_in_recovery() as "isStandby", pg_backend_pid() as pid,
    coalesce((select ssl from pg_stat_ssl where pid = pg_backend_pid()), false) as "isEncrypted",
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
  /** Whether data may not travel in clear. */
  mustEncrypt: boolean
}

/** One replica: its connections, and how far it was when it was last asked. */
export class ReplicaServer {
  /** Host and port. */
  readonly name: string
  readonly pool: pg.Pool
  readonly #url: string
  readonly #options: ReplicaOptions
  readonly #clients = new Set<pg.Client>()
  /** Connection that is asked how far the replica is; null: to be opened. */
  #probeClient: pg.Client | null = null
  /** Behind a pooler no statement may be kept by name. */
  #isPooled = true
  #mark: Mark | null = null
  #isProbing = false
  #state: ReplicaState = { phase: 'unknown', reason: '', lagMs: null }

  constructor(url: string, options: ReplicaOptions) {
    this.name = nameOf(url)
    this.#url = url
    this.#options = options
    this.pool = new pg.Pool({
      ...connectionOf(url),
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

  /** Whether it is being asked how far it is. */
  get isProbing(): boolean {
    return this.#isProbing
  }

  /** Newest mark that it has shown; null where it is left alone. */
  get mark(): Mark | null {
    return this.#state.phase === 'serving' ? this.#mark : null
  }

  /** Guard of a statement of the current instance scope. */
  guard(mark: Mark, atLeast: Position): Preamble {
    return {
      name: this.#isPooled ? null : 'on-replica',
      text: GUARD,
      values: [currentInstance() ?? '*', String(mark.slot), mark.id, toLsn(atLeast)],
    }
  }

  /** End of what it has replayed, now. */
  async position(): Promise<Position> {
    const { rows } = await this.pool.query<{ position: string }>('select pg_last_wal_replay_lsn()::text as position')
    return toPosition(rows[0]?.position ?? '')
  }

  /** Asks how far it is; `marks` newest first, with their ages in milliseconds. */
  async probe(marks: readonly Mark[], ageOf: (mark: Mark) => number): Promise<ReplicaState> {
    this.#isProbing = true
    try {
      const answer = await this.#ask(marks)
      this.#mark = marks.find(({ id }) => answer.shown.includes(id)) ?? null
      this.#state = this.#judge(answer, this.#mark && ageOf(this.#mark))
    } catch (error) {
      this.markLost(error)
    } finally {
      this.#isProbing = false
    }
    return this.#state
  }

  /** Leaves it alone until it answers again; whoever waits for it gets an error at once. */
  markLost(error: unknown): void {
    this.#probeClient?.connection.stream.destroy()
    this.#probeClient = null
    this.#state = {
      phase: isMissingTable(error) ? 'refused' : 'lost',
      reason: isMissingTable(error) ? MISSING_TABLES : reasonOf(error),
      lagMs: null,
    }
    for (const client of this.#clients) client.connection.stream.destroy(new LostReplica())
  }

  async close(): Promise<void> {
    this.#probeClient?.connection.stream.destroy()
    this.#probeClient = null
    await this.pool.end()
  }

  async #ask(marks: readonly Mark[]): Promise<Answer> {
    this.#probeClient ??= await this.#connect()
    const { rows } = await this.#probeClient.query<Answer>(PROBE, [marks.map(({ slot }) => slot), marks.map(({ id }) => id)])
    const [answer] = rows
    if (!answer) throw new Error('a select without from gave no row')
    this.#isPooled = !('processID' in this.#probeClient && this.#probeClient.processID === answer.pid)
    return answer
  }

  async #connect(): Promise<pg.Client> {
    const client = new pg.Client({
      ...connectionOf(this.#url),
      application_name: 'countinghouse replica watch',
      connectionTimeoutMillis: CONNECT_MS,
      query_timeout: ANSWER_TIMEOUT_MS,
    })
    client.on('error', () => {
      if (this.#probeClient === client) this.#probeClient = null
    })
    try {
      await client.connect()
      return client
    } catch (error) {
      client.connection.stream.destroy()
      throw error
    }
  }

  #judge({ isStandby, isEncrypted }: Answer, lagMs: number | null): ReplicaState {
    const { maxStalenessMs, mustEncrypt } = this.#options
    const refused = (reason: string): ReplicaState => ({ phase: 'refused', reason, lagMs })
    if (!isStandby) return refused('it accepts writes: it is the primary, or was promoted')
    if (mustEncrypt && !isEncrypted) return refused('the connection is not encrypted')
    if (lagMs === null) return { phase: 'behind', reason: 'it shows nothing that was written lately', lagMs }
    if (lagMs > maxStalenessMs) return { phase: 'behind', reason: `it is ${(lagMs / 1_000).toFixed(1)} s behind`, lagMs }
    return { phase: 'serving', reason: '', lagMs }
  }
}

/** Thrown to whoever waits for a replica that no longer answers. */
class LostReplica extends Error {
  override readonly name = 'LostReplica'
  readonly code = 'ETIMEDOUT'

  constructor() {
    super('the replica no longer answers')
  }
}

/** A server without our tables: of another cluster, or not as far as the migration that made them. */
function isMissingTable(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '42P01'
}
