import type { Db } from '../db/database.ts'
import { KeptCounts } from '../db/lists/kept-counts.ts'
import { readRequestPeak } from './request-peaks.ts'

/** What is bounded per instance, with the SQL that counts it for the instance `$1`, and the rows where these are something else. */
const USES = {
  companies: 'select count(*) as used from companies where instance_id = $1',
  connections: 'select count(*) as used from connections where instance_id = $1 and status <> 26',
  subscriptions: 'select count(*) as used from subscriptions where instance_id = $1',
  fileFeeds: 'select count(*) as used from file_feeds where instance_id = $1',
  replays: `select count(*) as used from replays r where r.instance_id = $1
    and exists (select from replay_parts p where p.instance_id = $1 and p.replay_id = r.id and p.state = 'waiting')`,
  storedBytes: 'select coalesce(sum(bytes), 0) as used, count(*) as rows from stored_bytes where instance_id = $1',
  uploads: 'select count(*) as used from uploads_in_flight where instance_id = $1 and expires_at > statement_timestamp()',
} as const satisfies Record<string, string>

type CountedQuota = keyof typeof USES
const COUNTED = Object.keys(USES).filter((name): name is CountedQuota => Object.hasOwn(USES, name))

/** Requests are bounded in each process; their use is the highest of a process. */
export type QuotaName = CountedQuota | 'requestsPerMinute'
export const QUOTA_NAMES: readonly QuotaName[] = [...COUNTED, 'requestsPerMinute']

/** Default quotas: far above usual instances. Requests have a separate setting. */
export const DEFAULT_QUOTAS: Readonly<Record<CountedQuota, number>> = {
  companies: 100_000,
  connections: 200_000,
  subscriptions: 1_000,
  fileFeeds: 1_000,
  replays: 100,
  storedBytes: 1_099_511_627_776,
  uploads: 20,
}

/** Share of a quota from which a warning is given. */
const WARNING_SHARE = 0.8

export interface Quota {
  name: QuotaName
  /** Null: no bound. */
  bound: number | null
  /** Of requests, the most that one process has lately had within a minute. */
  used: number
  /** Whether the bound is the deployment's default. */
  isDefault: boolean
}

/** Thrown when an instance has as much of something as it may. */
export class QuotaReached extends Error {
  readonly quota: QuotaName
  readonly bound: number

  constructor(quota: QuotaName, bound: number) {
    super(`The quota ${quota} is reached: ${bound}. What is there stays; ask whoever runs this deployment for more.`)
    this.quota = quota
    this.bound = bound
  }
}

/**
 * Admits `wanted` more, in the transaction that adds it: admissions of one quota wait for each other until it ends, so
 * that no number of them at once passes the bound. Throws `QuotaReached`.
 */
export async function admitToQuota(db: Db, instanceId: string, name: CountedQuota, wanted = 1): Promise<void> {
  const bound = await findBound(db, instanceId, name)
  if (bound === null) return
  // A caller that adds nothing waits for nobody.
  if (wanted > 0) await db.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`quota/${name}/${instanceId}`])
  // NOTE separate statements: they must see what the previous holder has committed.
  if (await admitByLastCount(db, instanceId, name, wanted, bound)) return
  if ((await countAndNote(db, instanceId, name, wanted)) + wanted > bound) throw new QuotaReached(name, bound)
}

/** A count that takes longer is noted and serves the admissions after it. */
const LONG_MS = 50
/** A noted count serves for so many times as long as it took: counting takes at most this part of the time. */
const SERVES = 50

/**
 * Admits by the last count plus what was admitted since; false if there is no recent count, or no room is left.
 * Deletions since are unknown, so only a fresh count refuses.
 */
async function admitByLastCount(db: Db, instanceId: string, name: QuotaName, wanted: number, bound: number): Promise<boolean> {
  const isRoom = `instance_id = $1 and name = $2 and used + $3 <= $4
    and counted_at > statement_timestamp() - make_interval(secs => took_ms * ${SERVES} / 1000)`
  // A caller that adds nothing waits for nobody.
  const { rowCount } = await db.query(
    wanted > 0 ? `update instance_uses set used = used + $3 where ${isRoom}` : `select from instance_uses where ${isRoom}`,
    [instanceId, name, wanted, bound],
  )
  return rowCount === 1
}

async function countAndNote(db: Db, instanceId: string, name: CountedQuota, wanted: number): Promise<number> {
  const startedMs = performance.now()
  const used = await countUse(db, instanceId, name)
  const tookMs = performance.now() - startedMs
  if (tookMs >= LONG_MS) {
    await db.query(
      `insert into instance_uses (instance_id, name, used, counted_at, took_ms) values ($1, $2, $3, statement_timestamp(), $4)
       on conflict (instance_id, name) do update set used = excluded.used, counted_at = excluded.counted_at, took_ms = excluded.took_ms`,
      [instanceId, name, used + wanted, tookMs],
    )
  }
  return used
}

/** Admits one more connection, unless the instance has more stored than it may. Throws `QuotaReached`. */
export async function admitConnection(db: Db, instanceId: string): Promise<void> {
  await admitToQuota(db, instanceId, 'connections')
  await admitToQuota(db, instanceId, 'storedBytes', 0)
}

async function findBound(db: Db, instanceId: string, name: QuotaName): Promise<number | null> {
  const { rows } = await db.query<{ bound: string | null }>(
    `select coalesce((select bound from instance_quotas where instance_id = $1 and name = $2),
       (select bound from quota_defaults where name = $2)) as bound`,
    [instanceId, name],
  )
  const bound = rows[0]?.bound ?? null
  return bound === null ? null : Number(bound)
}

async function countUse(db: Db, instanceId: string, name: CountedQuota): Promise<number> {
  return (await countRowsOfUse(db, instanceId, name)).value
}

async function countRowsOfUse(db: Db, instanceId: string, name: CountedQuota): Promise<{ value: number; rows: number }> {
  const { rows } = await db.query<{ used: string; rows?: string }>(USES[name], [instanceId])
  const [first] = rows
  return { value: Number(first?.used ?? 0), rows: Number(first?.rows ?? first?.used ?? 0) }
}

/** Uses that are shown; admissions count for themselves. */
const shownUses = new KeptCounts<number>()

/** All quotas of an instance with their use; one of more than 10,000 rows was counted in the last minute (`KeptCounts`). */
export async function listQuotas(db: Db, instanceId: string): Promise<Quota[]> {
  const { rows } = await db.query<{ name: string; own: string | null; bound: string | null }>(
    `select n.name, q.bound as own, coalesce(q.bound, d.bound) as bound from unnest($2::text[]) with ordinality as n (name, place)
       left join instance_quotas q on q.instance_id = $1 and q.name = n.name left join quota_defaults d on d.name = n.name order by n.place`,
    [instanceId, QUOTA_NAMES],
  )
  const quotas: Quota[] = []
  for (const name of QUOTA_NAMES) {
    const row = rows.find((one) => one.name === name)
    const used =
      name === 'requestsPerMinute'
        ? await readRequestPeak(db, instanceId)
        : await shownUses.read(db, `${name} ${instanceId}`, () => countRowsOfUse(db, instanceId, name))
    quotas.push({ name, used, bound: row?.bound == null ? null : Number(row.bound), isDefault: row?.own == null })
  }
  return quotas
}

/** Whether the use of a quota is high enough for a warning. */
export function isNearBound({ used, bound }: Quota): boolean {
  return bound !== null && used >= bound * WARNING_SHARE && used > 0
}

/** Sets bounds of an instance; null takes the deployment's default again. What is there already stays. */
export async function setQuotas(db: Db, instanceId: string, bounds: Partial<Record<QuotaName, number | null>>): Promise<void> {
  for (const [name, bound] of Object.entries(bounds)) {
    if (bound === null) await db.query('delete from instance_quotas where instance_id = $1 and name = $2', [instanceId, name])
    else
      await db.query(
        `insert into instance_quotas (instance_id, name, bound) values ($1, $2, $3)
         on conflict (instance_id, name) do update set bound = excluded.bound`,
        [instanceId, name, bound],
      )
  }
}

/** Bounds of an instance by quota; null: none. */
export async function readBounds(db: Db, instanceId: string): Promise<Partial<Record<QuotaName, number | null>>> {
  const bounds: Partial<Record<QuotaName, number | null>> = {}
  for (const name of QUOTA_NAMES) bounds[name] = await findBound(db, instanceId, name)
  return bounds
}

/** Quotas of an instance of which it uses much. */
export async function listNearBounds(db: Db, instanceId: string): Promise<Quota[]> {
  return (await listQuotas(db, instanceId)).filter(isNearBound)
}

/** Replaces the deployment's defaults. */
export async function saveQuotaDefaults(db: Db, defaults: Partial<Record<QuotaName, number>>): Promise<void> {
  const names = Object.keys(defaults)
  await db.query('delete from quota_defaults where name <> all($1::text[])', [names])
  await db.query(
    `insert into quota_defaults (name, bound) select * from unnest($1::text[], $2::bigint[])
     on conflict (name) do update set bound = excluded.bound where quota_defaults.bound <> excluded.bound`,
    [names, Object.values(defaults)],
  )
}
