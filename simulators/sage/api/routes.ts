import type { Faults } from '../../kit/faults.ts'
import { brokenReply } from '../../kit/http/front.ts'
import type { Reply } from '../../kit/http/response.ts'
import { type Row, TYPES } from '../data/chart.ts'
import { type Business, findBusiness, type Login } from '../data/companies.ts'
import type { Ledger } from '../data/ledger.ts'
import type { FaultName } from '../faults.ts'
import { listReply, wholeListReply } from './lists.ts'
import { apiError, jsonReply } from './replies.ts'
import { toDriftedRows } from './schema-drift.ts'

export interface ApiCall {
  method: string
  /** Path below /v3.1/. */
  path: string
  query: URLSearchParams
  login: Login
  /** X-Business header; defaults to the lead business. */
  businessId: string | undefined
  ledger: Ledger
  faults: Faults<FaultName>
}

/** The business of a call; null if the login has no access to it. */
export function businessOf(login: Login, businessId: string | undefined): Business | null {
  const id = businessId ?? login.businessIds[0] ?? ''
  return login.businessIds.includes(id) ? findBusiness(id) : null
}

/** Handles one authorized call. The API is read-only here. */
export function callApi(call: ApiCall): Reply {
  const { method, path, login, faults } = call
  if (method !== 'GET') return apiError(405, 'MethodNotAllowed', 'Method not allowed')
  if (path === 'user') return jsonReply(200, toUser(login))
  if (path === 'businesses')
    return wholeListReply(faults.take('noBusiness') ? [] : login.businessIds.map((id) => toBusiness(findBusiness(id), id)))
  const [resource = '', id] = path.split('/')
  if (resource === 'businesses') {
    const business = businessOf(login, id === 'lead' ? undefined : id)
    return business ? jsonReply(200, toBusiness(business, business.id)) : notFound()
  }
  const business = businessOf(login, call.businessId)
  if (!business) return apiError(403, 'AuthorizationFailure', 'The user has no access to this business')
  return callBusiness(call, business, resource, id)
}

function callBusiness(call: ApiCall, business: Business, resource: string, id: string | undefined): Reply {
  const { faults } = call
  const books = call.ledger.booksOf(business.id)
  if (resource === 'ledger_accounts')
    return id === undefined ? brokenReply(faults, listAccounts(call, books.accounts.rows)) : one(books.accounts.rows, id)
  if (resource === 'ledger_account_types' && id === undefined) return listReply('/ledger_account_types', call.query, toTypes(), faults)
  if (resource === 'financial_settings' && id === undefined)
    return faults.take('closedSettings') ? closed() : jsonReply(200, toSettings(business))
  if (resource !== 'journals') return notFound()
  if (faults.take('closedJournals')) return closed()
  return id === undefined
    ? brokenReply(faults, listReply('/journals', call.query, books.journals.rows, faults))
    : one(books.journals.rows, id)
}

function listAccounts(call: ApiCall, accounts: readonly Row[]): Reply {
  const { faults } = call
  if (faults.take('vanished')) return listReply('/ledger_accounts', call.query, [], faults)
  const reply = listReply('/ledger_accounts', call.query, accounts, faults)
  const isDoubled = faults.take('duplicateIds')
  const isDrifted = faults.take('schemaDrift')
  if (!isDoubled && !isDrifted) return reply
  const envelope: { $items: object[] } = JSON.parse(reply.body)
  const items = isDoubled ? [...envelope.$items, ...envelope.$items.slice(0, 3)] : envelope.$items
  return jsonReply(200, { ...envelope, $items: isDrifted ? toDriftedRows(items) : items })
}

function one(rows: readonly Row[], id: string): Reply {
  const row = rows.find((each) => each.id === id)
  return row ? jsonReply(200, row) : notFound()
}

function notFound(): Reply {
  return apiError(404, 'RecordNotFound', 'The record could not be found')
}

function closed(): Reply {
  return apiError(403, 'AuthorizationFailure', 'The role of the user does not allow this')
}

function toTypes(): Row[] {
  return Object.entries(TYPES).map(([id, { title }]) => ({ id, displayed_as: title, $path: `/ledger_account_types/${id}` }))
}

function toBusiness(business: Business | null, id: string): object {
  return {
    id,
    displayed_as: business?.name ?? id,
    $path: `/businesses/${id}`,
    name: business?.name ?? id,
    city: business?.city ?? '',
    country: business?.country ?? { id: 'CA', displayed_as: 'Canada' },
    is_demo: false,
    created_at: '2022-01-03T13:00:00Z',
    updated_at: '2026-05-04T14:30:00Z',
  }
}

function toUser(login: Login): object {
  const [first = '', ...last] = login.person.split(' ')
  return {
    id: `c3c32d1c-41ba-483f-a3ff-${login.key.padEnd(12, '0').slice(0, 12)}`,
    displayed_as: login.person,
    first_name: first,
    last_name: last.join(' '),
    email: login.email,
    locale: login.locale,
    created_at: '2022-01-03T13:00:00Z',
    updated_at: '2026-05-04T14:30:00Z',
  }
}

function toSettings(business: Business): object {
  return {
    $path: '/financial_settings',
    year_end_date: '2026-12-31',
    accounting_type: 'accrual',
    accounts_start_date: '2022-01-01',
    base_currency: { ...business.currency, $path: `/currencies/${business.currency.id}` },
    multi_currency_enabled: true,
    use_live_exchange_rates: true,
    updated_at: '2026-05-04T14:30:00Z',
  }
}
