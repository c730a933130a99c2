import { serverName, urlsOf } from '../connection/database-url.ts'
import type { Database } from '../database.ts'
import { withReader } from '../instance-scope.ts'
import type { Clocks, Mark } from './marks.ts'
import { LOG_START, latest, type Position } from './positions.ts'
import { rankServers } from './rank-servers.ts'
import { noteChange, type RecentChanges, RecentChangesBatcher } from './recent-changes.ts'
import { type FallbackReason, ReplicaRead } from './replica-read.ts'
import { ReplicaServer, type ReplicaState } from './replica-server.ts'
import { ReplicaWatch } from './replica-watch.ts'
import { SessionPositions } from './session-positions.ts'

export interface ReplicasOptions extends Clocks {
  /** Address of one replica or several, as `DATABASE_URL` names several servers. */
  url: string
  /** Staleness limit: an answer contains everything that was committed longer ago than this when it was requested. */
  maxStalenessMs: number
  probeIntervalMs?: number
  /** Called when the state of a replica changes. */
  onChange?(name: string, state: ReplicaState): void
  /** Called for each statement that a replica may answer, with the replica that did, or the reason why none did. */
  onAnswer?(name: string): void
  onFallback?(name: string | null, reason: FallbackReason | 'none'): void
}

/** Session or API key that reads, and how far it has read elsewhere. */
export interface ReadSession {
  grantId: string
  readUntil: Position
  /** Whether only the primary may answer. */
  isFromPrimary?: boolean
}

/** One read of a session. */
export interface SessionRead {
  /** Runs statements that a replica may answer. */
  run<T>(work: () => Promise<T>): Promise<T>
  /** Log position up to which the session has read; returned with the answer and passed with the next read. */
  end(): Promise<Position>
}

/** The end of the primary’s log at one moment, in one history of the primary. */
export type LogPin = Pick<RecentChanges, 'epoch' | 'end'>

/** Requirements of a read: a replica that does not meet them is not asked. */
interface Needs {
  /** Key for rendezvous hashing, so that a session usually uses one replica. */
  key: string
  /** Whether a mark is proof enough. */
  accepts(mark: Mark): boolean
  /** Log position that the replica must have replayed, beyond its mark. */
  atLeast: Position
}

/**
 * Replicas: which of them may answer a read. While reads come, this process writes a mark on the primary every second, and
 * asks each replica which of its marks it shows. A replica serves as long as it shows one that is no older than the bound
 * on staleness; each statement checks it again on the server that answers it. Everything else is asked of the primary.
 */
export class Replicas {
  readonly servers: readonly ReplicaServer[]
  readonly #primary: Database
  readonly #options: ReplicasOptions
  readonly #changes: RecentChangesBatcher
  readonly #read: SessionPositions
  readonly #watch: ReplicaWatch

  constructor(primary: Database, options: ReplicasOptions) {
    const { maxStalenessMs } = options
    this.servers = urlsOf(options.url).map((url) => {
      const onChange = (state: ReplicaState): void => options.onChange?.(serverName(url), state)
      return new ReplicaServer(url, { maxStalenessMs, onChange })
    })
    this.#primary = primary
    this.#watch = new ReplicaWatch(primary, this.servers, options)
    this.#options = options
    this.#changes = new RecentChangesBatcher(primary)
    this.#read = new SessionPositions(maxStalenessMs)
  }

  /** Whether marks are being written, which is only while there are reads. */
  get isWatching(): boolean {
    return this.#watch.isRunning
  }

  /** Time for which the position of a read matters for later reads. */
  get maxStalenessMs(): number {
    return this.#options.maxStalenessMs
  }

  /** Await this before a change is acknowledged: from then on the session reads no older state. */
  async noteChange(grant: { grantId: string; instanceId: string }): Promise<void> {
    await noteChange(this.#primary, grant)
  }

  /**
   * Begins a read of a session, whose statements a replica may answer: it sees the session’s own changes, and nothing older
   * than what the session has read.
   */
  async begin({ grantId, readUntil, isFromPrimary = false }: ReadSession): Promise<SessionRead> {
    this.#watch.use()
    const atLeast = latest(readUntil, this.#read.get(grantId))
    const reader = isFromPrimary ? null : await this.#readerOf(grantId, atLeast)
    return {
      run: async (work) => await this.#run(reader, work),
      end: async () => {
        const position = await this.#positionAfter(reader, grantId)
        this.#read.add(grantId, position, this.#options.elapsedMs())
        return position
      },
    }
  }

  /** Data committed before this call can be read by `readPinned`. */
  async pin(): Promise<LogPin> {
    this.#watch.use()
    return await this.#changes.load(NO_GRANT)
  }

  /**
   * Runs a read of pinned data, which no longer changes. `pin` was taken after the primary showed the data; a replica
   * answers once it shows a mark from after the pin. Without a pin, any replica that is fresh enough answers.
   */
  async readPinned<T>(key: string, pin: LogPin | null, work: () => Promise<T>): Promise<T> {
    this.#watch.use()
    const accepts = (mark: Mark): boolean => pin === null || (mark.epoch === pin.epoch && mark.position >= pin.end)
    return await this.#run(this.#choose({ key, accepts, atLeast: LOG_START }), work)
  }

  async close(): Promise<void> {
    // First, so that no read waits for a server that does not answer.
    const closed = this.servers.map((server) => server.close())
    await Promise.all([...closed, this.#watch.close()])
  }

  async #readerOf(grantId: string, atLeast: Position): Promise<ReplicaRead | null> {
    if (!this.servers.some(({ mark }) => mark !== null && this.#isRecent(mark))) return this.#withoutReplica()
    const { epoch, changedUntil } = await this.#ask(grantId)
    const accepts = (mark: Mark): boolean => mark.epoch === epoch && mark.position >= changedUntil
    return this.#choose({ key: grantId, accepts, atLeast })
  }

  /**
   * Recent changes according to the primary. A position beyond its end, which no replica would ever reach, belongs to
   * another history: before a crash, a failover or the restore of an older backup. The session has then seen no more
   * than the present data.
   */
  async #ask(grantId: string): Promise<RecentChanges> {
    const kept = this.#read.get(grantId)
    const changes = await this.#changes.load(grantId)
    if (kept > changes.end) this.#read.replace(grantId, kept, changes.end)
    return changes
  }

  async #run<T>(reader: ReplicaRead | null, work: () => Promise<T>): Promise<T> {
    return await (reader ? this.#watch.during(() => withReader(reader, work)) : work())
  }

  #choose({ key, accepts, atLeast }: Needs): ReplicaRead | null {
    const findMark = ({ mark }: ReplicaServer): Mark | null => (mark !== null && this.#isRecent(mark) && accepts(mark) ? mark : null)
    const server = rankServers(key, this.servers).find((each) => findMark(each) !== null)
    if (!server) return this.#withoutReplica()
    return new ReplicaRead({
      primary: this.#primary,
      server,
      findMark: () => findMark(server),
      atLeast,
      onAnswer: () => this.#options.onAnswer?.(server.name),
      onFallback: (reason) => this.#options.onFallback?.(server.name, reason),
    })
  }

  #withoutReplica(): null {
    this.#options.onFallback?.(null, 'none')
    return null
  }

  /** Latest position that a read may have seen: the end of its server’s log when it finished. */
  async #positionAfter(reader: ReplicaRead | null, grantId: string): Promise<Position> {
    const server = reader?.server ?? null
    const position = server === null ? null : await server.position().catch(() => null)
    return position ?? (await this.#ask(grantId)).end
  }

  /** NOTE by the wall clock too, which also runs while the machine sleeps. */
  #isRecent({ askedAtMs, askedAtTime }: Mark): boolean {
    const { elapsedMs, now, maxStalenessMs } = this.#options
    const asleepMs = now().getTime() - askedAtTime
    return elapsedMs() - askedAtMs <= maxStalenessMs && asleepMs <= maxStalenessMs && asleepMs >= -maxStalenessMs
  }
}

/** Asks for the end of the log alone. */
const NO_GRANT = '00000000-0000-0000-0000-000000000000'
