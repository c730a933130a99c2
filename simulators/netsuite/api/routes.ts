import type { IncomingMessage } from 'node:http'
import type { Faults } from '../../kit/faults.ts'
import type { Reply } from '../../kit/http/response.ts'
import { accountOfRole, type Role } from '../data/companies.ts'
import type { Ledger } from '../data/ledger.ts'
import type { FaultName } from '../faults.ts'
import { toDatabase } from './database.ts'
import { errorReply, jsonReply } from './replies.ts'
import { toDriftedRows } from './schema-drift.ts'
import { type Database, selectRows } from './selection.ts'
import { parseSql, type Select, SqlError } from './sql.ts'

export interface ApiCall {
  request: IncomingMessage
  path: string
  query: URLSearchParams
  body: string
  role: Role
  ledger: Ledger
  faults: Faults<FaultName>
  /** Base URL of the simulator, for links. */
  baseUrl: string
}

const MOST_ROWS = 1_000
const MOST_OFFSET = 100_000

/** Handles one authorized call of the REST services. */
export function callApi(call: ApiCall): Reply {
  if (call.path !== '/services/rest/query/v1/suiteql') return errorReply(404, 'NONEXISTENT_ENDPOINT', 'The endpoint does not exist.')
  if (call.request.method !== 'POST') return errorReply(405, 'METHOD_NOT_ALLOWED', 'Only POST is supported.')
  if (!/\btransient\b/.test(String(call.request.headers.prefer ?? ''))) {
    return errorReply(400, 'INVALID_HEADER', 'The required request header "Prefer" must have the value "transient".')
  }
  const limit = Number(call.query.get('limit') ?? MOST_ROWS)
  const offset = Number(call.query.get('offset') ?? 0)
  if (!Number.isInteger(limit) || limit < 1 || limit > MOST_ROWS)
    return errorReply(400, 'INVALID_PARAMETER', 'Invalid query parameter "limit".')
  if (!Number.isInteger(offset) || offset < 0 || offset % limit !== 0 || offset >= MOST_OFFSET) {
    return errorReply(400, 'INVALID_PARAMETER', 'Invalid query parameter "offset": it must be divisible by the limit.')
  }
  const sql = readSql(call.body)
  if (sql === null) return errorReply(400, 'INVALID_CONTENT', 'The request body must have the property "q".')
  try {
    const select = parseSql(sql)
    return answer(call, select, { limit, offset })
  } catch (error) {
    if (!(error instanceof SqlError)) throw error
    const detail = `Invalid search query. Detailed unprocessed description follows. ${error.message}.`
    return errorReply(400, 'INVALID_PARAMETER', detail)
  }
}

function answer(call: ApiCall, select: Select, { limit, offset }: { limit: number; offset: number }): Reply {
  const database = toDatabase(call.ledger.booksOf(accountOfRole(call.role.key)), call.role)
  const rows = selectRows(select, database)
  const isBooks = select.table === 'account' || select.table === 'transactionaccountingline'
  const page = rows.slice(offset, offset + limit)
  const before = isBooks ? rowsBefore(select, database, rows, offset, limit) : []
  let items: object[] = before.length > 0 && call.faults.take('repeatPage') ? before : page
  if (isBooks && call.faults.take('duplicateIds')) items = [...items, ...items.slice(0, 3)]
  if (select.table === 'account' && select.columns.length > 1 && call.faults.take('schemaDrift')) items = toDriftedRows(items)
  const self = `${call.baseUrl}/services/rest/query/v1/suiteql`
  const hasMore = offset + limit < rows.length
  return jsonReply(200, {
    links: [
      ...(hasMore ? [{ rel: 'next', href: `${self}?limit=${limit}&offset=${offset + limit}` }] : []),
      { rel: 'self', href: `${self}?limit=${limit}&offset=${offset}` },
    ],
    count: items.length,
    hasMore,
    items: items.map((item) => ({ links: [], ...item })),
    offset,
    totalResults: rows.length,
  })
}

/** Rows of the previous page: by its offset, or, if the query selects later rows only, the rows before them. */
function rowsBefore(select: Select, database: Database, rows: readonly object[], offset: number, limit: number): object[] {
  if (offset > 0) return rows.slice(Math.max(0, offset - limit), offset)
  if (!isKeyset(select)) return []
  const all = selectRows({ ...select, where: withoutKey(select) }, database)
  const index = all.length - rows.length
  return all.slice(Math.max(0, index - limit), index)
}

/** Whether the query ends with a comparison of the column it is ordered by. */
function isKeyset(select: Select): boolean {
  return conditionsOf(select).some((condition) => isKeyCondition(select, condition))
}

function withoutKey(select: Select): Select['where'] {
  return { kind: 'and', conditions: conditionsOf(select).filter((condition) => !isKeyCondition(select, condition)) }
}

type Condition = NonNullable<Select['where']>

function conditionsOf({ where }: Select): readonly Condition[] {
  if (where === null) return []
  const inner = where.kind === 'or' && where.conditions.length === 1 ? where.conditions[0] : where
  return inner?.kind === 'and' ? inner.conditions : [where]
}

function isKeyCondition({ order }: Select, condition: Condition): boolean {
  const [first] = order
  return condition.kind === 'compare' && /^>=?$/.test(condition.operator) && condition.column.name === first?.column.name
}

function readSql(body: string): string | null {
  try {
    const content: unknown = JSON.parse(body)
    const sql = typeof content === 'object' && content !== null && 'q' in content ? content.q : null
    return typeof sql === 'string' ? sql : null
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}
