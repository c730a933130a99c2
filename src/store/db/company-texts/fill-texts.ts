import { FIRST_ID } from '../../../model/values/first-id.ts'
import { type Database, type Db, inTransaction } from '../database.ts'

/** Companies of one step, each with about 60 parts. */
const COMPANIES = 200

/** Periodic task that stores, once after the upgrade from a release without them, the parts of all companies. */
export function companyTextFiller(database: Database, isStopping: () => boolean): () => Promise<void> {
  let isDone = false
  return async () => {
    while (!isDone && !isStopping()) {
      const step = await inTransaction(database, fillTexts)
      if (step === 'busy') return
      isDone = step === 'done'
    }
  }
}

/** A database without companies has none that the trigger did not see. */
export async function noteTextsOfNewDatabase(database: Database): Promise<void> {
  await database.query(
    `insert into filled_company_texts (until_instance, until_company, is_done) select $1, $1, true
     where not exists (select from companies) on conflict do nothing`,
    [FIRST_ID],
  )
}

interface Position {
  instanceId: string
  id: string
}

/**
 * One step of the walk over all companies; busy: another process takes it. A company is locked, so that it is not renamed
 * between its reading and the commit of its parts.
 */
export async function fillTexts(db: Db): Promise<'done' | 'more' | 'busy'> {
  // NOTE not an insert by itself, which would wait for the process that takes a step.
  await db.query(
    `insert into filled_company_texts (until_instance, until_company) select $1, $1
     where not exists (select from filled_company_texts) on conflict do nothing`,
    [FIRST_ID],
  )
  const { rows: positions } = await db.query<Position & { isDone: boolean }>(
    `select until_instance as "instanceId", until_company as id, is_done as "isDone" from filled_company_texts for update skip locked`,
  )
  const [after] = positions
  if (!after) return 'busy'
  if (after.isDone) return 'done'
  const { rows } = await db.query<Position>(
    `select instance_id as "instanceId", id from companies where (instance_id, id) > ($1, $2) order by instance_id, id limit $3 for no key update`,
    [after.instanceId, after.id, COMPANIES],
  )
  await db.query(
    `insert into company_texts (instance_id, field, part, company_id)
     select c.instance_id, s.field, s.part, c.id from unnest($1::uuid[], $2::uuid[]) as k (instance_id, id)
     join companies c on c.instance_id = k.instance_id and c.id = k.id
     cross join lateral search_parts_of(c.name, c.industry, c.city, c.external_id) s on conflict do nothing`,
    [rows.map((row) => row.instanceId), rows.map((row) => row.id)],
  )
  const last = rows.at(-1)
  const { instanceId, id } = last ?? after
  await db.query('update filled_company_texts set until_instance = $1, until_company = $2, is_done = $3', [
    instanceId,
    id,
    last === undefined,
  ])
  return last === undefined ? 'done' : 'more'
}
