import { randomUUID } from 'node:crypto'
import { type Database, databaseTime, inTransaction } from '../../src/store/db/database.ts'
import { raisePublication } from '../../src/store/records/publications.ts'
import { addCompany, addInstance } from '../harness/app/tenants.ts'
import { type Published, writeFirst } from './record-statements.ts'

/** A company with a connection that has published one account. */
export async function addPublished(database: Database, instanceId?: string): Promise<Published> {
  const owner = instanceId ?? (await addInstance(database))
  const companyId = await addCompany(database, owner)
  const of = { instanceId: owner, companyId, serviceId: randomUUID(), connectionId: randomUUID(), id: randomUUID(), runId: randomUUID() }
  await database.query(
    `insert into connections (instance_id, id, company_id, service_id, connector_key, category, email, status, update_scheduled_at, refresh_hours,
       published_at, first_published_at)
     values ($1, $2, $3, $4, 'bank', 'Banking', '', 9, now(), 24, now(), now())`,
    [owner, of.connectionId, companyId, of.serviceId],
  )
  await database.query(
    `insert into sync_runs (instance_id, id, connection_id, company_id, reason, state, fence, ended_at)
     values ($1, $2, $3, $4, 'first', 'published', 1, now())`,
    [owner, of.runId, of.connectionId, companyId],
  )
  await database.query(
    `insert into events (instance_id, id, kind, company_id, service_id, session_id, dedupe_key, body)
     values ($1, gen_random_uuid(), 'NormalizedData', $2, $3, $4, $5, '{}')`,
    [owner, companyId, of.serviceId, of.connectionId, `NormalizedData/${of.connectionId}/${of.runId}`],
  )
  await inTransaction(database, async (db) => {
    await writeFirst(db, of, of.id)
    await raisePublication(db, of, { at: await databaseTime(db), isFirst: true }, 0)
  })
  return of
}
