import type { Db } from '../db/database.ts'

/** Child service: a bank reached through a parent service, as one instance sees it. */
export interface ChildService {
  id: string
  connectorKey: string
  institutionId: string
  name: string
}

const COLUMNS = 'id, connector_key as "connectorKey", institution_id as "institutionId", name'

/** Banks that an instance has reached; only those with the `ids`, if given. */
export async function listChildServices(db: Db, instanceId: string, ids: readonly string[] | null = null): Promise<ChildService[]> {
  const { rows } = await db.query<ChildService>(
    `select ${COLUMNS} from child_services where instance_id = $1 ${ids === null ? '' : 'and id = any($2)'} order by name, id`,
    ids === null ? [instanceId] : [instanceId, ids],
  )
  return rows
}

export async function findChildService(db: Db, instanceId: string, id: string): Promise<ChildService | null> {
  const { rows } = await db.query<ChildService>(`select ${COLUMNS} from child_services where instance_id = $1 and id = $2`, [
    instanceId,
    id,
  ])
  return rows[0] ?? null
}

/** Creates the child service unless it exists in the instance. */
export async function ensureChildService(db: Db, instanceId: string, child: ChildService): Promise<void> {
  await db.query(
    `insert into child_services (instance_id, id, connector_key, institution_id, name) values ($1, $2, $3, $4, $5)
     on conflict do nothing`,
    [instanceId, child.id, child.connectorKey, child.institutionId, child.name],
  )
}
