import type { Db } from '../db/database.ts'
import { type Columns, checkBound, countBounded, type Selection, type Total, toCondition, toOrder } from '../db/list-selection.ts'
import { announceJobs } from './jobs.ts'

/**
 * Dead job: failed its last attempt and waits for a person. The payload is not returned; it may contain sealed values.
 */
export interface DeadJob {
  id: string
  kind: string
  key: string
  provider: string
  attempts: number
  error: string
  createdAt: Date
  diedAt: Date
}

const COLUMNS: Columns = {
  id: { sql: 'id', type: 'uuid' },
  kind: { sql: 'kind', type: 'string' },
  key: { sql: 'key', type: 'string' },
  provider: { sql: 'provider', type: 'string' },
  attempts: { sql: 'attempts', type: 'number' },
  createdAt: { sql: 'created_at', type: 'date' },
  diedAt: { sql: 'died_at', type: 'date', key: 'died_at', isNeverNull: true },
}

/** Page of the matching dead jobs of an instance, and the number of all matches. */
export async function listDeadJobs(db: Db, instanceId: string, selection: Selection): Promise<{ jobs: DeadJob[]; total: Total }> {
  await checkBound(db, selection, {
    from: `from jobs where instance_id = $1 and state = 'dead'`,
    instanceId,
    columns: COLUMNS,
    range: 'diedOn',
  })
  const values: unknown[] = [instanceId]
  const from = `from jobs where instance_id = $1 and state = 'dead' and ${toCondition(selection.filter, COLUMNS, values)}`
  const total = await countBounded(db, from, values)
  const { rows } = await db.query<DeadJob>(
    `select id, kind, key, provider, attempts, coalesce(error, '') as error, created_at as "createdAt", coalesce(died_at, created_at) as "diedAt"
     ${from} ${toOrder(selection, COLUMNS, 'id', values)}`,
    values,
  )
  return { jobs: rows, total }
}

/** Dead jobs to redrive. */
export type Redrive = { id: string } | { kind: string }

/**
 * Redrive: requeues dead jobs of an instance, due now and with all their attempts; returns their number. If an
 * identical job is already queued, the dead one is dropped.
 */
export async function redriveJobs(db: Db, instanceId: string, which: Redrive): Promise<number> {
  const [column, value] = 'id' in which ? ['id', which.id] : ['kind', which.kind]
  const { rows } = await db.query<{ count: number }>(
    `with redriven as (delete from jobs where instance_id = $1 and state = 'dead' and ${column} = $2 returning *),
       queued as (
         insert into jobs as j (id, instance_id, kind, key, provider, payload, created_at)
         select distinct on (kind, key) id, instance_id, kind, key, provider, payload, created_at from redriven order by kind, key, died_at desc
         on conflict (kind, key) where state = 'ready' do update set run_at = least(j.run_at, excluded.run_at))
     select count(*)::int as count from redriven`,
    [instanceId, value],
  )
  await announceJobs(db)
  return rows[0]?.count ?? 0
}

/** Deletes jobs of a kind that have been dead for `ms`, but for instances being erased, which count theirs; returns their number. */
export async function deleteJobsDeadFor(db: Db, kind: string, ms: number): Promise<number> {
  const { rowCount } = await db.query(
    `delete from jobs j where state = 'dead' and kind = $1 and died_at < statement_timestamp() - make_interval(secs => $2::float8 / 1000)
       and not exists (select from instance_erasures e where e.erased_id = j.instance_id)`,
    [kind, ms],
  )
  return rowCount ?? 0
}
