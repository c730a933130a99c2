import type { Database } from '../../src/store/db/database.ts'

/** A record as readers see it now. */
export interface RecordRow {
  /** `accounts/…` or `entries/…`. */
  key: string
  id: string
  deleted: boolean
  doc: string
}

export async function listCurrentRecords(database: Database, instanceId: string): Promise<RecordRow[]> {
  const { rows } = await database.query<RecordRow>(
    `select case entity when 'Accounts' then 'accounts/' else 'entries/' end || orig_id as key, id, deleted, doc
     from record_versions where instance_id = $1 and valid_to is null`,
    [instanceId],
  )
  return rows
}

/** A run with what was committed with its records. */
interface RunRow {
  id: string
  state: string
  isAwaited: boolean
  status: number
  fault: string | null
  accounts: number | null
  hours: number
  events: number
}

/** NOTE tables that a cluster distributes, and those of its coordinator, are asked by statements of their own. */
export async function findNewestRun(database: Database, instanceId: string): Promise<RunRow | undefined> {
  const { rows: runs } = await database.query<Pick<RunRow, 'id' | 'state' | 'isAwaited' | 'accounts'> & { connectionId: string }>(
    `select r.id, r.state, r.is_awaited as "isAwaited", r.connection_id as "connectionId",
       (select p.accounts from publications p where p.instance_id = $1 and p.company_id = r.company_id) as accounts
     from sync_runs r where r.instance_id = $1 order by r.ended_at desc nulls last limit 1`,
    [instanceId],
  )
  const [run] = runs
  if (!run) return undefined
  const { rows } = await database.query<Pick<RunRow, 'status' | 'fault' | 'hours' | 'events'>>(
    `select c.status, c.fault, extract(epoch from c.update_scheduled_at - clock_timestamp())::float8 / 3600 as hours,
       (select count(*)::int from events e where e.instance_id = $1 and e.dedupe_key = 'NormalizedData/' || c.id || '/' || $3) as events
     from connections c where c.instance_id = $1 and c.id = $2`,
    [instanceId, run.connectionId, run.id],
  )
  const [of] = rows
  return of ? { ...run, ...of } : undefined
}
