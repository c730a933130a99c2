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

const USED = `(select coalesce(sum(k.n), 0) from unnest(s.steps, s.taken) as k(step, n)
    where (k.step + 1) * greatest(1, s.per_ms / 60) + s.per_ms > extract(epoch from clock_timestamp()) * 1000)`

/** Place in the order of the primary key. */
interface LimitPosition {
  key: string
  scope: string
  name: string
}

const FIRST_POSITION: LimitPosition = { key: '', scope: '', name: '' }
/** The next limits in their order, as far as `$4`. */
const STEP = `select ctid as row, * from source_limits where (connector_key, scope, name) > ($1, $2, $3) order by connector_key, scope, name limit $4`
const STEP_END = `(select json_build_object('key', connector_key, 'scope', scope, 'name', name) from step
    order by connector_key desc, scope desc, name desc limit 1)`
const STEP_ROWS = 1_000
/** Statements of one call for metrics. */
const STEPS = 10

/**
 * Remaining calls of each recently used limit, for metrics, as of the last complete scan of all books: each call
 * continues it by 10,000 limits at most. With fewer limits, every call returns current values.
 */
export function scanLimitUse(db: Db): () => Promise<LimitUse[]> {
  let last: LimitUse[] = []
  let [place, found] = [FIRST_POSITION, new Map<string, LimitUse>()]
  return async () => {
    for (let step = 0; step < STEPS; step += 1) {
      const { rows } = await db.query<LimitUse & { end: LimitPosition; seen: number }>(
        `with step as materialized (${STEP})
         select connector_key as "connectorKey", name, min(calls - used)::int as remaining, (select count(*) from step)::int as seen, ${STEP_END} as end
         from (select split_part(s.connector_key, '#', 1) as connector_key, s.name, s.calls, ${USED} as used from step s) counted
         group by connector_key, name`,
        [place.key, place.scope, place.name, STEP_ROWS],
      )
      for (const { connectorKey, name, remaining } of rows) {
        const key = `${connectorKey} ${name}`
        found.set(key, { connectorKey, name, remaining: Math.min(remaining, found.get(key)?.remaining ?? remaining) })
      }
      const [first] = rows
      if (first?.seen === STEP_ROWS) {
        place = first.end
        continue
      }
      last = [...found.values()]
      ;[place, found] = [FIRST_POSITION, new Map()]
      break
    }
    return last
  }
}

/** Remaining calls of each recently used limit. Reads all of them. */
export async function listLimitUse(db: Db): Promise<LimitUse[]> {
  const { rows } = await db.query<LimitUse>(
    `select connector_key as "connectorKey", name, min(calls - used)::int as remaining
     from (select split_part(s.connector_key, '#', 1) as connector_key, s.name, s.calls, ${USED} as used from source_limits s) counted
     group by connector_key, name order by connector_key, name`,
  )
  return rows
}

/**
 * Deletes limits of books not called for a window and a day, and expired pauses. NOTE in steps along the primary key: an
 * index on the time would be paid by every call of a source.
 */
export async function pruneSourceLimits(db: Db): Promise<void> {
  for (let place: LimitPosition | null = FIRST_POSITION; place !== null; place = await pruneStep(db, place));
  await db.query('delete from source_pauses where until < statement_timestamp()')
}

/** Returns the position to continue from; null at the end. */
async function pruneStep(db: Db, { key, scope, name }: LimitPosition): Promise<LimitPosition | null> {
  const { rows } = await db.query<{ end: LimitPosition | null; seen: number }>(
    `with step as materialized (${STEP}),
       gone as (delete from source_limits s where s.ctid = any (array(select row from step))
         and s.updated_at < statement_timestamp() - interval '1 day' - make_interval(secs => s.per_ms::float8 / 1000))
     select (select count(*) from step)::int as seen, ${STEP_END} as end`,
    [key, scope, name, STEP_ROWS],
  )
  return rows[0]?.seen === STEP_ROWS ? rows[0].end : null
}
