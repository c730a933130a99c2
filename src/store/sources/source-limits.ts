import type { Db } from '../db/database.ts'

/** One limit as it is counted. */
export interface LimitKey {
  /** Hash of the books it is counted for; empty for the whole app. */
  scope: string
  name: string
  calls: number
  /** 0: calls at the same time. */
  perMs: number
}

/** A lease that is given back: what it was charged, until when, and how long ago each of its calls ended. */
export interface SettledLease {
  untilMs: number
  granted: number
  agesMs: readonly number[]
}

export interface PermitExchange {
  connectorKey: string
  limits: readonly LimitKey[]
  settled: readonly SettledLease[]
  /** 0: only settle. */
  wanted: number
  /** No call of the lease is under way any more after this. */
  leaseMs: number
}

/** What came of it: calls granted until `untilMs` (an epoch of the database), or how long to wait for room. */
export interface Permits {
  granted: number
  untilMs: number
  waitMs: number
  /** Name of the limit that is used up, `pause` while the source asked to wait. */
  blockedBy: string | null
  /** The room is held by calls under way, which may end at any moment. */
  isHeld: boolean
}

/**
 * Gives leases back and takes a new one in one statement: calls are granted as far as every limit has room for them, counted over sliding
 * windows for all processes. `at` stands in for the database's clock in proofs that do not wait.
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

/** Nobody calls there for so long; a longer pause stays. */
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
  /** The fewest calls left, over all apps, and over all books where it counts by books. */
  remaining: number
}

/** What is left of each limit that was used lately, for metrics. */
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

/** Forgets limits of books that nobody has called for a window and a day, and pauses that are over. */
export async function pruneSourceLimits(db: Db): Promise<void> {
  await db.query(
    `delete from source_limits where updated_at < statement_timestamp() - interval '1 day' - make_interval(secs => per_ms::float8 / 1000)`,
  )
  await db.query('delete from source_pauses where until < statement_timestamp()')
}
