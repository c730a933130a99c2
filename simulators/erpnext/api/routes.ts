import type { Faults } from '../../kit/faults.ts'
import type { Call } from '../../kit/http/front.ts'
import type { Reply } from '../../kit/http/response.ts'
import type { Row } from '../data/chart.ts'
import { COMPANIES, LOGINS, type Login } from '../data/companies.ts'
import type { ErpnextState, Ledger } from '../data/ledger.ts'
import type { FaultName } from '../faults.ts'
import { type Doctype, listDocuments } from './lists.ts'
import { htmlReply, jsonReply, refusal } from './replies.ts'

export interface Site {
  version: number
  state: ErpnextState
  ledger: Ledger
  faults: Faults<FaultName>
}

/** Whether the call lists accounts or ledger entries, the target of most faults. */
export function isData({ path }: Pick<Call, 'path'>): boolean {
  return /^\/api\/resource\/(Account|GL Entry)$/.test(decodeURIComponent(path))
}

/**
 * GET only, since the connector only reads. Source: https://github.com/frappe/frappe/blob/version-15/frappe/api/v1.py
 */
export function answerCall(site: Site, call: Call): Reply {
  const path = decodeURIComponent(call.path)
  if (path === '/api/method/ping' || path === '/api/method/frappe.ping') return jsonReply(200, { message: 'pong' })
  if (!path.startsWith('/api/')) return htmlReply(404, 'Not Found')
  if (call.method !== 'GET') return refusal(403, 'PermissionError', 'Not permitted')
  const token = /^token (\S+):(\S+)$/.exec(call.headers.authorization ?? '')
  if (call.headers.authorization === undefined) return refusal(403, 'PermissionError', 'Login to access')
  if (isData(call) && site.faults.take('revoked')) {
    site.state.data.revoked.push(token?.[1] ?? '')
    site.state.save()
  }
  const login = LOGINS.find(({ apiKey, apiSecret }) => apiKey === token?.[1] && apiSecret === token?.[2])
  const isRefused = !login || site.state.data.revoked.includes(login.apiKey) || (isData(call) && site.faults.take('unauthorized'))
  if (isRefused) return refusal(401, 'AuthenticationError', '')
  const method = /^\/api\/method\/([\w.]+)$/.exec(path)?.[1]
  if (method !== undefined) return answerMethod(site, login, method)
  const doctype = /^\/api\/resource\/([^/]+)$/.exec(path)?.[1]
  return doctype === undefined ? refusal(404, 'DoesNotExistError', 'Not found') : answerList(site, login, doctype, call)
}

function answerMethod({ version }: Site, { user }: Login, method: string): Reply {
  if (method === 'frappe.auth.get_logged_user') return jsonReply(200, { message: user })
  if (method === 'frappe.utils.change_log.get_versions') {
    const about = (title: string) => ({ title, description: '', branch: `version-${version}`, version: `${version}.4.1` })
    return jsonReply(200, { message: { frappe: about('Frappe Framework'), erpnext: about('ERPNext') } })
  }
  return refusal(417, 'ValidationError', `Failed to get method for command ${method}`)
}

function answerList(site: Site, login: Login, name: string, call: Call): Reply {
  const { faults } = site
  if (isData(call)) {
    if (!login.mayRead || faults.take('forbidden')) return refusal(403, 'PermissionError', `No permission for ${name}`)
    if (faults.take('refusedField')) return refusal(417, 'DataError', 'Field not permitted in query: account_type')
    if (faults.take('deadlock')) return refusal(508, 'QueryTimeoutError', '')
    if (faults.take('internal')) return refusal(500, 'TypeError', "'NoneType' object is not subscriptable")
    if (faults.take('notRows')) return jsonReply(200, { message: [] })
  }
  const doctype = openDoctype(site, login, name)
  if (!doctype) return refusal(404, 'DoesNotExistError', `DocType ${name} not found`)
  // Before version 13 the ledger lacks this column; only the database reports it.
  const isUnknownColumn = name === 'GL Entry' && site.version < 13 && (call.query.get('filters') ?? '').includes('is_cancelled')
  return isUnknownColumn ? refusal(500, 'OperationalError', "Unknown column 'is_cancelled'") : listDocuments(doctype, call.query, faults)
}

function openDoctype({ ledger, faults }: Site, login: Login, name: string): Doctype | null {
  if (name === 'Company') {
    const isOther = faults.take('wrongCompany')
    const rows = COMPANIES.filter(({ abbr }) => login.companies.includes(abbr)).map(({ abbr }) => {
      const company = ledger.companyOf(abbr)
      const creation = isOther ? '2026-06-30 23:59:59.000000' : company.creation
      return { name: company.name, company_name: company.name, abbr, creation, default_currency: company.currency }
    })
    return { name, rows, fields: new Set(['company_name', 'abbr', 'creation', 'default_currency']) }
  }
  if (name !== 'Account' && name !== 'GL Entry') return null
  const rows: Row[] = login.companies.flatMap((abbr) => ledger.booksOf(abbr)[name === 'Account' ? 'accounts' : 'entries'])
  return { name, rows, fields: name === 'Account' ? ACCOUNT_FIELDS : ENTRY_FIELDS }
}

const ACCOUNT_FIELDS = new Set([
  ...['account_name', 'account_number', 'company', 'root_type', 'report_type', 'account_type', 'parent_account', 'is_group'],
  ...['account_currency', 'disabled', 'freeze_account', 'balance_must_be', 'lft', 'creation', 'modified'],
])

const ENTRY_FIELDS = new Set([
  ...['account', 'debit', 'credit', 'posting_date', 'voucher_type', 'voucher_no', 'party_type', 'party', 'remarks', 'company'],
  ...['is_cancelled', 'account_currency', 'modified'],
])
