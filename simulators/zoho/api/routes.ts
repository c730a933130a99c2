import type { Row } from '../../kit/data/edited-list.ts'
import type { Faults } from '../../kit/faults.ts'
import type { Reply } from '../../kit/http/response.ts'
import { toListRow } from '../data/journal.ts'
import type { Books } from '../data/ledger.ts'
import type { FaultName } from '../faults.ts'
import { dataReply, errorReply, REFUSED } from './replies.ts'
import { toDriftedRows } from './schema-drift.ts'

export interface BooksCall {
  method: string
  /** Path below /books/v3/. */
  path: string
  query: URLSearchParams
  books: Books
  faults: Faults<FaultName>
}

const MOST_ROWS = 200

/** Group of an account_type, for `filter_by`. */
const GROUPS: Readonly<Record<string, RegExp>> = {
  Asset: /asset$|^(cash|bank|stock|accounts_receivable)$/,
  Liability: /liability$|^(credit_card|accounts_payable|loans_and_borrowing)$/,
  Equity: /^equity$/,
  Income: /income$/,
  Expense: /expense$|^cost_of_goods_sold$/,
}

/** Handles one authorized call to the books of an organization. */
export function callBooks(call: BooksCall): Reply {
  const [resource, id] = call.path.split('/')
  if (call.method !== 'GET') return errorReply(405, 10, 'This method is not simulated')
  if (resource === 'chartofaccounts') return id === undefined ? listAccounts(call) : oneAccount(call, id)
  if (resource === 'bankaccounts' && id === undefined) return listBankAccounts(call)
  if (resource === 'journals') {
    if (call.faults.take('journalsRefused')) return REFUSED
    return id === undefined ? listJournals(call) : oneJournal(call, id)
  }
  return errorReply(404, 5, 'Invalid URL Passed')
}

/** Active accounts only, unless the filter says otherwise. */
function listAccounts(call: BooksCall): Reply {
  const filter = call.query.get('filter_by') ?? 'AccountType.Active'
  const group = filter.replace('AccountType.', '')
  const pattern = GROUPS[group]
  if (!['All', 'Active', 'Inactive'].includes(group) && !pattern) return errorReply(400, 2, 'Invalid value passed for filter_by')
  const column = call.query.get('sort_column') ?? 'account_name'
  if (!['account_name', 'account_type'].includes(column)) return errorReply(400, 2, 'Invalid value passed for sort_column')
  const rows = changedSince(call, call.books.accounts.rows).filter((row) =>
    pattern ? pattern.test(String(row.account_type)) : group === 'All' || row.is_active === (group === 'Active'),
  )
  const sorted = sortedBy(rows, column, 'account_id')
  const doubled = call.faults.take('duplicateIds') ? [...sorted, ...sorted.slice(0, 3)] : sorted
  const shown = call.faults.take('schemaDrift') ? toDriftedRows(doubled) : doubled
  const withBalance = call.query.get('showbalance') === 'true'
  const context = { report_name: 'Chart of Accounts', applied_filter: filter, sort_column: column, sort_order: 'A' }
  return page(call, 'chartofaccounts', shown, context, ({ current_balance, ...row }) => (withBalance ? { ...row, current_balance } : row))
}

/** Bank accounts and cards, with the property that only this list has: the currency. */
function listBankAccounts(call: BooksCall): Reply {
  const { organization, accounts } = call.books
  const rows = accounts.rows.filter((row) => row.account_type === 'bank' || row.account_type === 'credit_card')
  const shown = rows.map((row) => ({
    account_id: row.account_id,
    account_name: row.account_name,
    account_code: row.account_code,
    account_type: row.account_type,
    currency_code: organization.foreign?.[String(row.account_code)] ?? organization.currency,
    is_active: row.is_active,
  }))
  return page(call, 'bankaccounts', shown, { report_name: 'Bank Accounts' }, (row) => row)
}

/** Newest first. */
function listJournals(call: BooksCall): Reply {
  const rows = sortedBy(changedSince(call, call.books.journals.rows), 'journal_date', 'journal_id').reverse()
  const context = { report_name: 'Manual Journals', applied_filter: 'JournalDate.All', sort_column: 'journal_date', sort_order: 'D' }
  return page(call, 'journals', rows, context, toListRow)
}

function oneAccount(call: BooksCall, id: string): Reply {
  const row = call.books.accounts.rows.find(({ account_id }) => account_id === id)
  return row ? dataReply({ chart_of_account: { ...row, closing_balance: 0 } }) : errorReply(404, 1002, 'Account does not exist.')
}

function oneJournal(call: BooksCall, id: string): Reply {
  const row = call.books.journals.rows.find(({ journal_id }) => journal_id === id)
  return row ? dataReply({ journal: row }) : errorReply(404, 1002, 'Journal does not exist.')
}

function page(call: BooksCall, name: string, rows: readonly Row[], context: object, toShown: (row: Row) => Row): Reply {
  const asked = Number(call.query.get('page') ?? '1')
  const perPage = Math.min(MOST_ROWS, Number(call.query.get('per_page') ?? String(MOST_ROWS)))
  if (!Number.isSafeInteger(asked) || asked < 1 || !Number.isSafeInteger(perPage) || perPage < 1) {
    return errorReply(400, 2, 'Invalid value passed for page')
  }
  const isLater = asked > 1
  const repeats = isLater && call.faults.take('repeatPage')
  const isFirst = isLater && call.faults.take('wrongPage')
  const shown = isFirst ? 1 : repeats ? asked - 1 : asked
  const listed = rows.slice((shown - 1) * perPage, shown * perPage).map(toShown)
  const page_context = { page: isFirst ? 1 : asked, per_page: perPage, has_more_page: shown * perPage < rows.length, ...context }
  return dataReply({ [name]: listed, ...(call.faults.take('noPageContext') ? {} : { page_context }) })
}

/** `last_modified_time=2013-01-17T15:27:23+0530`: rows changed at or after that instant. */
function changedSince(call: BooksCall, rows: readonly Row[]): Row[] {
  const sinceMs = Date.parse(call.query.get('last_modified_time') ?? '')
  return rows.filter((row) => Number.isNaN(sinceMs) || Date.parse(String(row.last_modified_time)) >= sinceMs)
}

/** Cached descending order by column: the pages of a long list share one sort while its rows are unchanged. */
const sortings = new Map<string, { of: readonly Row[]; sorted: Row[] }>()

function sortedBy(rows: readonly Row[], column: string, tieBreaker: string): Row[] {
  const known = sortings.get(`${column} ${tieBreaker}`)
  if (known && known.of.length === rows.length && known.of.every((row, index) => row === rows[index])) return [...known.sorted]
  const sorted = sortRows(rows, column, tieBreaker)
  sortings.set(`${column} ${tieBreaker}`, { of: [...rows], sorted })
  return [...sorted]
}

function sortRows(rows: readonly Row[], column: string, tieBreaker: string): Row[] {
  const keyed = rows.map((row) => ({ row, key: `${row[column]}\u0001${row[tieBreaker]}` }))
  return keyed.sort((a, b) => (a.key < b.key ? -1 : 1)).map(({ row }) => row)
}
