import type { IncomingMessage } from 'node:http'
import type { Row } from '../../kit/data/edited-list.ts'
import type { Faults } from '../../kit/faults.ts'
import type { Reply } from '../../kit/http/response.ts'
import type { Books } from '../data/ledger.ts'
import type { FaultName } from '../faults.ts'
import { dataReply, problemReply, validationReply } from './replies.ts'
import { toDriftedRows } from './schema-drift.ts'

export interface AccountingCall {
  request: IncomingMessage
  /** Path below /api.xro/2.0/. */
  path: string
  query: URLSearchParams
  scopes: readonly string[]
  books: Books
  now: Date
  faults: Faults<FaultName>
  /** Whether the app's tier includes the journals. */
  hasJournals: boolean
}

const JOURNALS_PAGE = 100
const MANUAL_PAGE = 100
const MANUAL_PAGE_MOST = 1000

const RESOURCES: Readonly<Record<string, { scope: RegExp; answer: (call: AccountingCall, id: string | undefined) => Reply }>> = {
  Accounts: { scope: /^accounting\.settings(\.read)?$/, answer: accounts },
  Organisation: { scope: /^accounting\.settings(\.read)?$/, answer: organisation },
  Journals: { scope: /^accounting\.journals\.read$/, answer: journals },
  ManualJournals: { scope: /^accounting\.(manualjournals|transactions)(\.read)?$/, answer: manualJournals },
}

/** Handles one authorized call to the books of an organisation. */
export function callAccounting(call: AccountingCall): Reply {
  const [name = '', id] = call.path.split('/')
  const resource = RESOURCES[name]
  if (!resource || call.request.method !== 'GET') return problemReply(404, 'NotFound')
  if (!call.scopes.some((scope) => resource.scope.test(scope)) || call.faults.take('missingScope')) {
    return problemReply(401, 'AuthorizationUnsuccessful')
  }
  if (call.faults.take('badRequest')) return validationReply('The request could not be understood')
  return resource.answer(call, id)
}

/** The whole chart: `page` is not supported here. */
function accounts(call: AccountingCall, id: string | undefined): Reply {
  if (id !== undefined) return one(call, 'Accounts', call.books.accounts.rows, 'AccountID', id)
  let rows: Row[] | null = ordered(changedSince(call, call.books.accounts.rows, 'UpdatedDateUTC'), call.query)
  rows = rows && filtered(rows, call.query)
  if (rows === null) return validationReply('No property or field by that name exists')
  if (call.faults.take('duplicateIds')) rows = [...rows, ...rows.slice(0, 3)]
  const shown = call.faults.take('schemaDrift') ? toDriftedRows(rows) : rows
  return dataReply(call.request, call.now, { Accounts: shown })
}

function organisation(call: AccountingCall): Reply {
  return dataReply(call.request, call.now, { Organisations: [call.books.organisation] })
}

/** At most 100 journals with a number above `offset`. */
function journals(call: AccountingCall): Reply {
  if (!call.hasJournals || call.faults.take('journalsRefused')) return problemReply(401, 'AuthorizationUnsuccessful')
  if (call.faults.take('roleRefused')) {
    return problemReply(403, 'You are not permitted to access this resource without the reporting role or higher privileges')
  }
  const offset = Number(call.query.get('offset') ?? '0')
  if (!Number.isSafeInteger(offset)) return validationReply('offset is not a number')
  const repeats = offset >= JOURNALS_PAGE && call.faults.take('repeatPage')
  const from = repeats ? Math.max(0, offset - JOURNALS_PAGE) : offset
  const rows = changedSince(call, call.books.journals, 'CreatedDateUTC').filter(({ JournalNumber }) => Number(JournalNumber) > from)
  return dataReply(call.request, call.now, { Journals: rows.slice(0, JOURNALS_PAGE) })
}

function manualJournals(call: AccountingCall, id: string | undefined): Reply {
  if (call.faults.take('manualJournalsRefused')) return problemReply(401, 'AuthorizationUnsuccessful')
  if (id !== undefined) return one(call, 'ManualJournals', call.books.manualJournals, 'ManualJournalID', id)
  const asked = Number(call.query.get('page') ?? '1')
  const pageSize = Math.min(MANUAL_PAGE_MOST, Number(call.query.get('pageSize') ?? String(MANUAL_PAGE)))
  if (!Number.isSafeInteger(asked) || asked < 1 || !Number.isSafeInteger(pageSize) || pageSize < 1)
    return validationReply('page is not a number')
  const sorted = ordered(changedSince(call, call.books.manualJournals, 'UpdatedDateUTC'), call.query)
  const rows = sorted && filtered(sorted, call.query)
  if (rows === null) return validationReply('No property or field by that name exists')
  const page = asked > 1 && call.faults.take('repeatPage') ? asked - 1 : asked
  const pagination = { page, pageSize, pageCount: Math.ceil(rows.length / pageSize), itemCount: rows.length }
  return dataReply(call.request, call.now, { pagination, ManualJournals: rows.slice((page - 1) * pageSize, page * pageSize) })
}

function one(call: AccountingCall, list: string, rows: readonly Row[], key: string, id: string): Reply {
  const row = rows.find((each) => each[key] === id)
  return row ? dataReply(call.request, call.now, { [list]: [row] }) : problemReply(404, 'NotFound')
}

/** `If-Modified-Since` is UTC, with or without a zone; an invalid value is ignored, as at Xero. */
function changedSince(call: AccountingCall, rows: readonly Row[], property: string): Row[] {
  const text = call.request.headers['if-modified-since'] ?? ''
  const sinceMs = Date.parse(/(Z|GMT|[+-]\d\d:\d\d)$/.test(text) ? text : `${text}Z`)
  if (Number.isNaN(sinceMs)) return [...rows]
  return rows.filter((row) => Number(/\d+/.exec(String(row[property]))?.[0]) > sinceMs)
}

/** `order=Name ASC`; null if no row has the property. */
function ordered(rows: Row[], query: URLSearchParams): Row[] | null {
  const order = query.get('order')
  if (order === null || rows.length === 0) return rows
  const [property = '', direction = 'ASC'] = order.split(' ')
  if (!rows.some((row) => property in row)) return null
  const sign = direction.toUpperCase() === 'DESC' ? -1 : 1
  return [...rows].sort((a, b) => sign * (String(a[property]) < String(b[property]) ? -1 : 1))
}

/** `where=Status=="ACTIVE"` and similar, joined by AND; null for anything else. */
function filtered(rows: Row[], query: URLSearchParams): Row[] | null {
  const where = query.get('where')
  if (where === null) return rows
  const clauses = where.split(/ AND /i).map((clause) => /^\s*(\w+)\s*==\s*"([^"]*)"\s*$/.exec(clause))
  if (clauses.some((clause) => clause === null)) return null
  return rows.filter((row) => clauses.every((clause) => clause && String(row[clause[1] ?? '']) === clause[2]))
}
