import type { Reply } from '../../kit/http/response.ts'
import type { Row } from '../data/chart.ts'
import { listPostings, type Posting } from '../data/postings.ts'
import type { CompanyCall } from './call.ts'
import { faultReply, jsonReply } from './replies.ts'

interface Period {
  from: string
  to: string
}

/** Column of a report: title, type and key. */
type Column = readonly [title: string, type: string, key: string]

const TRIAL_BALANCE_COLUMNS: readonly Column[] = [
  ['', 'Account', 'account'],
  ['Debit', 'Money', 'debit'],
  ['Credit', 'Money', 'credit'],
]

const GENERAL_LEDGER_COLUMNS: readonly Column[] = [
  ['Date', 'Date', 'tx_date'],
  ['Transaction Type', 'String', 'txn_type'],
  ['Num', 'String', 'doc_num'],
  ['Name', 'String', 'name'],
  ['Memo/Description', 'String', 'memo'],
  ['Split', 'String', 'split_acc'],
  ['Amount', 'Money', 'subt_nat_amount'],
  ['Balance', 'Money', 'rbal_nat_amount'],
]

/**
 * GET /v3/company/{realmId}/reports/{name}: TrialBalance and GeneralLedger, always as JSON, computed from the journal
 * entries; null for another name. Defaults to the month to date.
 * Source: https://developer.intuit.com/app/developer/qbo/docs/api/accounting/report-entities/trialbalance and
 * …/generalledger
 */
export function answerReport(call: CompanyCall, name: string): Reply | null {
  if (name !== 'TrialBalance' && name !== 'GeneralLedger') return null
  const period = readPeriod(call)
  if (!period) {
    const Detail = 'start_date and end_date have to be dates as YYYY-MM-DD, in order'
    return faultReply(call.request, call.now, 400, { Message: 'Invalid Date format', Detail, code: '2140' })
  }
  const [columns, rows] =
    name === 'TrialBalance' ? [TRIAL_BALANCE_COLUMNS, trialBalance(call, period)] : [GENERAL_LEDGER_COLUMNS, generalLedger(call, period)]
  return jsonReply(200, { Header: toHeader(call, name, period, rows.length === 0), Columns: toColumns(columns), Rows: { Row: rows } })
}

function readPeriod({ query, now }: CompanyCall): Period | null {
  const today = now.toISOString().slice(0, 10)
  const to = query.get('end_date') ?? today
  const from = query.get('start_date') ?? `${to.slice(0, 8)}01`
  return isDay(from) && isDay(to) && from <= to ? { from, to } : null
}

function isDay(text: string): boolean {
  const at = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text)
}

/** Accounts with a balance at the end of the period, in the Debit or the Credit column. */
function trialBalance({ books }: CompanyCall, { to }: Period): object[] {
  const balances = sumByAccount(listPostings(books.entries).filter(({ day }) => day <= to))
  const rows = books.accounts.filter(({ Id }) => (balances.get(Id) ?? 0) !== 0)
  if (rows.length === 0) return []
  const total = (sign: 1 | -1) => [...balances.values()].reduce((sum, cents) => sum + Math.max(0, sign * cents), 0)
  return [
    ...rows.map((account) => {
      const cents = balances.get(account.Id) ?? 0
      return data([
        { value: nameOf(account), id: account.Id },
        ...[1, -1].map((sign) => ({ value: sign * cents > 0 ? toText(sign * cents) : '' })),
      ])
    }),
    {
      Summary: data([{ value: 'TOTAL' }, { value: toText(total(1)) }, { value: toText(total(-1)) }]),
      type: 'Section',
      group: 'GrandTotal',
    },
  ]
}

/**
 * A section for each account with postings or a balance: the opening balance, each posting with the running balance,
 * the total.
 */
function generalLedger({ books, query }: CompanyCall, { from, to }: Period): object[] {
  const wanted = query.get('account')?.split(',') ?? null
  const postings = listPostings(books.entries).filter(({ day }) => day <= to)
  const opening = sumByAccount(postings.filter(({ day }) => day < from))
  return books.accounts
    .filter(({ Id }) => wanted === null || wanted.includes(Id))
    .flatMap((account) => {
      const own = postings.filter(({ accountId, day }) => accountId === account.Id && day >= from)
      const start = opening.get(account.Id) ?? 0
      return own.length === 0 && start === 0 ? [] : [toSection(account, own, start)]
    })
}

function toSection(account: Row, postings: readonly Posting[], opening: number): object {
  let balance = opening
  const rows = postings.map((posting) => {
    balance += posting.cents
    const values = [
      posting.day,
      'Journal Entry',
      posting.number,
      posting.name,
      posting.memo,
      posting.split,
      toText(posting.cents),
      toText(balance),
    ]
    return { ...data(values.map((value, index) => (index === 1 ? { value, id: posting.entryId } : { value }))), type: 'Data' }
  })
  const brought = opening === 0 ? [] : [{ ...data(lastOfColumns('Beginning Balance', toText(opening))), type: 'Data' }]
  return {
    Header: data([{ value: nameOf(account), id: account.Id }, ...lastOfColumns('', '').slice(1)]),
    Rows: { Row: [...brought, ...rows] },
    Summary: data(lastOfColumns(`Total for ${nameOf(account)}`, '', toText(balance - opening))),
    type: 'Section',
  }
}

/** A row with values in its first and last two columns. */
function lastOfColumns(first: string, balance: string, amount = ''): { value: string }[] {
  return [first, '', '', '', '', '', amount, balance].map((value) => ({ value }))
}

function sumByAccount(postings: readonly Posting[]): Map<string, number> {
  const sums = new Map<string, number>()
  for (const { accountId, cents } of postings) sums.set(accountId, (sums.get(accountId) ?? 0) + cents)
  return sums
}

function toHeader({ now, books }: CompanyCall, name: string, { from, to }: Period, isEmpty: boolean): object {
  return {
    Time: now.toISOString(),
    ReportName: name,
    ReportBasis: 'Accrual',
    StartPeriod: from,
    EndPeriod: to,
    ...(name === 'TrialBalance' ? { SummarizeColumnsBy: 'Total' } : {}),
    Currency: books.info.Country === 'CA' ? 'CAD' : 'USD',
    Option: [{ Name: 'NoReportData', Value: String(isEmpty) }],
  }
}

function toColumns(columns: readonly Column[]): object {
  return { Column: columns.map(([ColTitle, ColType, Value]) => ({ ColTitle, ColType, MetaData: [{ Name: 'ColKey', Value }] })) }
}

function data(ColData: readonly { value: string; id?: string }[]): object {
  return { ColData }
}

function nameOf(account: Row): string {
  return String(account.FullyQualifiedName ?? account.Name)
}

function toText(cents: number): string {
  return `${cents < 0 ? '-' : ''}${Math.floor(Math.abs(cents) / 100)}.${String(Math.abs(cents) % 100).padStart(2, '0')}`
}
