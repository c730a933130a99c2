import type { Db } from '../db/database.ts'

/** Attempt limit: a counter of attempts per fixed window. */
export interface AttemptLimit {
  /** Hash of the counted subject (an email address, a network). */
  key: Uint8Array
  limit: number
  windowSeconds: number
}

/**
 * Rate limiter: counts one attempt against every limit in one statement. Null when the attempt is allowed, otherwise
 * the time at which it will be. An attempt that one limit rejects counts against none, so a client rejected by the
 * limit of its own network does not use up limits shared with others. The counters are in the database, shared by all
 * processes.
 */
export async function consumeAttempt(db: Db, attemptLimits: readonly AttemptLimit[], at: Date): Promise<Date | null> {
  const { rows } = await db.query<{ key: Uint8Array; attempts: number; endsAt: Date }>(
    // Rows are locked in key order to avoid deadlocks. Simultaneous attempts are all counted first, then checked.
    `with counter as materialized (select * from unnest($1::bytea[], $2::int[], $4::int[]) as counter (key, seconds, most)),
     over as materialized (
       select t.key, t.attempts + 1 as attempts, t.window_ends_at from login_rate_limits t join counter on counter.key = t.key
       where t.window_ends_at > $3 and t.attempts >= counter.most),
     counted as (
       insert into login_rate_limits (key, attempts, window_ends_at)
       select key, 1, $3::timestamptz + make_interval(secs => seconds) from counter where not exists (select from over) order by key
       on conflict (key) do update set
         attempts = case when login_rate_limits.window_ends_at <= $3 then 1 else least(login_rate_limits.attempts + 1, 1000000) end,
         window_ends_at = case when login_rate_limits.window_ends_at <= $3 then excluded.window_ends_at else login_rate_limits.window_ends_at end
       returning key, attempts, window_ends_at)
     select key, attempts, window_ends_at as "endsAt" from counted union all select key, attempts, window_ends_at from over`,
    [
      attemptLimits.map(({ key }) => key),
      attemptLimits.map(({ windowSeconds }) => windowSeconds),
      at,
      attemptLimits.map(({ limit }) => limit),
    ],
  )
  const limits = new Map(attemptLimits.map(({ key, limit }) => [hex(key), limit]))
  const over = rows.filter((row) => row.attempts > (limits.get(hex(row.key)) ?? 0)).map((row) => row.endsAt.getTime())
  return over.length === 0 ? null : new Date(Math.max(...over))
}

/** Refund after a successful login: clears the counters `forgotten` and decrements the counters `returned`. */
export async function refundAttempts(db: Db, forgotten: readonly Uint8Array[], returned: readonly Uint8Array[]): Promise<void> {
  await db.query(
    `with locked as materialized (
       select key from login_rate_limits where key = any($1::bytea[]) or key = any($2::bytea[]) order by key for update
     )
     update login_rate_limits t set attempts = case when t.key = any($1::bytea[]) then 0 else greatest(t.attempts - 1, 0) end
     from locked where t.key = locked.key`,
    [forgotten, returned],
  )
}

/** Whether the account has logged in from this network within the last 90 days. */
export async function isKnownNetwork(db: Db, key: Uint8Array, at: Date): Promise<boolean> {
  const { rows } = await db.query("select 1 from known_networks where key = $1 and seen_at > $2::timestamptz - interval '90 days'", [
    key,
    at,
  ])
  return rows.length > 0
}

export async function rememberNetwork(db: Db, key: Uint8Array, at: Date): Promise<void> {
  await db.query(
    'insert into known_networks (key, seen_at) values ($1, $2) on conflict (key) do update set seen_at = greatest(known_networks.seen_at, excluded.seen_at)',
    [key, at],
  )
}

export async function deleteOldAttempts(db: Db, at: Date): Promise<void> {
  await db.query('delete from login_rate_limits where window_ends_at < $1', [at])
  await db.query("delete from known_networks where seen_at < $1::timestamptz - interval '90 days'", [at])
}

function hex(key: Uint8Array): string {
  return Buffer.from(key).toString('hex')
}
