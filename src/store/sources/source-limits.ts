import type { Db } from '../db/database.ts'

/** Key of one counted limit. */
export interface LimitKey {
  /** Hash of the books it is counted for; empty for the whole app. */
  scope: string
  name: string
  calls: number
  /** Window in milliseconds; 0: concurrent calls. */
  perMs: number
}

/** Returned lease: the permits it was charged, its end, and the age of each finished call. */
export interface SettledLease {
  untilMs: number
  granted: number
  agesMs: readonly number[]
}

export interface PermitExchange {
  connectorKey: string
  limits: readonly LimitKey[]
  settled: readonly SettledLease[]
  /** Number of permits wanted; 0: only settle. */
  wanted: number
  /** Lease duration: no call of the lease is in flight after this. */
  leaseMs: number
}

/** Granted permits, valid until `untilMs` (epoch of the database), or the wait until some are free. */
export interface Permits {
  granted: number
  untilMs: number
  waitMs: number
  /** Name of the exhausted limit; `pause` while the source has asked to wait. */
  blockedBy: string | null
  /** Permits are held by calls in flight, which may end at any moment. */
  isHeld: boolean
}

/**
 * Distributed rate limiter: returns leases and takes a new one in one statement. Permits are granted as far as all
 * limits allow, over sliding windows shared by all processes. `at` replaces the database clock in tests that do not
 * wait.
 */
export async function exchangePermits(db: Db, exchange: PermitExchange, at: Date | null): Promise<Permits> {
  const { rows } = await db.query<Permits>({
    name: 'exchange-source-permits',
    text: 'select * from exchange_source_permits($1, $2, $3, $4, $5, $6)',
    values: [
      exchange.connectorKey,
      JSON.stringify(exchange.limits),
      JSON.stringify(exchange.settled.map(({ untilMs, granted, agesMs }) => ({ until: untilMs, granted, ages: agesMs.map(Math.floor) }))),
      exchange.wanted,
      exchange.leaseMs,
      at,
    ],
  })
  return rows[0] ?? { granted: 0, untilMs: 0, waitMs: 0, blockedBy: null, isHeld: false }
}

/** Pauses calls for `waitMs`; a longer pause stays. */
export async function pauseSource(db: Db, connectorKey: string, scope: string, waitMs: number, at: Date | null): Promise<void> {
  await db.query(
    `insert into source_pauses as p (connector_key, scope, until)
     values ($1, $2, coalesce($4, clock_timestamp()) + make_interval(secs => $3::float8 / 1000))
     on conflict (connector_key, scope) do update set until = greatest(p.until, excluded.until)`,
    [connectorKey, scope, waitMs, at],
  )
}

export interface LimitUse {
  connectorKey: string
  name: string
  /** Fewest remaining calls over all apps, and over all books where the limit is per books. */
  remaining: number
}

/** Remaining calls of each recently used limit, for metrics. */
export async function listLimitUse(db: Db): Promise<LimitUse[]> {
  const { rows } = await db.query<LimitUse>(
    `select connector_key as "connectorKey", name, min(calls - used)::int as remaining
     from (select split_part(s.connector_key, '#', 1) as connector_key, s.name, s.calls, (
             select coalesce(sum(k.n), 0) from unnest(s.steps, s.taken) as k(step, n)
             where (k.step + 1) * greatest(1, s.per_ms / 60) + s.per_ms > extract(epoch from clock_timestamp()) * 1000) as used
           from source_limits s) counted
     group by connector_key, name order by connector_key, name`,
  )
  return rows
}

/** Deletes limits of books not called for a window and a day, and expired pauses. */
export async function pruneSourceLimits(db: Db): Promise<void> {
  await db.query(
    `delete from source_limits where updated_at < statement_timestamp() - interval '1 day' - make_interval(secs => per_ms::float8 / 1000)`,
  )
  await db.query('delete from source_pauses where until < statement_timestamp()')
}
