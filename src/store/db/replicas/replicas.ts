import { nameOf, urlsOf } from '../connection/database-url.ts'
import type { Database } from '../database.ts'
import { withReader } from '../instance-scope.ts'
import type { Clocks, Mark } from './marks.ts'
import { LOG_START, later, type Position } from './positions.ts'
import { rankServers } from './rank-servers.ts'
import { noteChange, type RecentChanges, RecentChangesBatcher } from './recent-changes.ts'
import { type FallbackReason, ReplicaRead } from './replica-read.ts'
import { ReplicaServer, type ReplicaState } from './replica-server.ts'
import { ReplicaWatch } from './replica-watch.ts'
import { SessionPositions } from './session-positions.ts'

export interface ReplicasOptions extends Clocks {
  /** Address of one replica or several, as `DATABASE_URL` names several servers. */
  url: string
  /** An answer lacks nothing that was committed longer ago than this when it was asked for. */
  maxStalenessMs: number
  probeIntervalMs?: number
  /** Called when a replica begins or ends to serve, or is good for less than before. */
  onChange?(name: string, state: ReplicaState): void
  /** Called for each statement of a read that may be answered by a replica: by which, or why by none. */
  onAnswer?(name: string): void
  onFallback?(name: string | null, reason: FallbackReason | 'none'): void
}

/** Session or API key that reads, and how far it has read elsewhere. */
export interface ReadSession {
  grantId: string
  readUntil: Position
  /** Whether no replica may answer. */
  isFromPrimary?: boolean
}

/** One read of a session. */
export interface SessionRead {
  /** Runs statements that a replica may answer. */
  run<T>(work: () => Promise<T>): Promise<T>
  /** How far the session has read now; to be told with the answer, and given with the next read. */
  end(): Promise<Position>
}

/** What a pinned read needs: the end of the primary’s log, in one history of the primary. */
export type Pin = Pick<RecentChanges, 'epoch' | 'end'>

/** Whatever reads a replica needs: no replica that is not as far is asked. */
interface Needs {
  /** Key by which one replica comes first, so that its reads stay with it. */
  key: string
  /** Mark that proves enough. */
  accepts(mark: Mark): boolean
  /** Position that a replica has to have replayed, beyond its mark. */
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
      const onChange = (state: ReplicaState): void => options.onChange?.(nameOf(url), state)
      return new ReplicaServer(url, { maxStalenessMs, onChange })
    })
    this.#primary = primary
    this.#watch = new ReplicaWatch(primary, this.servers, options)
    this.#options = options
    this.#changes = new RecentChangesBatcher(primary)
    this.#read = new SessionPositions(maxStalenessMs)
  }

  /** Whether marks are written now: only while reads come. */
  get isWatching(): boolean {
    return this.#watch.isRunning
  }

  /** How long what was read matters for the next read. */
  get maxStalenessMs(): number {
    return this.#options.maxStalenessMs
  }

  /** To be awaited before a change is acknowledged: the session reads no older state from then on. */
  async noteChange(grant: { grantId: string; instanceId: string }): Promise<void> {
    await noteChange(this.#primary, grant)
  }

  /**
   * Begins a read of a session, whose statements a replica may answer: it sees the session’s own changes, and nothing older
   * than what the session has read.
   */
  async begin({ grantId, readUntil, isFromPrimary = false }: ReadSession): Promise<SessionRead> {
    this.#watch.use()
    const atLeast = later(readUntil, this.#read.get(grantId))
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

  /** What was committed before this can be read by `readPinned`. */
  async pin(): Promise<Pin> {
    this.#watch.use()
    return await this.#changes.load(NO_GRANT)
  }

  /**
   * Runs a read of what is pinned and no longer changes. `pin` was taken after the primary showed it; a replica answers
   * once it shows a mark from after the pin. Without a pin any replica that is fresh enough answers.
   */
  async readPinned<T>(key: string, pin: Pin | null, work: () => Promise<T>): Promise<T> {
    this.#watch.use()
    const accepts = (mark: Mark): boolean => pin === null || (mark.epoch === pin.epoch && mark.position >= pin.end)
    return await this.#run(this.#choose({ key, accepts, atLeast: LOG_START }), work)
  }

  async close(): Promise<void> {
    // First, so that nobody waits for a server that does not answer.
    const closed = this.servers.map((server) => server.close())
    await Promise.all([...closed, this.#watch.close()])
  }

  async #readerOf(grantId: string, atLeast: Position): Promise<ReplicaRead | null> {
    if (!this.servers.some(({ mark }) => mark !== null && this.#isRecent(mark))) return this.#none()
    const { epoch, changedUntil } = await this.#ask(grantId)
    const accepts = (mark: Mark): boolean => mark.epoch === epoch && mark.position >= changedUntil
    return this.#choose({ key: grantId, accepts, atLeast })
  }

  /**
   * What the primary says now. A position beyond its end, which no replica would ever reach, is of another history: of
   * before a crash, a failover or the restore of an older backup. Then the session has seen no more than all there is.
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
    if (!server) return this.#none()
    return new ReplicaRead({
      primary: this.#primary,
      server,
      findMark: () => findMark(server),
      atLeast,
      onAnswer: () => this.#options.onAnswer?.(server.name),
      onFallback: (reason) => this.#options.onFallback?.(server.name, reason),
    })
  }

  #none(): null {
    this.#options.onFallback?.(null, 'none')
    return null
  }

  /** How far a read has seen at most: the end of what its server had when it was over. */
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
