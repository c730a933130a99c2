import type { Category, Entity } from '../../model/catalogue.ts'
import type { Db } from '../db/database.ts'
import { visibleFrom } from '../records/records.ts'
import type { ChangedRecord } from './changed-record.ts'

/** Place and entity whose records are read, with the mark after which reading continues. */
interface Shown {
  instance_id: string
  position: string
  place_id: string | null
  company_id: string
  service_id: string
  connection_id: string
  category: Category
  entity: Entity
  kind: string
  until: string
  mark: string
  mark_id: string
}

/** Parameters of the statement for one place and entity, with their types; `$2` is the limit. */
const PARAMETERS = {
  instance_id: '$1::uuid',
  company_id: '$3::uuid',
  service_id: '$4::uuid',
  connection_id: '$5::uuid',
  entity: '$6::text',
  kind: '$7::text',
  until: '$8::timestamptz',
  // NOTE before the one whose name it begins with.
  mark_id: '$10::uuid',
  mark: '$9::timestamptz',
} as const

/**
 * Records of `shown` on a cluster: places and connections are read from the coordinator, and the records of one place
 * after the other from the shard of its company, with the publication. `versions` is SQL over `s`, a row of `shown`.
 */
export async function listFromShards(
  db: Db,
  { shown, values, versions }: { shown: string; values: unknown[]; versions: string },
): Promise<ChangedRecord[]> {
  const { rows } = await db.query<Shown>(
    `with shown as materialized (${shown})
     select s.instance_id, s.position, s.place_id, s.company_id, s.service_id, s.connection_id, c.category, s.entity, s.kind,
       s.until::text as until, s.mark::text as mark, s.mark_id
     from shown s join connections c on c.instance_id = s.instance_id and c.id = s.connection_id and c.status <> 26
     where $2::int > 0 order by s.position, s.entity`,
    values,
  )
  const text = oneOf(db, versions)
  const limit = Number(values[1])
  const records: ChangedRecord[] = []
  for (const row of rows) {
    if (records.length >= limit) break
    const of = [row.company_id, row.service_id, row.connection_id, row.entity, row.kind, row.until, row.mark, row.mark_id]
    const found = await db.query<Pick<ChangedRecord, 'id' | 'from' | 'deleted' | 'publishedAt' | 'doc'>>(text, [
      ...[row.instance_id, limit - records.length],
      ...of,
    ])
    for (const record of found.rows)
      records.push({
        ...{ position: row.position, placeId: row.place_id, companyId: row.company_id, serviceId: row.service_id },
        ...{ connectionId: row.connection_id, category: row.category, entity: row.entity },
        ...record,
      })
  }
  return records
}

function oneOf(db: Db, versions: string): string {
  const shownFrom = visibleFrom(db, 'v', ['$1', '$3', '$4'])
  const text = `select v.id, v.mark::text as "from", v.deleted, ${shownFrom} as "publishedAt", case when v.deleted then '' else v.doc end as doc
    from publications p cross join (${versions}) v
    where p.instance_id = $1 and p.company_id = $3 and p.service_id = $4
    order by v.mark, v.id limit $2`
  return Object.entries(PARAMETERS).reduce((sql, [name, parameter]) => sql.replaceAll(`s.${name}`, parameter), text)
}
