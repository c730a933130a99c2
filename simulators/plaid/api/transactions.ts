import type { Fields } from '../../kit/http/json-body.ts'
import { type Context, optionsOf, requireHealthyItem, requireInteger, requireText } from '../context.ts'
import { invalidField } from './failures.ts'
import { chosenAccounts } from './items.ts'
import { requireProduct } from './products.ts'
import { toAccountView, toItemView, toTransactionView } from './views.ts'

/**
 * /transactions/get: one page, newest first. Source: https://plaid.com/docs/api/products/transactions/#transactionsget
 */
export function getTransactions(context: Context, body: Fields): Fields {
  const item = requireHealthyItem(context, body)
  const [from, to] = [requireDay(body, 'start_date'), requireDay(body, 'end_date')]
  if (from > to) throw invalidField('start_date must not be after end_date')
  requireProduct(context, item, 'transactions')
  const options = optionsOf(body)
  const count = options.count === undefined ? 100 : requireInteger(options, 'count', 1, 500)
  const offset = options.offset === undefined ? 0 : requireInteger(options, 'offset', 0, 1_000_000)
  const accounts = chosenAccounts(item, body)
  const byId = new Map(accounts.map((account) => [account.accountId, account]))
  const found = item.transactions
    .filter(({ removedAt, accountId, day }) => removedAt === null && byId.has(accountId) && day >= from && day <= to)
    .sort((a, b) => (a.day < b.day ? 1 : a.day > b.day ? -1 : a.id < b.id ? -1 : 1))
  return {
    accounts: accounts.map(toAccountView),
    transactions: found.slice(offset, offset + count).map((entry) => toTransactionView(byId.get(entry.accountId), entry)),
    total_transactions: found.length,
    item: toItemView(context, item),
  }
}

function requireDay(body: Fields, name: string): string {
  const day = requireText(body, name)
  const isDay = /^\d{4}-\d\d-\d\d$/.test(day) && !Number.isNaN(Date.parse(day)) && new Date(day).toISOString().startsWith(day)
  if (!isDay) throw invalidField(`${name} must be a date in the format YYYY-MM-DD`)
  return day
}
