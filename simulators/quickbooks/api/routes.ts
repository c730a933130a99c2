import type { Reply } from '../../kit/http/response.ts'
import type { Books } from '../data/books.ts'
import type { Row } from '../data/chart.ts'
import type { CompanyCall } from './call.ts'
import { parseQuery, type Query, QueryError } from './query.ts'
import { dataReply, faultReply } from './replies.ts'
import { answerReport } from './reports.ts'
import { toDriftedRows } from './schema-drift.ts'
import { project, selectRows } from './selection.ts'

/** Handles one authorized call to a company's books. */
export function callCompany(call: CompanyCall): Reply {
  const [resource = '', id] = call.path.split('/')
  const method = call.request.method ?? 'GET'
  if (resource === 'query' && id === undefined) return query(call, method)
  if (method !== 'GET') return unsupported(call)
  if (resource === 'cdc' && id === undefined) return changes(call)
  if (resource === 'reports' && id !== undefined) return answerReport(call, id) ?? unsupported(call)
  if (resource === 'companyinfo' && id === call.realmId) return one(call, 'CompanyInfo', call.books.info)
  if (resource === 'account' && id !== undefined) return one(call, 'Account', find(call.books.accounts, id))
  if (resource === 'journalentry' && id !== undefined) return one(call, 'JournalEntry', find(call.books.entries, id))
  return unsupported(call)
}

/** GET with `query=`, or POST with the statement as the body (text/plain or application/text). */
function query(call: CompanyCall, method: string): Reply {
  const isPost = method === 'POST'
  const type = call.request.headers['content-type'] ?? ''
  if (isPost && !/^(text\/plain|application\/text)\b/.test(type)) return unsupported(call)
  try {
    return answerQuery(call, withEntity(parseQuery(isPost ? call.body : (call.query.get('query') ?? ''))))
  } catch (error) {
    if (!(error instanceof QueryError)) throw error
    const message = error.code === '4000' ? 'Error parsing query' : 'Invalid query'
    return faultReply(call.request, call.now, 400, { Message: message, Detail: error.message, code: error.code })
  }
}

const ENTITIES = ['Account', 'JournalEntry', 'CompanyInfo']

/** Entity names are accepted in any case, as at Intuit, and returned in Intuit's own. */
function withEntity(query: Query): Query {
  const entity = ENTITIES.find((each) => each.toLowerCase() === query.entity.toLowerCase())
  if (entity === undefined) throw new QueryError('4001', `QueryValidationError: unknown entity ${query.entity}`)
  return { ...query, entity }
}

function answerQuery(call: CompanyCall, query: Query): Reply {
  const time = call.now.toISOString()
  const selected = selectRows(query, rowsOf(call.books, query.entity))
  if (query.count) return dataReply(call.request, { QueryResponse: { totalCount: selected.length }, time })
  const repeats = query.startPosition > 1 && call.faults.take('repeatPage')
  const start = (repeats ? Math.max(1, query.startPosition - query.maxResults) : query.startPosition) - 1
  let rows: object[] = selected.slice(start, start + query.maxResults).map((row) => project(row, query.properties))
  if (query.entity === 'Account' && call.faults.take('duplicateIds')) rows = [...rows, ...rows.slice(0, 3)]
  if (query.entity === 'Account' && call.faults.take('schemaDrift')) rows = toDriftedRows(rows)
  if (rows.length === 0) return dataReply(call.request, { QueryResponse: {}, time })
  const response = { [query.entity]: rows, startPosition: query.startPosition, maxResults: rows.length }
  return dataReply(call.request, { QueryResponse: response, time })
}

function rowsOf(books: Books, entity: string): readonly Row[] {
  if (entity === 'Account') return books.accounts
  return entity === 'JournalEntry' ? books.entries : [books.info]
}

const MOST_CHANGES = 1000
const LOOK_BACK_MS = 30 * 86_400_000

/**
 * Changes of the last 30 days at most, and 1,000 objects at most.
 * Source: https://developer.intuit.com/app/developer/qbo/docs/learn/explore-the-quickbooks-online-api/change-data-capture
 */
function changes(call: CompanyCall): Reply {
  const since = call.query.get('changedSince') ?? ''
  const sinceMs = Date.parse(since)
  const entities = (call.query.get('entities') ?? '').split(',').filter((entity) => entity !== '')
  if (Number.isNaN(sinceMs) || entities.some((entity) => entity !== 'Account' && entity !== 'JournalEntry')) {
    return faultReply(call.request, call.now, 400, {
      Message: 'Invalid query',
      Detail: 'entities or changedSince cannot be read',
      code: '4001',
    })
  }
  if (call.now.getTime() - sinceMs > LOOK_BACK_MS) {
    return faultReply(call.request, call.now, 400, {
      Message: 'Invalid query',
      Detail: 'changedSince lies more than 30 days back',
      code: '4001',
    })
  }
  let left = MOST_CHANGES
  const responses = entities.map((entity) => {
    const scope = entity === 'Account' ? 'Active IN (true, false) AND ' : ''
    const query = parseQuery(`SELECT * FROM ${entity} WHERE ${scope}MetaData.LastUpdatedTime >= '${new Date(sinceMs).toISOString()}'`)
    const rows = selectRows(query, rowsOf(call.books, entity)).slice(0, left)
    left -= rows.length
    return rows.length === 0 ? {} : { [entity]: rows, startPosition: 1, maxResults: rows.length }
  })
  return dataReply(call.request, { CDCResponse: [{ QueryResponse: responses }], time: call.now.toISOString() })
}

function one(call: CompanyCall, entity: string, row: Row | undefined): Reply {
  if (row) return dataReply(call.request, { [entity]: row, time: call.now.toISOString() })
  const detail = "Object Not Found : Something you're trying to use has been made inactive or does not exist."
  return faultReply(call.request, call.now, 400, { Message: 'Object Not Found', Detail: detail, code: '610', element: '' })
}

function find(rows: readonly Row[], id: string): Row | undefined {
  return rows.find((row) => row.Id === id)
}

function unsupported(call: CompanyCall): Reply {
  return faultReply(call.request, call.now, 400, { Message: 'Unsupported Operation', Detail: 'Operation is not supported.', code: '500' })
}
