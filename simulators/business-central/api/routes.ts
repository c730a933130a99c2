import type { IncomingMessage } from 'node:http'
import type { Faults } from '../../kit/faults.ts'
import type { Reply } from '../../kit/http/response.ts'
import type { Row } from '../data/chart.ts'
import { ENVIRONMENTS, type Environment, findCompany, type Login } from '../data/companies.ts'
import type { Books, Ledger } from '../data/ledger.ts'
import type { FaultName } from '../faults.ts'
import type { Subscriptions } from '../webhooks.ts'
import { compare, type ListKind, type ListQuery, ODataError, parseListQuery, project, selectRows } from './odata.ts'
import { errorReply, jsonReply } from './replies.ts'
import { toDriftedRows } from './schema-drift.ts'

export interface ApiCall {
  request: IncomingMessage
  /** Path from `/environments` or `/v2.0`. */
  path: string
  query: URLSearchParams
  login: Login
  ledger: Ledger
  faults: Faults<FaultName>
  /** Base URL of the simulator, for links. */
  baseUrl: string
}

/** Maximum page size, and the page size without `Prefer: odata.maxpagesize`. */
const MOST_ROWS = 20_000

const ACCOUNTS: ListKind = {
  key: 'number',
  fields:
    'id number displayName category subCategory blocked accountType directPosting netChange consolidationTranslationMethod consolidationDebitAccount consolidationCreditAccount excludeFromConsolidation lastModifiedDateTime'.split(
      ' ',
    ),
}
const ENTRIES: ListKind = {
  key: 'entryNumber',
  fields:
    'id entryNumber postingDate documentNumber documentType accountId accountNumber description debitAmount creditAmount additionalCurrencyDebitAmount additionalCurrencyCreditAmount lastModifiedDateTime'.split(
      ' ',
    ),
}
const COMPANIES: ListKind = { key: 'name', fields: ['id', 'systemVersion', 'name', 'displayName', 'businessProfileId', 'systemCreatedAt'] }
const INFORMATION: ListKind = {
  key: 'id',
  fields:
    'id displayName addressLine1 city state country postalCode currencyCode currentFiscalYearStartDate industry lastModifiedDateTime'.split(
      ' ',
    ),
}

/** Handles one authorized API call. */
export function callApi(call: ApiCall): Reply {
  if (call.request.method !== 'GET') return errorReply(405, 'BadRequest_MethodNotAllowed', 'The method is not allowed here.')
  if (call.path === '/environments/v1.1') return listEnvironments(call)
  const { environment, rest } = splitPath(call.path)
  if (!environment || environment.tenantId !== call.login.tenantId) return errorReply(404, 'NoEnvironment', 'Environment does not exist.')
  if (call.login.closed.includes(environment.name)) {
    return errorReply(401, 'Authentication_InvalidCredentials', 'The server has rejected the client credentials.')
  }
  try {
    return callEnvironment(call, environment, rest)
  } catch (error) {
    if (error instanceof ODataError) return errorReply(400, 'BadRequest', error.message)
    throw error
  }
}

/** Handles a call to the webhook subscriptions of an environment; null for any other path. */
export async function callSubscriptions(call: ApiCall & { body: string }, subscriptions: Subscriptions): Promise<Reply | null> {
  const { environment, rest } = splitPath(call.path)
  const match = /^subscriptions(?:\('([0-9a-f]+)'\))?$/.exec(decodeURIComponent(rest))
  const isOpen = environment && environment.tenantId === call.login.tenantId && !call.login.closed.includes(environment.name)
  return isOpen && match ? await subscriptions.answer(call.request.method ?? 'GET', environment, match[1] ?? '', call.body) : null
}

function splitPath(path: string): { environment: Environment | undefined; rest: string } {
  const [, tenantId = '', name = '', rest = ''] = /^\/v2\.0\/([^/]+)\/([^/]+)\/api\/v2\.0\/(.+)$/.exec(path) ?? []
  return { environment: ENVIRONMENTS.find((each) => each.tenantId === tenantId && each.name === decodeURIComponent(name)), rest }
}

function listEnvironments({ login, baseUrl }: ApiCall): Reply {
  const value = ENVIRONMENTS.filter(({ tenantId }) => tenantId === login.tenantId).map(({ tenantId, name, type, countryCode }) => ({
    aadTenantId: tenantId,
    applicationFamily: 'BusinessCentral',
    type,
    name,
    countryCode,
    webServiceUrl: baseUrl,
    webClientLoginUrl: `${baseUrl}/${tenantId}/${encodeURIComponent(name)}`,
  }))
  return jsonReply(200, { value })
}

function callEnvironment(call: ApiCall, environment: Environment, path: string): Reply {
  if (path === 'companies') return list(call, COMPANIES, environment.companyIds.map(toCompany))
  const [, id = '', resource, recordId] = /^companies\(([0-9a-f-]{36})\)(?:\/(\w+)(?:\(([0-9a-f-]{36})\))?)?$/.exec(path) ?? []
  if (!environment.companyIds.includes(id) || call.faults.take('companyGone')) {
    return errorReply(404, 'Internal_CompanyNotFound', `Cannot find company '${id}'.`)
  }
  if (resource === undefined) return jsonReply(200, toCompany(id))
  const books = call.ledger.booksOf(id)
  if (resource === 'companyInformation' && recordId === undefined) return list(call, INFORMATION, [toInformation(books)])
  if (resource === 'accounts') return listOrOne(call, ACCOUNTS, books.accounts.rows, recordId)
  if (resource === 'generalLedgerEntries') {
    if (!call.login.readsLedger) return errorReply(403, 'Authorization_RequestDenied', 'The current permissions prevented the action.')
    return listOrOne(call, ENTRIES, books.entries.rows, recordId)
  }
  return errorReply(404, 'BadRequest_NotFound', `No HTTP resource was found for '${resource}'.`)
}

function listOrOne(call: ApiCall, kind: ListKind, rows: readonly Row[], id: string | undefined): Reply {
  if (id === undefined) return list(call, kind, rows)
  const row = rows.find((each) => each.id === id)
  return row
    ? jsonReply(200, { ...project(row, parseListQuery(call.query, kind).select) })
    : errorReply(404, 'Internal_RecordNotFound', 'The record does not exist.')
}

function list(call: ApiCall, kind: ListKind, rows: readonly Row[]): Reply {
  const query = parseListQuery(call.query, kind)
  if (query.token !== null && call.faults.take('expiredLink')) throw new ODataError('The skip token is not valid.')
  const fitting = selectRows(query, rows)
  const size = pageSize(call.request)
  const start = query.token === null ? 0 : firstBehind(fitting, kind, query.token)
  const isFirst = start === 0 && (kind !== ENTRIES || rows[0] === fitting[0])
  const page = fitting.slice(query.skip + start, query.skip + start + Math.min(size, query.top ?? size))
  const repeated = !isFirst && call.faults.take('repeatPage') ? pageBefore(rows, fitting, start, size) : page
  const last = page.at(-1)
  const more = last !== undefined && query.top === null && start + page.length + query.skip < fitting.length
  const rest = more ? { '@odata.nextLink': nextLink(call, String(last[kind.key])) } : {}
  const body = { '@odata.context': `${call.baseUrl}${call.path}/$metadata`, value: toValue(call, kind, query, repeated), ...rest }
  return jsonReply(200, body, call.request.headers.prefer ? { 'preference-applied': `odata.maxpagesize=${size}` } : {})
}

function toValue(call: ApiCall, kind: ListKind, query: ListQuery, rows: readonly Row[]): object[] {
  const value: object[] = rows.map((row) => ({
    '@odata.etag': 'W/"JzE5OzI4NTY4NDc5OTgyNjM4OTU4ODQxOzAwOyc="',
    ...project(row, query.select),
  }))
  const isList = kind === ACCOUNTS || kind === ENTRIES
  if (isList && call.faults.take('duplicateIds')) value.push(...value.slice(0, 3))
  return kind === ACCOUNTS && call.faults.take('schemaDrift') ? toDriftedRows(value) : value
}

/** The previous page: from the list's own link, or, if a filter selects later rows only, the rows before them. */
function pageBefore(rows: readonly Row[], fitting: readonly Row[], start: number, size: number): Row[] {
  if (start > 0) return fitting.slice(Math.max(0, start - size), start)
  const [first] = fitting
  const index = first ? rows.indexOf(first) : rows.length
  return rows.slice(Math.max(0, index - size), index)
}

function firstBehind(rows: readonly Row[], kind: ListKind, token: string): number {
  const key = /^\d+$/.test(token) && kind === ENTRIES ? Number(token) : token
  const index = rows.findIndex((row) => compare(row[kind.key], key) > 0)
  return index < 0 ? rows.length : index
}

function nextLink(call: ApiCall, token: string): string {
  const query = new URLSearchParams(call.query)
  query.set('aid', 'FIN')
  query.set('$skiptoken', token)
  return `${call.baseUrl}${call.path}?${query}`
}

function pageSize(request: IncomingMessage): number {
  const wanted = /odata\.maxpagesize=(\d{1,9})/.exec(String(request.headers.prefer ?? ''))?.[1]
  return wanted === undefined ? MOST_ROWS : Math.max(1, Math.min(MOST_ROWS, Number(wanted)))
}

function toCompany(id: string): Row {
  const company = findCompany(id)
  return {
    id,
    systemVersion: '27.1.41698.0',
    name: company?.name ?? '',
    displayName: company?.displayName ?? '',
    businessProfileId: '',
    systemCreatedAt: '2023-11-02T14:05:18.42Z',
  }
}

function toInformation({ company }: Books): Row {
  return {
    id: company.id,
    displayName: company.displayName || company.name,
    ...company.address,
    currencyCode: company.currencyCode,
    currentFiscalYearStartDate: '2026-01-01',
    industry: '',
    lastModifiedDateTime: '2026-01-05T09:12:00.147Z',
  }
}
