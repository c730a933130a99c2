import type { Db } from './database.ts'
import { isLiving } from './deployment-health.ts'

/** Work that waits for a person, over all instances. */
export interface WorkState {
  /** Live workers. */
  workers: number
  /** Longest wait of a due job, in seconds; 0 when none is due. */
  lagSeconds: number
  deadJobs: number
  failedMails: number
  disabledSubscriptions: number
  /** Whether an instance has its own keys at a source. */
  hasSourceKeys: boolean
  defaultNames: number
  defaultAdmins: number
}

export async function readWorkState(db: Db, defaults: { instanceNames: readonly string[]; email: string }): Promise<WorkState> {
  const { rows } = await db.query<WorkState>(
    `select (select count(*)::int from workers w where ${isLiving('w')}) as workers,
       (select coalesce(extract(epoch from statement_timestamp() - min(run_at)), 0)::float8 from jobs
        where state = 'ready' and run_at <= statement_timestamp()) as "lagSeconds",
       (select count(*)::int from jobs where state = 'dead') as "deadJobs",
       (select count(*)::int from mails where state in ('refused', 'failed') and settled_at > statement_timestamp() - interval '1 day') as "failedMails",
       (select count(*)::int from subscriptions where status = 'disabled') as "disabledSubscriptions",
       exists (select from source_keys) as "hasSourceKeys",
       (select count(*)::int from instances where name = any($1)) as "defaultNames",
       (select count(*)::int from users where email = $2 and disabled_at is null) as "defaultAdmins"`,
    [defaults.instanceNames, defaults.email],
  )
  const [row] = rows
  if (!row) throw new Error('a select without from returned no row')
  return row
}
