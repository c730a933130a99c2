import type { Db } from '../db/database.ts'

export interface CallCount {
  connectorKey: string
  /** One endpoint of the source. */
  endpoint: string
  calls: number
  failures: number
  /** Age of the earliest of them. */
  begunAgoMs: number
}

/** Circuit breaker that is not closed, or a pause requested by a source. */
export interface SourceRestriction {
  connectorKey: string
  /** Endpoint of a breaker, or scope of a pause. */
  part: string
  state: 'open' | 'half-open' | 'paused'
  /** Time until calls are allowed; 0 when a probe may be sent now. */
  waitMs: number
}

/** Half-open breaker: number of probes that must succeed to close it. */
const PROBES = 3
const OPEN_SECONDS = 30
/** Grace period after a probe's timeout; a probe that has not reported by then died with its process. */
const PROBE_GRACE_MS = 5_000

/**
 * Adds the call counts of this process, which may open breakers; returns all breakers that are not closed, and the
 * pauses of these scopes.
 */
export async function exchangeCallCounts(
  db: Db,
  counts: readonly CallCount[],
  scopes: readonly { connectorKey: string; scope: string }[],
  at: Date | null,
): Promise<SourceRestriction[]> {
  const rows = counts.map(({ connectorKey, ...count }) => ({ source: connectorKey, ...count }))
  const { rows: news } = await db.query<SourceRestriction>({
    name: 'exchange-call-counts',
    text: 'select * from exchange_call_counts($1, $2, $3)',
    values: [JSON.stringify(rows), JSON.stringify(scopes), at],
  })
  return news
}

/** Claims a probe of a half-open breaker; null when enough probes are in flight. The number is for `reportProbe`. */
export async function claimProbe(
  db: Db,
  { connectorKey, endpoint, timeoutMs }: { connectorKey: string; endpoint: string; timeoutMs: number },
  at: Date | null,
): Promise<number | null> {
  const { rows } = await db.query<{ opened: number }>(
    `update source_breakers b set state = 'half-open', updated_at = n.now, until = n.now + make_interval(secs => $5),
       probes_out = case when b.state = 'open' or b.until <= n.now then 1 else b.probes_out + 1 end,
       probes_good = case when b.state = 'open' then 0 else b.probes_good end
     from (select coalesce($3, clock_timestamp()) as now) n
     where b.connector_key = $1 and b.endpoint = $2 and b.state <> 'closed'
       and (b.until <= n.now or (b.state = 'half-open' and b.probes_out < $4))
     returning b.opened`,
    [connectorKey, endpoint, at, PROBES, (timeoutMs + PROBE_GRACE_MS) / 1_000],
  )
  return rows[0]?.opened ?? null
}

/** Reports a probe: enough successes close the breaker, one failure opens it again. */
export async function reportProbe(
  db: Db,
  probe: { connectorKey: string; endpoint: string; opened: number; isGood: boolean },
  at: Date | null,
): Promise<void> {
  await db.query(
    `update source_breakers b set updated_at = coalesce($5, clock_timestamp()), probes_good = b.probes_good + 1,
       state = case when not $4::boolean then 'open' when b.probes_good + 1 >= $6 then 'closed' else b.state end,
       closed_at = case when $4::boolean and b.probes_good + 1 >= $6 then coalesce($5, clock_timestamp()) else b.closed_at end,
       opened = b.opened + case when $4::boolean then 0 else 1 end,
       until = case when $4::boolean then b.until else coalesce($5, clock_timestamp()) + make_interval(secs => $7) end
     where b.connector_key = $1 and b.endpoint = $2 and b.state = 'half-open' and b.opened = $3`,
    [probe.connectorKey, probe.endpoint, probe.opened, probe.isGood, at, PROBES, OPEN_SECONDS],
  )
}

/** Recently used breakers, for metrics. */
export async function listBreakerStates(
  db: Db,
): Promise<{ connectorKey: string; endpoint: string; state: 'closed' | 'half-open' | 'open' }[]> {
  const { rows } = await db.query<{ connectorKey: string; endpoint: string; state: 'closed' | 'half-open' | 'open' }>(
    'select connector_key as "connectorKey", endpoint, state from source_breakers order by connector_key, endpoint',
  )
  return rows
}

/** Deletes endpoints that have not been called for a day. */
export async function pruneSourceBreakers(db: Db): Promise<void> {
  await db.query(`delete from source_breakers where updated_at < statement_timestamp() - interval '1 day'`)
}
