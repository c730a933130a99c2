import { CATEGORY_IDS } from '../../model/catalogue.ts'
import { STATUS_CODES, statusName } from '../../model/statuses.ts'
import type { Db } from '../db/database.ts'
import { type Columns, checkBound, countBounded, type Selection, type Total, toCondition, toOrder } from '../db/list-selection.ts'
import { SCHEDULED_AT } from '../schedules/refresh-minutes.ts'
import { CONNECTION_COLUMNS, type Connection } from './connections.ts'

/** Connection with the names of its service. */
export type NamedConnection = Connection & {
  /** Name of the bank, or of the source; empty if this version does not know the source. */
  name: string
  /** Name of the source through which a bank is reached; null for a source itself. */
  parentName: string | null
}

/** Name of the connection's source; `$2` are the keys of all sources, `$3` their names. */
const SOURCE_NAME = '($3::text[])[array_position($2::text[], c.connector_key)]'
const NAME = `case when ${SOURCE_NAME} is null then '' else coalesce(b.name, ${SOURCE_NAME}) end`
const PARENT_NAME = `case when b.id is not null then ${SOURCE_NAME} end`
const STATUS_NAME = `case c.status ${STATUS_CODES.map((code) => `when ${code} then '${statusName(code)}'`).join(' ')} end`
const CATEGORY_ID = `case c.category ${Object.entries(CATEGORY_IDS)
  .map(([category, id]) => `when '${category}' then '${id}'::uuid`)
  .join(' ')} end`

const NO_CODE = -1

/** Properties for filtering and ordering. */
const LISTED: Columns = {
  sessionId: { sql: 'c.id', type: 'uuid', key: 'c.id', isNeverNull: true },
  companyId: { sql: 'c.company_id', type: 'uuid', key: 'c.company_id' },
  statusName: {
    sql: STATUS_NAME,
    type: 'string',
    key: 'c.status',
    toCode: (name) => STATUS_CODES.find((code) => statusName(code) === name) ?? NO_CODE,
  },
  statusCode: {
    sql: 'c.status',
    type: 'number',
    key: 'c.status',
    toCode: (value) => STATUS_CODES.find((code) => code === Number(value)) ?? NO_CODE,
  },
  serviceName: { sql: NAME, type: 'string' },
  parentServiceName: { sql: PARENT_NAME, type: 'string' },
  serviceId: { sql: 'c.service_id', type: 'uuid' },
  categoryId: { sql: CATEGORY_ID, type: 'uuid' },
  category: { sql: 'c.category', type: 'string' },
  createdOn: { sql: 'c.created_at', type: 'date', key: 'c.created_at', isNeverNull: true },
  lastUpdatedOn: { sql: 'c.updated_at', type: 'date', key: 'c.updated_at', isNeverNull: true },
  updateScheduledOn: { sql: SCHEDULED_AT, type: 'date' },
  faultCode: { sql: 'c.fault_code', type: 'string', present: 'c.fault_code is not null' },
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
  const order = toOrder(selection, LISTED, 'c.id', values)
  const { rows } = await db.query<NamedConnection>(
    `select ${CONNECTION_COLUMNS}, ${NAME} as name, ${PARENT_NAME} as "parentName" ${from} ${order}`,
    values,
  )
  return { connections: rows, total }
}
