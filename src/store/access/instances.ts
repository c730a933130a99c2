import type { Db } from '../db/database.ts'
import { type Columns, type Selection, toCondition, toOrder } from '../db/list-selection.ts'
import { countRows } from '../db/lists/count-rows.ts'

/** `test`: may use the simulators; `live`: reads real sources only. */
export type InstanceKind = 'test' | 'live'

export interface Instance {
  id: string
  name: string
}

/** Instance as operators see it. */
export interface InstanceState extends Instance {
  kind: InstanceKind
  /** Whether its users need a second step. */
  requiresTwoStep: boolean
  createdOn: Date
  suspension: { since: Date; reason: string } | null
}

const COLUMNS = `i.id, i.name, coalesce(i.kind, 'live') as kind, i.created_at as "createdOn",
  i.two_step_required_at is not null as "requiresTwoStep", s.suspended_at as "suspendedAt", s.reason`

const FROM = 'from instances i left join instance_suspensions s on s.instance_id = i.id'

type Row = Omit<InstanceState, 'suspension'> & { suspendedAt: Date | null; reason: string | null }

const INSTANCE_COLUMNS: Columns = {
  id: { sql: 'i.id', type: 'uuid' },
  name: { sql: 'i.name', type: 'string' },
  kind: { sql: `coalesce(i.kind, 'live')`, type: 'string' },
  createdOn: { sql: 'i.created_at', type: 'date' },
  isSuspended: { sql: '(s.instance_id is not null)', type: 'boolean' },
}

export async function createInstance(db: Db, instance: Instance & { kind?: InstanceKind }): Promise<void> {
  await db.query('insert into instances (id, name, kind) values ($1, $2, $3) on conflict (id) do nothing', [
    instance.id,
    instance.name,
    instance.kind ?? 'live',
  ])
}

export async function findInstance(db: Db, id: string): Promise<Instance | null> {
  const { rows } = await db.query<Instance>('select id, name from instances where id = $1', [id])
  return rows[0] ?? null
}

export async function findInstanceState(db: Db, id: string): Promise<InstanceState | null> {
  const { rows } = await db.query<Row>(`select ${COLUMNS} ${FROM} where i.id = $1`, [id])
  return rows[0] ? toState(rows[0]) : null
}

/** Locks an instance until the transaction ends, against other changes of its state. */
export async function lockInstance(db: Db, id: string): Promise<void> {
  await db.query('select from instances where id = $1 for no key update', [id])
}

/** Null for an unknown instance, and before the first start of a release with kinds. */
export async function findInstanceKind(db: Db, id: string): Promise<InstanceKind | null> {
  const { rows } = await db.query<{ kind: InstanceKind | null }>('select kind from instances where id = $1', [id])
  return rows[0]?.kind ?? null
}

/** Whether an instance may see and move the simulators. */
export async function isTestInstance(db: Db, id: string): Promise<boolean> {
  const { rows } = await db.query(`select from instances where id = $1 and kind = 'test'`, [id])
  return rows.length > 0
}

/** Instances with this very name, which may be given twice; if there is none, those with it in another letter case. */
export async function listInstancesByName(db: Db, name: string): Promise<InstanceState[]> {
  const { rows } = await db.query<Row>(
    `select ${COLUMNS} ${FROM}
     where case when exists (select from instances e where e.name = $1) then i.name = $1 else lower(i.name) = lower($1) end order by i.id`,
    [name],
  )
  return rows.map(toState)
}

export async function listInstances(db: Db, selection: Selection): Promise<{ instances: InstanceState[]; total: number }> {
  const values: unknown[] = []
  const condition = toCondition(selection.filter, INSTANCE_COLUMNS, values)
  const total = await countRows(db, `${FROM} where ${condition}`, values)
  const { rows } = await db.query<Row>(
    `select ${COLUMNS} ${FROM} where ${condition} ${toOrder(selection, INSTANCE_COLUMNS, 'i.id', values)}`,
    values,
  )
  return { instances: rows.map(toState), total }
}

/** False when there is no such instance. */
export async function renameInstance(db: Db, id: string, name: string): Promise<boolean> {
  const { rowCount } = await db.query('update instances set name = $2 where id = $1', [id, name])
  return rowCount === 1
}

/** Sets the deployment's kind for instances of a release without kinds. */
export async function settleInstanceKinds(db: Db, kind: InstanceKind): Promise<void> {
  await db.query('update instances set kind = $1 where kind is null', [kind])
}

/** Oldest instance with its oldest company; null in an empty deployment. */
export async function findFirstInstance(db: Db): Promise<(Instance & { companyId: string | null }) | null> {
  const { rows } = await db.query<Instance & { companyId: string | null }>(
    `select id, name, (select c.id from companies c where c.instance_id = i.id order by c.created_at, c.id limit 1) as "companyId"
     from instances i order by created_at, id limit 1`,
  )
  return rows[0] ?? null
}

export async function listInstanceIds(db: Db): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>('select id from instances order by id')
  return rows.map((row) => row.id)
}

function toState({ suspendedAt, reason, ...instance }: Row): InstanceState {
  return { ...instance, suspension: suspendedAt && { since: suspendedAt, reason: reason ?? '' } }
}
