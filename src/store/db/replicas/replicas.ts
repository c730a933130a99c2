import { urlsOf } from '../connection/database-url.ts'
import type { Database } from '../database.ts'
import { acrossInstances, withReader } from '../instance-scope.ts'
import { type Clocks, type Mark, writeMark } from './marks.ts'
import { later, NOWHERE, type Position } from './positions.ts'
import { rankServers } from './rank-servers.ts'
import { noteChange, RecentChangesBatcher } from './recent-changes.ts'
import { type FallbackReason, ReplicaRead } from './replica-read.ts'
import { ReplicaServer, type ReplicaState } from './replica-server.ts'
import { SessionPositions } from './session-positions.ts'

/** Interval of marks and probes, and how long after the last read they end. */
const PROBE_INTERVAL_MS = 1_000
const IDLE_MS = 10_000
const REMEMBERED_MARKS = 64

export interface ReplicasOptions extends Clocks {
  /** Address of one replica or several, as `DATABASE_URL` names several servers. */
  url: string
  /** An answer lacks nothing that was committed longer ago than this when it was asked for. */
  maxStalenessMs: number
  /** Whether data may not travel in clear. */
  mustEncrypt?: boolean
  probeIntervalMs?: number
  /** Called when a replica begins or ends to serve. */
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
  /** Newest first. */
  #marks: readonly Mark[] = []
  #usedAtMs = Number.NEGATIVE_INFINITY
  #watching: Promise<void> | null = null
  #isMarking = false
  readonly #closing = new AbortController()

  constructor(primary: Database, options: ReplicasOptions) {
    const { maxStalenessMs, mustEncrypt = false } = options
    this.servers = urlsOf(options.url).map((url) => new ReplicaServer(url, { maxStalenessMs, mustEncrypt }))
    this.#primary = primary
    this.#options = options
    this.#changes = new RecentChangesBatcher(primary)
    this.#read = new SessionPositions(maxStalenessMs)
  }

  /** Whether marks are written now: only while reads come. */
  get isWatching(): boolean {
    return this.#watching !== null
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
    this.#use()
    const atLeast = later(readUntil, this.#read.get(grantId))
    const reader = isFromPrimary ? null : await this.#readerOf(grantId, atLeast)
    return {
      run: async (work) => await (reader ? withReader(reader, work) : work()),
      end: async () => {
        const position = later(atLeast, await this.#positionAfter(reader, grantId))
        this.#read.add(grantId, position, this.#options.elapsedMs())
        return position
      },
    }
  }

  /** End of the primary’s log: what was committed before can be read by `readPinned`. */
  async pin(): Promise<Position> {
    this.#use()
    return (await this.#changes.load(NO_GRANT)).end
  }

  /**
   * Runs a read of what is pinned and no longer changes. `pin` was taken after the primary showed it; a replica answers
   * once it shows a mark from after the pin.
   */
  async readPinned<T>(key: string, pin: Position, work: () => Promise<T>): Promise<T> {
    this.#use()
    const reader = this.#choose({ key, accepts: ({ position }) => position >= pin, atLeast: NOWHERE })
    return await (reader ? withReader(reader, work) : work())
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.#watching
    await Promise.all(this.servers.map((server) => server.close()))
  }

  async #readerOf(grantId: string, atLeast: Position): Promise<ReplicaRead | null> {
    if (!this.servers.some(({ mark }) => mark !== null && this.#isRecent(mark))) return this.#none()
    const { epoch, changedUntil } = await this.#changes.load(grantId)
    return this.#choose({ key: grantId, accepts: (mark) => mark.epoch === epoch && mark.position >= changedUntil, atLeast })
  }

  #choose({ key, accepts, atLeast }: Needs): ReplicaRead | null {
    const markFor = ({ mark }: ReplicaServer): Mark | null => (mark !== null && this.#isRecent(mark) && accepts(mark) ? mark : null)
    const server = rankServers(key, this.servers).find((each) => markFor(each) !== null)
    if (!server) return this.#none()
    return new ReplicaRead({
      primary: this.#primary,
      server,
      markFor,
      atLeast,
      onAnswer: ({ name }) => this.#options.onAnswer?.(name),
      onFallback: (_server, reason) => {
        this.#options.onFallback?.(server.name, reason)
        if (reason === 'lost') this.#report(server)
      },
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
    return position ?? (await this.#changes.load(grantId)).end
  }

  /** NOTE by the wall clock too, which also runs while the machine sleeps. */
  #isRecent({ askedAtMs, askedAtTime }: Mark): boolean {
    const { elapsedMs, now, maxStalenessMs } = this.#options
    const asleepMs = now().getTime() - askedAtTime
    return elapsedMs() - askedAtMs <= maxStalenessMs && asleepMs <= maxStalenessMs && asleepMs >= -maxStalenessMs
  }

  #use(): void {
    this.#usedAtMs = this.#options.elapsedMs()
    if (this.#watching === null && !this.#closing.signal.aborted)
      this.#watching = acrossInstances(() => this.#watch()).finally(() => {
        this.#watching = null
      })
  }

  /** Writes marks and probes the replicas as long as reads come. One that does not answer delays neither marks nor other probes. */
  async #watch(): Promise<void> {
    const { elapsedMs, probeIntervalMs = PROBE_INTERVAL_MS } = this.#options
    const { signal } = this.#closing
    const underWay = new Set<Promise<void>>()
    while (!signal.aborted && elapsedMs() - this.#usedAtMs < IDLE_MS) {
      const turn = this.#markAndProbe().finally(() => underWay.delete(turn))
      underWay.add(turn)
      await pause(probeIntervalMs, signal)
    }
    await Promise.all(underWay)
  }

  async #markAndProbe(): Promise<void> {
    if (!this.#isMarking) {
      this.#isMarking = true
      try {
        const mark = await writeMark(this.#primary, this.#options)
        this.#marks = [mark, ...this.#marks].slice(0, REMEMBERED_MARKS)
      } catch {
        // Without new marks the replicas are soon too old to be read; whoever asks the primary gets its error.
      } finally {
        this.#isMarking = false
      }
    }
    await Promise.all(this.servers.map((server) => this.#probe(server)))
  }

  async #probe(server: ReplicaServer): Promise<void> {
    if (server.isProbing) return
    const { phase } = server.state
    const state = await server.probe(this.#marks, ({ askedAtMs }) => this.#options.elapsedMs() - askedAtMs)
    if (state.phase !== phase) this.#report(server)
  }

  #report({ name, state }: ReplicaServer): void {
    this.#options.onChange?.(name, state)
  }
}

/** Asks for the end of the log alone. */
const NO_GRANT = '00000000-0000-0000-0000-000000000000'

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const done = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms).unref()
    signal.addEventListener('abort', done)
  })
}
