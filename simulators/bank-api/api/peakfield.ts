import { jsonReply, type Reply } from '../../kit/http/response.ts'
import type { Account } from '../data/customers.ts'
import { type BankCall, type Flavour, findAccount, findCustomer, listMovements, numberIn, pageOf } from './bank.ts'

const PRODUCTS: Readonly<Record<Account['kind'], readonly [group: string, product: string]>> = {
  chequing: ['Share', 'Checking'],
  savings: ['Share', 'Savings'],
  term: ['Share', 'Certificate'],
  card: ['Card', 'Visa'],
  loan: ['Loan', 'Business'],
  line: ['Loan', 'LineOfCredit'],
  odd: ['Escrow', 'Rent'],
}
const STATES = { open: 'Open', dormant: 'Dormant', closing: 'Restricted', closed: 'Closed', odd: 'UnderReview' } as const

/** Modelled on an Alkami API: `data` and `meta.nextCursor`, an API key besides the token, times as numbers. */
export const peakfield: Flavour = {
  key: 'bank-api-peakfield',
  apiPath: '/acc/v1',
  tokenPath: '/connect/token',
  discovery: false,
  headers: { apikey: 'sandbox-api-key' },
  throttled: problem(400, 'TooManyRequests'),
  answer(call) {
    const [, memberNumber = '', rest = ''] = /^\/members\/([^/]+)\/(.+)$/.exec(call.path) ?? []
    const member = findCustomer(memberNumber)
    if (!member) return problem(404, 'MemberNotFound')
    if (rest === 'verification') {
      return jsonReply(200, { member: { memberNumber, displayName: member.name, telephonePasscode: member.code } })
    }
    if (rest === 'accounts')
      return paged(
        call,
        member.accounts.map((account) => present(account, call.now)),
      )
    const account = findAccount(/^accounts\/([^/]+)\/activity$/.exec(rest)?.[1] ?? '')
    return account && member.accounts.includes(account) ? showActivity(call, account) : problem(404, 'AccountNotFound')
  },
}

function present(account: Account, now: Date): object {
  const { id, number, name, kind, status, currency, balance, rate, limit, dueOn, due, original } = account
  const [group, productType] = PRODUCTS[kind]
  return {
    id,
    nickname: name,
    description: productType,
    maskedNumber: `****${number.slice(-4)}`,
    state: STATES[status],
    class: group,
    productType,
    balance: amount(balance, currency),
    rate: rate === undefined ? null : rate / 10_000,
    credit: limit === undefined ? null : { limit: amount(limit, currency), available: amount(limit - balance, currency) },
    payment:
      dueOn && due !== undefined
        ? { dueAt: Date.UTC(dueOn[0], dueOn[1] - 1, dueOn[2]) / 1000, amount: amount(due, currency), minimum: amount(due, currency) }
        : null,
    originalAmount: original === undefined ? null : amount(original, currency),
    principal: group === 'Loan' ? amount(balance, currency) : null,
    asOf: now.getTime(),
  }
}

function showActivity(call: BankCall, account: Account): Reply {
  const from = new Date(call.query.get('from') ?? '1970-01-01T00:00:00Z')
  if (Number.isNaN(from.getTime())) return problem(400, 'BadRequest')
  const rows = listMovements(call, account, from).map((movement) => {
    const value = Number(movement.amount)
    return {
      id: movement.shownId,
      accountId: account.id,
      occurredAt: movement.at.toISOString(),
      postedAt: movement.isPending ? null : movement.bookedAt.toISOString(),
      credit: value > 0 ? value : null,
      debit: value > 0 ? null : Math.abs(value),
      memo: movement.memo,
      merchant: movement.displayName,
      category: movement.category,
      isPending: movement.isPending,
      balanceAfter: movement.isPending ? null : amount(account.balance, account.currency),
    }
  })
  return paged(call, rows)
}

function paged(call: BankCall, all: readonly object[]): Reply {
  const size = numberIn(call.query, 'limit', 20)
  const start = Number(/^c(\d+)$/.exec(call.query.get('cursor') ?? 'c0')?.[1] ?? Number.NaN)
  if (Number.isNaN(start) || size < 1) return problem(400, 'BadCursor')
  const { rows, end } = pageOf(call, all, { start, size })
  return jsonReply(200, { data: rows, meta: { count: rows.length, nextCursor: end < all.length ? `c${end}` : null } })
}

function amount(minor: number, currency: string): number {
  return currency === 'JPY' ? minor : minor / 100
}

function problem(status: number, errorCode: string): Reply {
  return jsonReply(status, { errorCode, correlationId: '0HN' })
}
