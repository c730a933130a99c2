import type { RunCounts, RunOwner, RunReason, RunState, UnmappedWord } from '../connections/sync-runs.ts'
import type { Db } from '../db/database.ts'
import { OF_CONNECTION } from '../db/row-companies/of-company.ts'

/** Ended run, reduced to what indicates data quality. */
export interface EndedRun {
  id: string
  reason: RunReason
  state: RunState
  startedAt: Date
  endedAt: Date
  counts: RunCounts
  unmapped: UnmappedWord[]
  error: string | null
}

/** Latest runs of a connection that describe its data; null where there is no such run. */
export interface QualityRuns {
  /** The last run, whatever its outcome. */
  last: EndedRun | null
  /** The last run that published something. */
  published: EndedRun | null
  /** The last run that read the source completely. */
  read: EndedRun | null
}

export async function findQualityRuns(db: Db, { instanceId, companyId, id }: RunOwner): Promise<QualityRuns> {
  const newest = async (condition: string): Promise<EndedRun | null> => {
    const { rows } = await db.query<EndedRun>(
      `select id, reason, state, started_at as "startedAt", ended_at as "endedAt", counts, unmapped, error from sync_runs
       where ${OF_CONNECTION} and ended_at is not null and ${condition} order by started_at desc, id limit 1`,
      [instanceId, id, companyId],
    )
    return rows[0] ?? null
  }
  return {
    last: await newest('true'),
    published: await newest(`state = 'published'`),
    read: await newest(`state in ('published', 'unchanged') and reason <> 'replay'`),
  }
}

export async function findLastRead(db: Db, instanceId: string, connectionId: string): Promise<Date | null> {
  const { rows } = await db.query<{ at: Date | null }>(`select last_read_at as at from connections where instance_id = $1 and id = $2`, [
    instanceId,
    connectionId,
  ])
  return rows[0]?.at ?? null
}
