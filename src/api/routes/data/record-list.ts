import { Type } from 'typebox'
import type { Category, Entity } from '../../../model/catalogue.ts'
import { RECORD_SCHEMAS } from '../../../model/records/record-schemas.ts'
import type { Columns } from '../../../store/db/list-selection.ts'
import { recordColumns } from '../../../store/records/record-columns.ts'
import { NATURAL_ORDER, type RecordView } from '../../../store/records/record-pages.ts'
import { readInstant } from '../../lists/instant-parameter.ts'
import { type ListQuery, type ListRequest, readListQuery } from '../../lists/list-query.ts'
import { NDJSON } from '../../lists/ndjson.ts'
import { orNull, strict, Uuid } from '../../schemas/schemas.ts'

export const COLUMNS: Record<Category, Record<Entity, Columns>> = {
  Accounting: { Accounts: recordColumns('Accounting', 'Accounts'), Transactions: recordColumns('Accounting', 'Transactions') },
  Banking: { Accounts: recordColumns('Banking', 'Accounts'), Transactions: recordColumns('Banking', 'Transactions') },
}

/** Requested list of records. */
export interface RecordsRequest {
  category: Category
  entity: Entity
  list: ListRequest
  view: RecordView
}

interface ViewQuery {
  asOf?: string
  modifiedSince?: string
  includeDeleted?: boolean
}

export function listDefinition(category: Category, entity: Entity) {
  const filter = Object.fromEntries(Object.entries(COLUMNS[category][entity]).map(([name, column]) => [name, column.type]))
  const [first = 'origId', ...others] = Object.keys(filter)
  return { filter, orderBy: [first, ...others] as [string, ...string[]] }
}

/** NOTE the default order is not that of a property: records are indexed in it, so that a page needs no sort. */
export function readList(query: ListQuery, definition: ReturnType<typeof listDefinition>): ListRequest {
  const list = readListQuery(query, definition)
  return query.OrderBy === undefined ? { ...list, orderBy: NATURAL_ORDER } : list
}

export function readView(query: ViewQuery): RecordView {
  return {
    ...instant('asOf', query.asOf),
    ...instant('modifiedSince', query.modifiedSince),
    ...(query.includeDeleted ? { includeDeleted: true } : {}),
  }
}

function instant<Name extends string>(name: Name, text: string | undefined): { [N in Name]?: Date } {
  const at = readInstant(name, text)
  return at === null ? {} : ({ [name]: at } as { [N in Name]?: Date })
}

/** NOTE an instant before the first publication can only be queried with `asOf`. */
const LastUpdatedOn = orNull(
  Type.String({
    description: 'When what is shown was published; with asOf the publication that was current then, null before the first one',
  }),
)

function envelopeSchema(category: Category, entity: Entity) {
  const pagination = strict({ pageNumber: Type.Integer(), pageSize: Type.Integer(), count: Type.Integer() })
  const data = Type.Array(RECORD_SCHEMAS[category][entity].document)
  return category === 'Banking'
    ? strict({ serviceId: Uuid, serviceName: Type.String(), lastUpdatedOn: LastUpdatedOn, data, pagination })
    : strict({ data, pagination })
}

const RecordLines = Type.String({
  title: 'RecordLines',
  description:
    'The whole list in order of ids, one record a line, as the JSON answer shows it. A last line `{"error": …}` tells of a failure.',
})

/** Response to a list request: a page, or the whole list as lines. */
export function listAnswer(category: Category, entity: Entity) {
  return {
    description: 'A page; with `Accept: application/x-ndjson` the whole list',
    content: { 'application/json': { schema: envelopeSchema(category, entity) }, [NDJSON]: { schema: RecordLines } },
  }
}
