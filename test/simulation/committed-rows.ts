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

export async function findNewestRun(database: Database, instanceId: string): Promise<RunRow | undefined> {
  const { rows } = await database.query<RunRow>(
    `select r.id, r.state, r.is_awaited as "isAwaited", c.status, c.fault, p.accounts,
       extract(epoch from c.update_scheduled_at - clock_timestamp())::float8 / 3600 as hours,
       (select count(*)::int from events e where e.instance_id = $1 and e.dedupe_key = 'NormalizedData/' || c.id || '/' || r.id) as events
     from sync_runs r join connections c on c.instance_id = $1 and c.id = r.connection_id
       left join publications p on p.instance_id = $1 and p.company_id = c.company_id and p.service_id = c.service_id
     where r.instance_id = $1 order by r.ended_at desc nulls last limit 1`,
    [instanceId],
  )
  return rows[0]
}
