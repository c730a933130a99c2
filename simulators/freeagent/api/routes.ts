import type { Row } from '../../kit/data/edited-list.ts'
import type { Faults } from '../../kit/faults.ts'
import { jsonReply, type Reply } from '../../kit/http/response.ts'
import { GROUPS } from '../data/chart.ts'
import { getCompany, type Login } from '../data/companies.ts'
import type { Ledger } from '../data/ledger.ts'
import type { FaultName } from '../faults.ts'
import { toDriftedRows } from './schema-drift.ts'
import { findTransactions } from './transactions.ts'

export interface ApiCall {
  method: string
  /** Path below /v2/. */
  path: string
  query: URLSearchParams
  login: Login
  ledger: Ledger
  faults: Faults<FaultName>
  now: Date
  /** Scheme and host of this simulator, prefixed to every address. */
  base: string
}

/** Handles one authorized call. The API is read-only here. */
export function callApi(call: ApiCall): Reply {
  const [resource = '', id] = call.path.split(/\/(?=[^/]+$)/)
  if (call.method !== 'GET') return errorReply(405, 'Method not allowed')
  if (call.path === 'users/me') return jsonReply(200, { user: toUser(call) })
  if (call.login.companyId === null || call.faults.take('noCompany')) return errorReply(404, 'Company not found')
  const books = call.ledger.booksOf(call.login.companyId)
  if (call.path === 'company') return answer(call, { company: toCompany(call) })
  if (call.path === 'categories') return listCategories(call, books.categories.rows)
  if (resource === 'categories' && id !== undefined) return oneCategory(call, books.categories.rows, id)
  if (call.path === 'bank_accounts') return listPaged(call, 'bank_accounts', books.bankAccounts.rows)
  if (call.path === 'accounting/transactions') {
    const found = findTransactions(books, call.query, call.now)
    return typeof found === 'string' ? errorReply(400, found) : listPaged(call, 'transactions', found)
  }
  if (resource === 'accounting/transactions' && id !== undefined) {
    const row = books.transactions.rows.find(({ url }) => String(url).endsWith(`/${id}`))
    return row ? answer(call, { transaction: row }) : errorReply(404, 'Resource not found')
  }
  return errorReply(404, 'Resource not found')
}

/** Source: https://dev.freeagent.com/docs/introduction */
export function errorReply(status: number, message: string): Reply {
  return jsonReply(status, { errors: { error: { message } } })
}

const MOST_ROWS = 100
const USUAL_ROWS = 25

/** A page of a list with `Link` and `X-Total-Count`. Source: https://dev.freeagent.com/docs/introduction#pagination */
function listPaged(call: ApiCall, key: string, rows: readonly Row[]): Reply {
  const size = Math.min(MOST_ROWS, Math.max(1, Number(call.query.get('per_page') ?? USUAL_ROWS) || USUAL_ROWS))
  const page = Math.max(1, Number(call.query.get('page') ?? 1) || 1)
  const isLater = page > 1
  const shown = isLater && call.faults.take('repeatPage') ? page - 1 : page
  let found = rows.slice((shown - 1) * size, shown * size)
  if (isLater && call.faults.take('lostPage')) found = []
  if (isLater && call.faults.take('duplicateIds')) found = [...rows.slice((page - 1) * size - 3, (page - 1) * size), ...found]
  const last = Math.max(1, Math.ceil(rows.length / size))
  const links = [
    ['prev', page - 1],
    ['next', page + 1],
    ['first', 1],
    ['last', last],
  ] as const
  const link = links
    .filter(([, at]) => at >= 1 && at <= last)
    .map(([rel, at]) => `<${call.base}/v2/${call.path}?page=${at}&per_page=${size}>; rel="${rel}"`)
  return answer(call, { [key]: found }, { link: link.join(', '), 'x-total-count': String(rows.length) })
}

/** Without `sub_accounts=true`, only top-level accounts. */
function listCategories(call: ApiCall, rows: readonly Row[]): Reply {
  const asked = call.query.get('sub_accounts') === 'true' ? rows : withoutSubAccounts(rows)
  const twice = call.faults.take('duplicateIds') ? asked.slice(0, 3) : []
  const groups = GROUPS.map(
    (group) => [`${group}_categories`, [...asked, ...twice].filter((row) => row.group === group).map(shown)] as const,
  )
  const body: Record<string, Row[]> = Object.fromEntries(groups)
  if (call.faults.take('schemaDrift')) body.income_categories = toDriftedRows(body.income_categories ?? [])
  if (call.faults.take('missingGroup')) delete body.general_categories
  return answer(call, body)
}

function withoutSubAccounts(rows: readonly Row[]): Row[] {
  const tops = new Map<string, Row>()
  for (const row of rows) {
    const code = String(row.nominal_code).slice(0, 3)
    const top = { group: row.group, url: `/v2/categories/${code}`, description: row.description, nominal_code: code }
    if (!tops.has(code)) tops.set(code, row.nominal_code === code ? row : top)
  }
  return [...tops.values()]
}

/** A single category is returned under the name of its group. */
function oneCategory(call: ApiCall, rows: readonly Row[], code: string): Reply {
  const row = rows.find(({ nominal_code }) => nominal_code === code)
  return row ? answer(call, { [`${row.group}_categories`]: shown(row) }) : errorReply(404, 'Resource not found')
}

function shown({ group: _, ...row }: Row): Row {
  return row
}

function toUser({ login, faults }: ApiCall): Row {
  const [first_name, ...rest] = login.person.split(' ')
  return {
    url: '/v2/users/1',
    first_name,
    last_name: rest.join(' '),
    email: login.email,
    role: 'Director',
    permission_level: faults.take('lowLevel') ? 5 : 8,
  }
}

function toCompany({ login }: ApiCall): Row {
  const company = getCompany(login.companyId ?? 0)
  const starts = [company.startedOn, ...company.yearEnds.map((end) => new Date(Date.parse(end) + 86_400_000).toISOString().slice(0, 10))]
  return {
    url: '/v2/company',
    id: company.id,
    name: company.name,
    subdomain: company.subdomain,
    type: company.type,
    currency: company.currency,
    mileage_units: 'miles',
    company_start_date: company.startedOn,
    freeagent_start_date: company.startedOn,
    first_accounting_year_end: company.yearEnds[0],
    annual_accounting_periods: company.yearEnds.map((ends_on, index) => ({ starts_on: starts[index], ends_on })),
    sales_tax_registration_status: 'Registered',
    created_at: `${company.startedOn}T09:00:00.000Z`,
    updated_at: '2026-05-04T10:30:00.000Z',
  }
}

/** Every address in the answer is absolute. */
function answer(call: ApiCall, body: object, headers: Record<string, string> = {}): Reply {
  const reply = jsonReply(200, body, headers)
  return { ...reply, body: reply.body.replaceAll('"/v2/', `"${call.base}/v2/`) }
}
