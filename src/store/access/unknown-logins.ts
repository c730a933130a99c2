import type { Db } from '../db/database.ts'

/** Networks that are counted apart in one minute; the others share a count, so that no attacker fills the table. */
const MAX_NETWORKS = 20
const MAX_ADDRESSES = 5
export const OTHER_NETWORKS = 'others'

/** Failed logins of addresses that no user has, from one network in one minute. */
export interface UnknownLogins {
  minute: Date
  network: string
  attempts: number
  /** Keyed hashes of the first addresses. */
  addresses: string[]
}

/** Counts one failed login. `address` is a keyed hash. */
export async function countUnknownLogin(db: Db, attempt: { at: Date; network: string; address: string }): Promise<void> {
  await db.query(
    `insert into unknown_logins (minute, network, attempts, addresses)
     select m, case when (select count(*) < ${MAX_NETWORKS} or bool_or(network = $2) from unknown_logins where minute = m) then $2 else '${OTHER_NETWORKS}' end,
       1, array[$3::text]
     from date_trunc('minute', $1::timestamptz) m
     on conflict (minute, network) do update set attempts = unknown_logins.attempts + 1,
       addresses = case when $3 = any(unknown_logins.addresses) or cardinality(unknown_logins.addresses) >= ${MAX_ADDRESSES}
         then unknown_logins.addresses else unknown_logins.addresses || $3::text end`,
    [attempt.at, attempt.network, attempt.address],
  )
}

const IS_PAST = `minute < date_trunc('minute', $1::timestamptz)`

/** NOTE a process at rest asks this alone: one statement instead of a transaction of three. */
export async function hasUnknownLogins(db: Db, at: Date): Promise<boolean> {
  return (await db.query(`select from unknown_logins where ${IS_PAST} limit 1`, [at])).rows.length > 0
}

/** Removes and returns the counts of past minutes, in order. */
export async function takeUnknownLogins(db: Db, at: Date): Promise<UnknownLogins[]> {
  const { rows } = await db.query<UnknownLogins>(
    `with taken as (delete from unknown_logins where ${IS_PAST} returning minute, network, attempts, addresses)
     select * from taken order by minute, network`,
    [at],
  )
  return rows
}
