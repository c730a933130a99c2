import { FIRST_ID } from '../../model/values/first-id.ts'
import type { Db } from '../db/database.ts'
import type { RetentionRule } from './rules.ts'

/** Position in the scan of expired rows, by age and id. */
export interface ExpiredPosition {
  age: string
  id: string
}

export const FIRST_POSITION: ExpiredPosition = { age: '-infinity', id: FIRST_ID }

/** Instant before which rows of a class have expired, by the database clock. */
export async function expiredBefore(db: Db, months: number): Promise<Date> {
  const { rows } = await db.query<{ before: Date }>('select statement_timestamp() - make_interval(months => $1) as before', [months])
  const [row] = rows
  if (!row) throw new Error('the database has no clock')
  return row.before
}

/**
 * Retention: examines the next `limit` expired rows after `after` and deletes those that nothing needs. Returns their
 * number and the next position; null if no expired rows are left. Safe in several processes at once.
 */
export async function deleteExpiredRows(
  db: Db,
  rule: RetentionRule,
  before: Date,
  after: ExpiredPosition,
  limit: number,
): Promise<{ deleted: number; next: ExpiredPosition | null }> {
  const { table, age, where, needed, emptied } = rule
  const expired = `t.ctid = any (array(select row from due)) and not (${needed})`
  const change = emptied ? `update ${table} t set ${emptied} = null where ${expired}` : `delete from ${table} t where ${expired}`
  const { rows } = await db.query<{ deleted: number; seen: number; last: ExpiredPosition | null }>(
    `with due as materialized (select ctid as row, ${age} as age, id from ${table}
         where ${where} and ${age} < $1 and (${age}, id) > ($2, $3) order by ${age}, id limit $4),
       gone as (${change} returning 1)
     select (select count(*) from gone)::int as deleted, count(*)::int as seen,
       (select json_build_object('age', age::text, 'id', id) from due order by age desc, id desc limit 1) as last from due`,
    [before, after.age, after.id, limit],
  )
  const [row] = rows
  if (!row) throw new Error('a count returned no row')
  const { deleted, seen, last } = row
  return { deleted, next: seen === limit ? last : null }
}
