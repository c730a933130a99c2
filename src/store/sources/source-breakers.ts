import type { Db } from '../db/database.ts'

export interface CallCount {
  connectorKey: string
  /** One address of the source. */
  endpoint: string
  calls: number
  failures: number
  /** When the earliest of them began. */
  begunAgoMs: number
}

/** A breaker that lets not everything through, or a pause that a source asked for. */
export interface SourceRestriction {
  connectorKey: string
  /** The endpoint of a breaker, the scope of a pause. */
  part: string
  state: 'open' | 'half-open' | 'paused'
  /** How long nobody may call; 0 when a probe may go now. */
  waitMs: number
}

/** Calls that may be tried, and must succeed, before it is closed again. */
const PROBES = 3
const OPEN_SECONDS = 30
/** Probes that have not reported so long after the time that their call may take died with their process. */
const PROBE_GRACE_MS = 5_000

/** Adds what this process has counted, by which breakers open; gives all breakers that are not closed, and the pauses of these scopes. */
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

/** Leave to try whether the source is back; null when enough others are trying. The number is for `reportProbe`. */
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

/** What a probe found: enough good ones close the breaker, a bad one opens it anew. */
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

/** Every breaker that has counted lately, for metrics. */
export async function listBreakerStates(
  db: Db,
): Promise<{ connectorKey: string; endpoint: string; state: 'closed' | 'half-open' | 'open' }[]> {
  const { rows } = await db.query<{ connectorKey: string; endpoint: string; state: 'closed' | 'half-open' | 'open' }>(
    'select connector_key as "connectorKey", endpoint, state from source_breakers order by connector_key, endpoint',
  )
  return rows
}

/** Forgets addresses that nobody has called for a day. */
export async function pruneSourceBreakers(db: Db): Promise<void> {
  await db.query(`delete from source_breakers where updated_at < statement_timestamp() - interval '1 day'`)
}
