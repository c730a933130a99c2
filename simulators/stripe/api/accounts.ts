import { jsonReply } from '../../kit/bank-simulator.ts'
import type { Reply } from '../../kit/http/response.ts'
import { hashHex } from '../../kit/random.ts'
import { type Context, failure, secondsOf } from '../context.ts'
import { DAY_SECONDS } from '../data/movements.ts'
import type { Account } from '../state.ts'
import { type Parameters, textOf } from './parameters.ts'

/** Source: https://docs.stripe.com/api/financial_connections/accounts/refresh */
const REFRESHED = ['balance', 'ownership', 'transactions']
/** Source: https://docs.stripe.com/api/financial_connections/accounts/subscribe */
const SUBSCRIBED = ['transactions']
/** Duration of a balance refresh. */
const REFRESH_SECONDS = 60

/** `/v1/financial_connections/accounts` and the paths below it. */
export function answerAccounts(context: Context, method: string, path: readonly string[], parameters: Parameters): Reply {
  const { bank } = context
  const [id, what] = path
  if (id === undefined) return listAccounts(context, parameters)
  const account = bank.state.accounts.find((each) => each.id === id)
  if (!account) return failure(404, `No such financial connections account: '${id}'`, { code: 'resource_missing', param: 'account' })
  keepUp(context, account)
  if (what === undefined) return jsonReply(200, toAccount(context, account))
  if (method !== 'POST') return failure(405, 'This has to be a POST')
  if (what === 'disconnect') return disconnect(context, account)
  if (account.status !== 'active' || bank.take('accountInactive'))
    return failure(400, 'The account is inactive', { code: 'financial_connections_account_inactive' })
  const features = parameters.getAll('features[]')
  if (features.length === 0) return failure(400, 'Missing required param: features.', { code: 'parameter_missing', param: 'features' })
  const known = what === 'refresh' ? REFRESHED : SUBSCRIBED
  if (features.some((feature) => !known.includes(feature)))
    return failure(400, `Invalid features: must be one of ${known.join(', ')}`, { param: 'features' })
  return change(context, account, what, features)
}

function change(context: Context, account: Account, what: string, features: readonly string[]): Reply {
  const now = secondsOf(context.bank.now())
  if (what === 'subscribe') account.subscriptions = [...new Set([...account.subscriptions, ...features])]
  else if (what === 'unsubscribe') account.subscriptions = account.subscriptions.filter((each) => !features.includes(each))
  else if (what === 'refresh') {
    if (features.includes('balance')) account.balanceAskedAt = now
    if (features.includes('transactions')) addRefresh(account, now)
  } else return failure(404, `Unrecognized request URL (${what})`)
  context.bank.save()
  return jsonReply(200, toAccount(context, account))
}

function disconnect(context: Context, account: Account): Reply {
  account.status = 'disconnected'
  account.subscriptions = []
  context.bank.save()
  return jsonReply(200, toAccount(context, account))
}

export function addRefresh(account: Account, at: number): void {
  account.refreshes.push({ id: `fctxnref_${hashHex(24, account.id, account.refreshes.length)}`, at })
}

/** Refreshes subscribed accounts once a day. */
export function keepUp({ bank }: Context, account: Account): void {
  const now = secondsOf(bank.now())
  const last = account.refreshes.at(-1)?.at ?? 0
  if (account.status === 'active' && account.subscriptions.includes('transactions') && now - last >= DAY_SECONDS) addRefresh(account, now)
}

function listAccounts(context: Context, parameters: Parameters): Reply {
  const { bank } = context
  const customer = textOf(parameters, 'account_holder[customer]')
  const session = textOf(parameters, 'session')
  if (customer !== null && !bank.state.customers.some(({ id }) => id === customer))
    return failure(400, `No such customer: '${customer}'`, { code: 'resource_missing', param: 'account_holder[customer]' })
  const ofSession = bank.state.sessions.find(({ id }) => id === session)?.accountIds
  const isWanted = (account: Account) =>
    (customer === null || account.customer === customer) && (!ofSession || ofSession.includes(account.id))
  const accounts = bank.state.accounts.filter(isWanted).toReversed()
  for (const account of accounts) keepUp(context, account)
  const isRevoked = bank.take('revoked')
  const rows = accounts.map((account) => ({ ...toAccount(context, account), ...(isRevoked ? { status: 'disconnected' } : {}) }))
  return pageOf(context, '/v1/financial_connections/accounts', rows, parameters)
}

/** A page of a Stripe list. Source: https://docs.stripe.com/api/pagination */
export function pageOf({ bank }: Context, url: string, rows: readonly { id: string }[], parameters: Parameters): Reply {
  const limit = Number(textOf(parameters, 'limit') ?? '10')
  if (!Number.isInteger(limit) || limit < 1 || limit > 100) return failure(400, 'Invalid integer', { param: 'limit' })
  const after = textOf(parameters, 'starting_after')
  const place = after === null ? -1 : rows.findIndex(({ id }) => id === after)
  if ((after !== null && place < 0) || (after !== null && bank.take('placeGone')))
    return failure(400, `No such object: '${after}'`, { code: 'resource_missing', param: 'starting_after' })
  const first = after !== null && bank.take('repeatedPage') ? Math.max(0, place + 1 - limit) : place + 1
  return jsonReply(200, { object: 'list', data: rows.slice(first, first + limit), has_more: first + limit < rows.length, url })
}

export function toAccount({ bank }: Context, account: Account) {
  const now = secondsOf(bank.now())
  const isRefreshing = now - account.balanceAskedAt < REFRESH_SECONDS && account.balanceAskedAt !== account.createdAt
  const refresh = account.refreshes.at(-1)
  const isCredit = account.category === 'credit'
  const amount = account.balance === null ? null : { [account.currency]: account.balance }
  return {
    id: account.id,
    object: 'financial_connections.account',
    account_holder: { customer: account.customer, type: 'customer' },
    account_numbers: null,
    balance: amount && {
      as_of: account.balanceAskedAt,
      current: amount,
      type: isCredit ? 'credit' : 'cash',
      ...(isCredit ? { credit: { used: amount } } : { cash: { available: amount } }),
    },
    balance_refresh: {
      last_attempted_at: account.balanceAskedAt,
      next_refresh_available_at: isRefreshing ? null : account.balanceAskedAt + 3_600,
      status: isRefreshing ? 'pending' : 'succeeded',
    },
    category: account.category,
    created: account.createdAt,
    display_name: account.name,
    institution_name: account.institution,
    last4: account.last4,
    livemode: false,
    ownership: null,
    ownership_refresh: null,
    permissions: account.permissions,
    status: account.status,
    status_details:
      account.status === 'inactive' ? {} : { active: { action: 'none', cause: 'unspecified', expected_deactivation_date: 0 } },
    subcategory: account.subcategory,
    subscriptions: account.subscriptions,
    supported_payment_method_types: account.category === 'cash' ? ['us_bank_account'] : [],
    transaction_refresh: refresh
      ? { id: refresh.id, last_attempted_at: refresh.at, next_refresh_available_at: null, status: 'succeeded' }
      : null,
  }
}
