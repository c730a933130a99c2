import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { createInstance } from '../../src/store/access/instances.ts'
import { type Database, openDatabase } from '../../src/store/db/database.ts'
import { withinInstance } from '../../src/store/db/instance-scope.ts'
import { upgradeSchema } from '../../src/store/db/migrate.ts'
import { LOG_START, type Position } from '../../src/store/db/replicas/positions.ts'
import type { ReplicaState } from '../../src/store/db/replicas/replica-server.ts'
import { Replicas, type ReplicasOptions } from '../../src/store/db/replicas/replicas.ts'
import { type ApiHarness, openApiHarness } from '../api/harness.ts'
import { until } from '../process/deadline.ts'
import { type PostgresServer, ReplicatedPostgres } from './cluster.ts'

/** A table of one number for each key, which tests change and read. */
const COUNTERS = `create table counters (instance_id uuid not null, name text primary key, value bigint not null);
  select enforce_instance_isolation('counters')`

/** Migrated cluster with a table of counters of one instance. */
export async function openCounters(
  settings: readonly string[] = [],
): Promise<{ cluster: ReplicatedPostgres; primary: Database; instanceId: string }> {
  const cluster = await ReplicatedPostgres.open(settings)
  const primary = openDatabase(cluster.primary.url, { max: 10 })
  await upgradeSchema(primary)
  await primary.query(COUNTERS)
  const instanceId = randomUUID()
  await createInstance(primary, { id: instanceId, name: 'Maple Lending' })
  return { cluster, primary, instanceId }
}

/** The API over the primary of an empty cluster. */
export async function openApiOn({ primary: { url } }: ReplicatedPostgres): Promise<ApiHarness> {
  const database = openDatabase(url, { max: 20 })
  await upgradeSchema(database)
  return await openApiHarness([], {}, async () => ({ database, url, drop: async () => await database.end() }))
}

/** Clocks of replicas. The time of day is monotonic too: when the machine's clock is set, no mark seems to be old. */
export const MONOTONIC_CLOCKS = { elapsedMs: () => performance.now(), now: () => new Date(performance.now()) }

/** One process: replicas of its own, and what it was told of them. */
export class ReadingProcess {
  readonly replicas: Replicas
  /** Servers that answered, in order; `primary`: none of them. */
  readonly answers: string[] = []
  readonly reasons: string[] = []
  readonly changes: { name: string; state: ReplicaState }[] = []
  readonly #primary: Database
  #closed: Promise<void> | null = null
  readonly #instanceId: string

  constructor(primary: Database, instanceId: string, url: string, options: Partial<ReplicasOptions> = {}) {
    this.#primary = primary
    this.#instanceId = instanceId
    this.replicas = new Replicas(primary, {
      url,
      // Long, so that only tests of the bound depend on it.
      maxStalenessMs: 60_000,
      probeIntervalMs: 100,
      ...MONOTONIC_CLOCKS,
      onAnswer: (name) => this.answers.push(name),
      onFallback: (_name, reason) => {
        this.reasons.push(reason)
        this.answers.push('primary')
      },
      onChange: (name, state) => this.changes.push({ name, state }),
      ...options,
    })
  }

  /** Changes a counter on behalf of a session, as a request would. */
  async set(grantId: string, name: string, value: number): Promise<void> {
    await withinInstance(this.#instanceId, () =>
      this.#primary.query(
        'insert into counters (instance_id, name, value) values ($1, $2, $3) on conflict (name) do update set value = excluded.value',
        [this.#instanceId, name, value],
      ),
    )
    await this.replicas.noteChange({ grantId, instanceId: this.#instanceId })
  }

  /** Reads a counter for a session, -1 if there is none; says who answered. */
  async get(grantId: string, name: string, readUntil: Position = LOG_START): Promise<{ value: number; by: string; readUntil: Position }> {
    return await this.run(grantId, { text: 'select value from counters where name = $1', values: [name] }, readUntil)
  }

  async run(grantId: string, query: { text: string; values?: unknown[] }, readUntil: Position = LOG_START) {
    const before = this.answers.length
    return await withinInstance(this.#instanceId, async () => {
      const read = await this.replicas.begin({ grantId, readUntil })
      const { rows } = await read.run(() => this.#primary.query<{ value: string }>(query))
      return { value: Number(rows[0]?.value ?? -1), by: this.answers.slice(before).at(-1) ?? 'primary', readUntil: await read.end() }
    })
  }

  /** Reads until this server answers. */
  async awaitAnswerOf(server: string): Promise<void> {
    await until(`${server} answers`, async () => ((await this.get(randomUUID(), 'any')).by === server ? true : null))
  }

  /** What the log said since `from`. */
  phasesSince(from: number): string[] {
    return this.changes.slice(from).map(({ state }) => state.phase)
  }

  async close(): Promise<void> {
    this.#closed ??= this.replicas.close()
    await this.#closed
  }
}

/** A read that waits at a replica until `release`, and at the primary for nothing. */
export class SlowRead {
  readonly query = { text: `select value from counters, (select pg_advisory_xact_lock(77)) as waited where name = $1`, values: ['slow'] }
  readonly #replica: PostgresServer
  readonly #holder: pg.Client

  private constructor(replica: PostgresServer, holder: pg.Client) {
    this.#replica = replica
    this.#holder = holder
  }

  static async hold(replica: PostgresServer): Promise<SlowRead> {
    const holder = new pg.Client({ host: '127.0.0.1', port: replica.port, user: 'postgres', database: 'countinghouse' })
    holder.on('error', () => undefined)
    await holder.connect()
    await holder.query('select pg_advisory_lock(77)')
    return new SlowRead(replica, holder)
  }

  async awaitWaiting(count = 1): Promise<void> {
    const text = `select count(*)::int as count from pg_locks where locktype = 'advisory' and not granted`
    await until('reads wait at the replica', async () => {
      const [row] = await this.#replica.admin<{ count: number }>(text)
      return row?.count === count ? true : null
    })
  }

  async release(): Promise<void> {
    await this.#holder.end()
  }
}
