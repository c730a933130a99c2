import type { TransactionChanges } from '../../model/events.ts'
import type { PublishedChange } from '../../model/records/account-changes.ts'
import { FIRST_ID } from '../../model/values/first-id.ts'
import type { Db } from '../db/database.ts'
import { inRecordSet, type RecordScope, scopeValues } from './records.ts'

const BATCH = 500

const CHANGED = `from record_versions n where ${inRecordSet('n', { entity: "'Accounts'" })} and n.valid_to is null and n.valid_from = $4`

/** Number of accounts changed by the publication at this instant; part of its transaction. */
export async function countAccountChanges(db: Db, scope: RecordScope, at: Date): Promise<number> {
  const { rows } = await db.query<{ count: number }>(`select count(*)::int as count ${CHANGED}`, [...scopeValues(scope), at])
  return rows[0]?.count ?? 0
}

/** Those accounts before and after, by id; streams with bounded memory. */
export async function* listAccountChanges(db: Db, scope: RecordScope, at: Date): AsyncGenerator<PublishedChange> {
  let last = FIRST_ID
  for (;;) {
    const { rows } = await db.query<PublishedChange>(
      `select n.id, n.doc as after, n.deleted as "isDeleted", o.doc as before, coalesce(o.deleted, false) as "wasDeleted"
       from (select * ${CHANGED} and n.id > $5 order by n.id limit ${BATCH}) n
       left join record_versions o on o.record_set = n.record_set and o.instance_id = n.instance_id and o.company_id = $2 and o.service_id = n.service_id
         and o.entity = n.entity and o.id = n.id and o.valid_to = n.valid_from
       order by n.id`,
      [...scopeValues(scope), at, last],
    )
    yield* rows
    const end = rows.at(-1)
    if (!end || rows.length < BATCH) return
    last = end.id
  }
}

/** How many transactions the publication at this instant changed; part of its transaction. */
export async function countTransactionChanges(db: Db, scope: RecordScope, at: Date): Promise<TransactionChanges> {
  const { rows } = await db.query<TransactionChanges>(
    `select count(*)::int as "changeCount", (count(*) filter (where n.deleted))::int as "deletedCount"
     from record_versions n where ${inRecordSet('n', { entity: "'Transactions'" })} and n.valid_to is null and n.valid_from = $4
       and n.valid_from > '-infinity'`,
    [...scopeValues(scope), at],
  )
  return rows[0] ?? { changeCount: 0, deletedCount: 0 }
}
