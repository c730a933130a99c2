import type { Db } from '../db/database.ts'

export interface Instance {
  id: string
  name: string
}

export async function createInstance(db: Db, instance: Instance): Promise<void> {
  await db.query('insert into instances (id, name) values ($1, $2) on conflict (id) do nothing', [instance.id, instance.name])
}

export async function findInstance(db: Db, id: string): Promise<Instance | null> {
  const { rows } = await db.query<Instance>('select id, name from instances where id = $1', [id])
  return rows[0] ?? null
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
