import type { Fields } from '../../kit/http/json-body.ts'
import { between, seededRandom } from '../../kit/random.ts'
import { type Context, requireHealthyItem } from '../context.ts'
import type { Account } from '../state.ts'
import { PlaidFailure } from './failures.ts'
import { chosenAccounts } from './items.ts'
import { requireProduct } from './products.ts'
import { toAccountView, toItemView } from './views.ts'

/** /auth/get: account and routing numbers of deposit accounts. Source: https://plaid.com/docs/api/products/auth/#authget */
export function getAuth(context: Context, body: Fields): Fields {
  const item = requireHealthyItem(context, body)
  requireProduct(context, item, 'auth')
  const accounts = chosenAccounts(item, body).filter(({ type }) => type === 'depository')
  if (accounts.length === 0) throw new PlaidFailure(400, 'ITEM_ERROR', 'NO_AUTH_ACCOUNTS', 'no accounts that can be debited were found')
  const institution = context.institution(item.institutionId)
  const routing = institution?.routingNumbers[0] ?? ''
  const isCanadian = institution?.country === 'CA'
  return {
    accounts: accounts.map(toAccountView),
    numbers: {
      ach: isCanadian
        ? []
        : accounts.map((account) => ({ account_id: account.accountId, account: accountNumber(account), routing, wire_routing: null })),
      eft: isCanadian ? accounts.map((account) => toEft(account, routing)) : [],
      international: [],
      bacs: [],
    },
    item: toItemView(context, item),
  }
}

/** A Canadian routing number is `0`, the three-digit institution number and the five-digit branch number. */
function toEft(account: Account, routing: string): Fields {
  return { account_id: account.accountId, account: accountNumber(account), institution: routing.slice(1, 4), branch: routing.slice(4) }
}

/** Eight digits and the mask, the same on every call. */
function accountNumber(account: Account): string {
  return `${between(seededRandom('number', account.accountId), 10_000_000, 99_999_999)}${account.mask ?? ''}`
}
