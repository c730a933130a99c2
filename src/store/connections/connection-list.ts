import { CATEGORY_IDS } from '../../model/catalogue.ts'
import { isReadable, STATUS_CODES, statusName } from '../../model/statuses.ts'
import type { Db } from '../db/database.ts'
import { absentLast, type Columns, checkBound, countBounded, type Selection, type Total, toCondition } from '../db/list-selection.ts'
import { toPage } from '../db/lists/list-page.ts'
import { IS_SCHEDULED, SCHEDULED_AT } from '../schedules/refresh-minutes.ts'
import { CONNECTION_COLUMNS, type Connection, CURRENT_FIRST } from './connections.ts'

/** Listed connection, with the names of its service. */
export type NamedConnection = Connection & {
  /** Name of the bank, or of the source; empty if this version does not know the source. */
  name: string
  /** Name of the source through which a bank is reached; null for a source itself. */
  parentName: string | null
  /** Whether it is the current connection of its company at its service. */
  isCurrent: boolean
}

/** Name of the connection's source; `$2` are the keys of all sources, `$3` their names. */
const SOURCE_NAME = '($3::text[])[array_position($2::text[], c.connector_key)]'
const NAME = `case when ${SOURCE_NAME} is null then '' else coalesce(b.name, ${SOURCE_NAME}) end`
const PARENT_NAME = `case when b.id is not null then ${SOURCE_NAME} end`
const STATUS_NAME = `case c.status ${STATUS_CODES.map((code) => `when ${code} then '${statusName(code)}'`).join(' ')} end`
const CATEGORY_ID = `case c.category ${Object.entries(CATEGORY_IDS)
  .map(([category, id]) => `when '${category}' then '${id}'::uuid`)
  .join(' ')} end`

/** A retry after a failure, or the schedule, as it is shown. */
const NEXT_READ_AT = `case when c.status in (${STATUS_CODES.filter(isReadable).join(', ')})
  then case when c.trouble is not null then (c.trouble ->> 'nextAt')::timestamptz else ${SCHEDULED_AT} end end`

/**
 * Whether the connection `c` is the current one of its service. NOTE a scalar subquery: the planner looks into the index
 * for each row, and never joins all connections of an instance.
 */
const IS_CURRENT = `(c.id = (select o.id from connections o
  where o.instance_id = c.instance_id and o.company_id = c.company_id and o.service_id = c.service_id order by ${CURRENT_FIRST} limit 1))`

const NO_CODE = -1

/** The services of the connections of the instance `$1`, each found by one look into the index. */
const SERVICES = `(select o.key, o.rank from (
    with recursive s as (
      (select service_id as id from connections where instance_id = $1 order by service_id limit 1)
      union all
      select (select service_id from connections where instance_id = $1 and service_id > s.id order by service_id limit 1) from s where s.id is not null)
    select s.id from s where s.id is not null) found cross join lateral (
    select c.service_id as key, ${NAME} as rank from connections c left join child_services b on b.instance_id = c.instance_id and b.id = c.service_id
    where c.instance_id = $1 and c.service_id = found.id order by c.id limit 1) o) g`
const STATUSES_BY_CODE = `(values ${STATUS_CODES.map((code) => `(${code}, ${code})`).join(', ')}) g (key, rank)`
const STATUSES_BY_NAME = `(values ${STATUS_CODES.map((code) => `(${code}, '${statusName(code)}')`).join(', ')}) g (key, rank)`

/** Properties for filtering and ordering. */
const LISTED: Columns = {
  sessionId: { sql: 'c.id', type: 'uuid', key: 'c.id', isNeverNull: true },
  companyId: { sql: 'c.company_id', type: 'uuid', key: 'c.company_id' },
  statusName: {
    sql: STATUS_NAME,
    type: 'string',
    key: 'c.status',
    toCode: (name) => STATUS_CODES.find((code) => statusName(code) === name) ?? NO_CODE,
    order: { kind: 'groups', groups: STATUSES_BY_NAME, keyOf: 'c.status' },
  },
  statusCode: {
    sql: 'c.status',
    type: 'number',
    key: 'c.status',
    toCode: (value) => STATUS_CODES.find((code) => code === Number(value)) ?? NO_CODE,
    order: { kind: 'groups', groups: STATUSES_BY_CODE, keyOf: 'c.status' },
  },
  serviceName: { sql: NAME, type: 'string', order: { kind: 'groups', groups: SERVICES, keyOf: 'c.service_id' } },
  parentServiceName: { sql: PARENT_NAME, type: 'string' },
  serviceId: { sql: 'c.service_id', type: 'uuid', key: 'c.service_id', isNeverNull: true },
  categoryId: { sql: CATEGORY_ID, type: 'uuid' },
  category: { sql: 'c.category', type: 'string' },
  createdOn: { sql: 'c.created_at', type: 'date', key: 'c.created_at', isNeverNull: true },
  lastUpdatedOn: { sql: 'c.updated_at', type: 'date', key: 'c.updated_at', isNeverNull: true },
  updateScheduledOn: { sql: SCHEDULED_AT, type: 'date', order: absentLast('c.update_scheduled_at', IS_SCHEDULED) },
  nextReadOn: { sql: NEXT_READ_AT, type: 'date' },
  faultCode: { sql: 'c.fault_code', type: 'string', present: 'c.fault_code is not null' },
  isCurrent: { sql: IS_CURRENT, type: 'boolean' },
  troubleCode: { sql: `c.trouble ->> 'code'`, type: 'string', present: 'c.trouble is not null' },
}

/**
 * Page of the matching connections of an instance, or of one company, and the number of all matches. `sourceNames` are
 * the names of all sources by key.
 */
export async function listConnections(
  db: Db,
  instanceId: string,
  companyId: string | null,
  sourceNames: ReadonlyMap<string, string>,
  selection: Selection,
): Promise<{ connections: NamedConnection[]; total: Total }> {
  if (companyId === null)
    await checkBound(db, selection, {
      from: 'from connections c where c.instance_id = $1',
      instanceId,
      columns: LISTED,
      range: 'createdOn',
    })
  const values: unknown[] = [instanceId, [...sourceNames.keys()], [...sourceNames.values()]]
  const ofCompany = companyId === null ? 'true' : `c.company_id = $${values.push(companyId)}`
  // The count may use neither `$2` nor `$3`, and PostgreSQL wants to know the type of each.
  const from = `from connections c left join child_services b on b.instance_id = c.instance_id and b.id = c.service_id
    where c.instance_id = $1 and $2::text[] is not null and $3::text[] is not null and ${ofCompany}
      and ${toCondition(selection.filter, LISTED, values)}`
  const total = await countBounded(db, from, values)
  const page = toPage({ from, columns: LISTED, tieBreak: 'c.id', total }, selection, values)
  const { rows } = await db.query<NamedConnection>(
    `select ${CONNECTION_COLUMNS}, ${NAME} as name, ${PARENT_NAME} as "parentName", ${IS_CURRENT} as "isCurrent" ${page}`,
    values,
  )
  return { connections: rows, total }
}
