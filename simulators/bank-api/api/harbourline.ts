import { jsonReply, type Reply } from '../../kit/http/response.ts'
import { type Account, day, isLoan, major } from '../data/customers.ts'
import { type BankCall, type Flavour, findAccount, findCustomer, listMovements, numberIn, pageOf } from './bank.ts'

const GROUPS: Readonly<Record<Account['kind'], string>> = {
  chequing: 'CURRENT.ACCOUNTS',
  savings: 'SAVINGS.ACCOUNTS',
  term: 'DEPOSITS',
  card: 'CARDS',
  loan: 'SMALL.BUSINESS.LENDING',
  line: 'REVOLVING.LENDING',
  odd: 'TRUST.ACCOUNTS',
}
const STATUSES = { open: 'LIVE', dormant: 'DORMANT', closing: 'PENDING.CLOSURE', closed: 'CLOSE', odd: 'UNDER.REVIEW' } as const
const LOAN_STATUSES = { open: 'CURRENT', dormant: 'CURRENT', closing: 'PENDING.CLOSURE', closed: 'EXPIRED', odd: 'AUTH' } as const

/** Modelled on Temenos Transact: `header` with paging, `body` with rows; amounts owed are negative. */
export const harbourline: Flavour = {
  key: 'bank-api-harbourline',
  apiPath: '/irf-provider-container/api/v2.0.0',
  tokenPath: '/oauth2/token',
  discovery: false,
  headers: {},
  throttled: problem(400, 'TGVCP-429'),
  answer(call) {
    const { path, query } = call
    const customer = /^\/party\/customers\/(\d+)$/.exec(path)?.[1]
    if (customer !== undefined) return showCustomer(customer)
    if (path === '/holdings/accounts') return showAccounts(call, query.get('customerId') ?? '', false)
    if (path === '/holdings/loans') return showAccounts(call, query.get('customerId') ?? '', true)
    const [, id, part] = /^\/holdings\/accounts\/([^/]+)\/(balances|transactions)$/.exec(path) ?? []
    const account = findAccount(id ?? '')
    if (!account || isLoan(account)) return problem(404, 'TGVCP-404')
    return part === 'balances' ? showBalances(call, account) : showTransactions(call, account)
  },
}

function showCustomer(id: string): Reply {
  const customer = findCustomer(id)
  if (!customer) return problem(404, 'TGVCP-404')
  const { name, postalCode, registration } = customer
  return jsonReply(200, {
    header: { status: 'success', total_size: 1 },
    body: [{ customerId: id, displayName: name, legalId: registration, address: { postCode: postalCode } }],
  })
}

function showAccounts(call: BankCall, customerId: string, loans: boolean): Reply {
  const accounts = (findCustomer(customerId)?.accounts ?? []).filter((account) => isLoan(account) === loans)
  return paged(
    call,
    accounts.map((account) => (loans ? presentLoan(account) : presentAccount(account))),
  )
}

function presentAccount(account: Account): object {
  const { id, number, name, kind, status, currency, balance, rate, maturesOn } = account
  return {
    accountId: id,
    accountNumber: number,
    shortTitle: name,
    productName: GROUPS[kind].toLowerCase().replace('.', ' '),
    productGroup: GROUPS[kind],
    segment: 'CORPORATE',
    accountStatus: STATUSES[status],
    currencyId: currency,
    workingBalance: major(balance, currency),
    interestRate: rate === undefined ? null : rate / 100,
    maturityDate: maturesOn ? day(maturesOn) : null,
    maturityAmount: kind === 'term' ? major(Math.round(balance * 1.07), currency) : null,
  }
}

function presentLoan(account: Account): object {
  const { id, number, name, kind, status, currency, balance, rate, dueOn, due, maturesOn, original } = account
  return {
    arrangementId: id,
    accountNumber: number,
    productName: name,
    productGroup: GROUPS[kind],
    segment: 'CORPORATE',
    arrangementStatus: LOAN_STATUSES[status],
    currencyId: currency,
    interestRate: rate === undefined ? null : `${rate / 100}%`,
    nextPaymentDate: dueOn ? day(dueOn) : null,
    nextPaymentAmount: due === undefined ? null : major(due, currency),
    maturityDate: maturesOn ? day(maturesOn) : null,
    commitmentAmount: original === undefined ? null : major(original, currency),
    outstandingPrincipal: major(-balance, currency),
    totalOutstanding: major(-balance, currency),
  }
}

function showBalances({ now, faults }: BankCall, { balance, currency, limit }: Account): Reply {
  if (faults.take('noDetails')) return problem(404, 'TGVCP-404')
  return jsonReply(200, {
    header: { status: 'success', total_size: 1 },
    body: [
      {
        onlineActualBalance: major(balance, currency),
        creditLimit: limit === undefined ? null : major(limit, currency),
        creditAvailable: limit === undefined ? null : major(limit - balance, currency),
        asOf: now.toISOString(),
      },
    ],
  })
}

function showTransactions(call: BankCall, account: Account): Reply {
  const from = new Date(`${call.query.get('dateFrom') ?? '1970-01-01'}T00:00:00Z`)
  if (Number.isNaN(from.getTime())) return problem(400, 'TGVCP-400')
  const rows = listMovements(call, account, from).map((movement) => ({
    transactionReference: movement.shownId,
    accountId: account.id,
    bookingDate: movement.isPending ? null : movement.at.toISOString().slice(0, 10),
    valueDate: movement.at.toISOString().slice(0, 10),
    transactionAmount: movement.amount.replace('-', ''),
    debitCreditIndicator: movement.amount.startsWith('-') ? 'D' : 'C',
    currencyId: account.currency,
    narrative: movement.memo,
    transactionType: movement.category,
    status: movement.isPending ? 'LOCKED' : 'BOOKED',
    counterparty: { name: movement.displayName },
    runningBalance: movement.isPending ? null : major(account.balance, account.currency),
  }))
  return paged(call, rows)
}

/** `page_start` counts pages from 1; the token of the first page must be sent with all later ones. */
function paged(call: BankCall, all: readonly object[]): Reply {
  const size = numberIn(call.query, 'page_size', 25)
  const page = numberIn(call.query, 'page_start', 1)
  const token = `tok-${all.length}-${size}`
  if (size < 1 || page < 1 || (page > 1 && call.query.get('page_token') !== token)) return problem(400, 'TGVCP-400')
  const { rows } = pageOf(call, all, { start: (page - 1) * size, size })
  return jsonReply(200, {
    header: { page_size: size, page_start: page, page_token: token, total_size: all.length, status: 'success' },
    body: rows,
  })
}

function problem(status: number, code: string): Reply {
  return jsonReply(status, { header: { status: 'failed' }, error: { code, type: 'BUSINESS' } })
}
