import type { Db } from '../db/database.ts'
import type { FieldChange, ReplayCounts } from './replays.ts'

/** Progress of a replay over all its connections. */
export interface ReplayReport {
  connections: { waiting: number; done: number; skipped: number; failed: number }
  counts: ReplayCounts
  changes: FieldChange[]
  /** The first ones only. */
  failures: { connectionId: string; companyId: string; serviceId: string; error: string }[]
}

const EXAMPLES = 5
const FAILURES = 50

export async function readReplayReport(db: Db, instanceId: string, replayId: string): Promise<ReplayReport> {
  return {
    ...(await readCounts(db, instanceId, replayId)),
    changes: await listChanges(db, instanceId, replayId),
    failures: await listFailures(db, instanceId, replayId),
  }
}

async function readCounts(db: Db, instanceId: string, replayId: string): Promise<Pick<ReplayReport, 'connections' | 'counts'>> {
  const names = ['pages', 'records', 'changed', 'added', 'setAside', 'withoutPage', 'unreadablePages'] as const
  const states = ['waiting', 'done', 'skipped', 'failed'] as const
  const { rows } = await db.query<Record<string, string>>(
    `select ${states.map((state) => `count(*) filter (where state = '${state}') as "${state}"`).join(', ')},
       ${names.map((name) => `coalesce(sum((counts ->> '${name}')::bigint), 0) as "${name}"`).join(', ')}
     from replay_parts where instance_id = $1 and replay_id = $2`,
    [instanceId, replayId],
  )
  const number = (name: string): number => Number(rows[0]?.[name] ?? 0)
  return {
    connections: { waiting: number('waiting'), done: number('done'), skipped: number('skipped'), failed: number('failed') },
    counts: {
      pages: number('pages'),
      records: number('records'),
      changed: number('changed'),
      added: number('added'),
      setAside: number('setAside'),
      withoutPage: number('withoutPage'),
      unreadablePages: number('unreadablePages'),
    },
  }
}

async function listChanges(db: Db, instanceId: string, replayId: string): Promise<FieldChange[]> {
  const { rows } = await db.query<FieldChange>(
    `with changes as (
       select p.connection_id, c.value ->> 'entity' as entity, c.value ->> 'field' as field, (c.value ->> 'count')::bigint as count,
         c.value -> 'examples' as examples
       from replay_parts p cross join lateral jsonb_array_elements(p.changes) c where p.instance_id = $1 and p.replay_id = $2),
     shown as (
       select entity, field, e.value as example, row_number() over (partition by entity, field order by e.position, connection_id) as n
       from changes cross join lateral jsonb_array_elements(examples) with ordinality e (value, position))
     select entity, field, sum(count)::int as count,
       (select coalesce(jsonb_agg(s.example order by s.n), '[]') from shown s where s.entity = c.entity and s.field = c.field and s.n <= $3) as examples
     from changes c group by entity, field order by entity, field`,
    [instanceId, replayId, EXAMPLES],
  )
  return rows
}

async function listFailures(db: Db, instanceId: string, replayId: string): Promise<ReplayReport['failures']> {
  const { rows } = await db.query<ReplayReport['failures'][number]>(
    `select p.connection_id as "connectionId", c.company_id as "companyId", c.service_id as "serviceId", coalesce(p.error, '') as error
     from replay_parts p join connections c on c.instance_id = p.instance_id and c.id = p.connection_id
     where p.instance_id = $1 and p.replay_id = $2 and p.state = 'failed' order by p.connection_id limit $3`,
    [instanceId, replayId, FAILURES],
  )
  return rows
}
