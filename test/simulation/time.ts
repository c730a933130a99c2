import { type Database, databaseTime } from '../../src/store/db/database.ts'

/**
 * Lets time pass for one customer. The database's clock cannot be moved, so everything that waits for an instant is
 * moved towards the present instead.
 */
export class SimulatedTime {
  readonly #database: Database
  readonly #instanceId: string
  #nowMs = 0

  constructor(database: Database, instanceId: string) {
    this.#database = database
    this.#instanceId = instanceId
  }

  /** Time of a correct clock. */
  get nowMs(): number {
    return this.#nowMs
  }

  /** Starts with the database's time, so that both clocks agree. */
  async start(): Promise<void> {
    this.#nowMs = (await databaseTime(this.#database)).getTime()
  }

  async pass(ms: number): Promise<void> {
    this.#nowMs += ms
    await this.#database.query(MOVE, [this.#instanceId, ms])
  }

  /**
   * Positions of connections in their interval depend on their ids, which differ between runs of a seed; here they are
   * due in a day.
   */
  async schedule(): Promise<void> {
    await this.#database.query(
      `update connections set update_scheduled_at = clock_timestamp() + interval '24 hours' where instance_id = $1`,
      [this.#instanceId],
    )
  }

  /** Time until something is due; null if nothing waits. */
  async untilNextMs(): Promise<number | null> {
    const { rows } = await this.#database.query<{ ms: number | null }>(
      `select extract(epoch from min(at) - clock_timestamp())::float8 * 1000 as ms from (
         select run_at as at from jobs where instance_id = $1 and state = 'ready'
         union all select lease_until from jobs where instance_id = $1 and state = 'running'
         union all select greatest(d.due_at, s.paused_until, d.leased_until) from deliveries d
           join subscriptions s on s.instance_id = d.instance_id and s.id = d.subscription_id
           where d.instance_id = $1 and d.status = 'pending' and s.status = 'active') waiting`,
      [this.#instanceId],
    )
    const ms = rows[0]?.ms ?? null
    return ms === null ? null : Math.max(0, ms)
  }

  async untilScheduledMs(): Promise<number> {
    const { rows } = await this.#database.query<{ ms: number | null }>(
      `select extract(epoch from min(update_scheduled_at) - clock_timestamp())::float8 * 1000 as ms from connections where instance_id = $1`,
      [this.#instanceId],
    )
    return Math.max(0, rows[0]?.ms ?? 0)
  }
}

/**
 * Everything that waits for an instant of the database's clock. The ticker runs every second, so nothing is overdue
 * for long.
 */
const MOVE = `with by as materialized (select make_interval(secs => $2::float8 / 1000) as ms),
  a as (update connections set update_scheduled_at = greatest(update_scheduled_at - ms, clock_timestamp() - interval '1 second'),
    refresh_lease_until = refresh_lease_until - ms, refresh_not_before = refresh_not_before - ms, last_read_at = last_read_at - ms
    from by where instance_id = $1),
  b as (update jobs set run_at = run_at - ms, lease_until = lease_until - ms from by where instance_id = $1),
  c as (update deliveries set due_at = due_at - ms, leased_until = leased_until - ms from by where instance_id = $1 and status = 'pending'),
  d as (update subscriptions set paused_until = paused_until - ms, failing_since = failing_since - ms from by where instance_id = $1),
  e as (update authorizations set expires_at = expires_at - ms from by where instance_id = $1)
  update links set expires_at = expires_at - ms from by where instance_id = $1`
