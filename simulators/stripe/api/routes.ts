import { type Call, jsonReply } from '../../kit/bank-simulator.ts'
import type { Reply } from '../../kit/http/response.ts'
import { hashHex } from '../../kit/random.ts'
import { type Context, failure } from '../context.ts'
import { movementCount, movementNumber, statusAt, toMovement } from '../data/movements.ts'
import type { Account, Session } from '../state.ts'
import { answerAccounts, keepUp, pageOf, toAccount } from './accounts.ts'
import { type Parameters, readParameters, textOf } from './parameters.ts'

/** Source: https://docs.stripe.com/api/financial_connections/sessions/create */
const PERMISSIONS = new Set(['balances', 'ownership', 'payment_method', 'transactions'])
const PREFETCHED = new Set(['balances', 'ownership', 'transactions'])

/** The API's reply; null for a path outside the API. */
export function answerApi(context: Context, call: Call): Reply | null {
  if (!call.path.startsWith('/v1/')) return null
  if (context.bank.take('invalidKey') || !isKey(context, call)) return failure(401, 'Invalid API Key provided')
  if (context.bank.take('noPermission'))
    return failure(403, 'The provided key does not have the required permissions', { code: 'more_permissions_required' })
  const parameters = readParameters(call.query, call.body)
  const [, , area, kind, ...rest] = call.path.split('/').map(decodeURIComponent)
  if (area === 'customers' && call.method === 'POST') return createCustomer(context, call, parameters)
  if (area === 'customers' && kind === undefined) return pageOf(context, '/v1/customers', context.bank.state.customers, parameters)
  if (area !== 'financial_connections') return failure(404, 'Unrecognized request URL')
  if (kind === 'sessions') return call.method === 'POST' ? createSession(context, parameters) : showSession(context, rest[0] ?? '')
  if (kind === 'accounts') return answerAccounts(context, call.method, rest, parameters)
  return kind === 'transactions' ? answerTransactions(context, rest[0], parameters) : failure(404, 'Unrecognized request URL')
}

/** Accepts the key as a bearer token or as the Basic user, as Stripe does. */
function isKey({ secretKey }: Context, { headers }: Call): boolean {
  const [, bearer] = /^Bearer (\S+)$/.exec(headers.authorization ?? '') ?? []
  const [, basic] = /^Basic (\S+)$/.exec(headers.authorization ?? '') ?? []
  return (
    (bearer ??
      Buffer.from(basic ?? '', 'base64')
        .toString()
        .replace(/:$/, '')) === secretKey
  )
}

function createCustomer({ bank, seed }: Context, { headers }: Call, parameters: Parameters): Reply {
  const key = String(headers['idempotency-key'] ?? '')
  const metadata = Object.fromEntries(
    [...parameters].flatMap(([name, value]) => {
      const [, word] = /^metadata\[(\w+)\]$/.exec(name) ?? []
      return word === undefined ? [] : [[word, value]]
    }),
  )
  const known = bank.state.customers.find((each) => key !== '' && each.key === key)
  const customer = known ?? { id: `cus_${hashHex(14, seed, 'customer', bank.state.customers.length)}`, metadata, key }
  if (!known) bank.state.customers.push(customer)
  bank.save()
  return jsonReply(200, {
    id: customer.id,
    object: 'customer',
    livemode: false,
    metadata: customer.metadata,
    description: textOf(parameters, 'description'),
  })
}

function createSession(context: Context, parameters: Parameters): Reply {
  const { bank, seed } = context
  const customer = textOf(parameters, 'account_holder[customer]') ?? ''
  if (!bank.state.customers.some(({ id }) => id === customer))
    return failure(400, `No such customer: '${customer}'`, { code: 'resource_missing', param: 'account_holder[customer]' })
  const permissions = parameters.getAll('permissions[]')
  if (permissions.length === 0)
    return failure(400, 'Missing required param: permissions.', { code: 'parameter_missing', param: 'permissions' })
  const unknown = permissions.find((permission) => !PERMISSIONS.has(permission))
  if (unknown !== undefined)
    return failure(400, `Invalid permissions: must be one of ${[...PERMISSIONS].join(', ')}`, { param: 'permissions' })
  const prefetch = parameters.getAll('prefetch[]')
  const wrong = prefetch.find((feature) => !PREFETCHED.has(feature) || !permissions.includes(feature))
  if (wrong !== undefined) return failure(400, `Invalid prefetch: ${wrong} is unknown or not among the permissions`, { param: 'prefetch' })
  const id = `fcsess_${hashHex(24, seed, 'session', bank.state.sessions.length)}`
  const session: Session = {
    id,
    clientSecret: `${id}_secret_${hashHex(24, seed, 'secret', bank.state.sessions.length)}`,
    customer,
    permissions,
    prefetch,
    accountIds: [],
  }
  bank.state.sessions.push(session)
  bank.save()
  return jsonReply(200, toSession(context, session))
}

function showSession(context: Context, id: string): Reply {
  const session = context.bank.state.sessions.find((each) => each.id === id)
  if (!session) return failure(404, `No such financial connections session: '${id}'`, { code: 'resource_missing', param: 'session' })
  return jsonReply(200, toSession(context, session))
}

/** A session includes its accounts, ten at most, like any nested list. */
export function toSession(context: Context, session: Session) {
  const accounts = context.bank.state.accounts.filter(({ id }) => session.accountIds.includes(id))
  return {
    id: session.id,
    object: 'financial_connections.session',
    account_holder: { customer: session.customer, type: 'customer' },
    accounts: {
      object: 'list',
      data: accounts.slice(0, 10).map((account) => toAccount(context, account)),
      has_more: accounts.length > 10,
      url: '/v1/financial_connections/accounts',
    },
    client_secret: session.clientSecret,
    livemode: false,
    permissions: session.permissions,
    prefetch: session.prefetch,
  }
}

function answerTransactions(context: Context, id: string | undefined, parameters: Parameters): Reply {
  const wanted = textOf(parameters, 'account')
  if (id !== undefined) return showTransaction(context, id)
  const account = context.bank.state.accounts.find((each) => each.id === wanted)
  if (!account) return failure(400, `No such account: '${wanted}'`, { code: 'resource_missing', param: 'account' })
  if (account.status === 'disconnected') return failure(400, 'The account was disconnected', { code: 'account_disconnected' })
  if (!account.permissions.includes('transactions')) return failure(400, 'The account does not share transactions')
  keepUp(context, account)
  const after = textOf(parameters, 'transaction_refresh[after]')
  const since = account.refreshes.find((refresh) => refresh.id === after)
  if (after !== null && !since)
    return failure(400, `No such refresh: '${after}'`, { code: 'resource_missing', param: 'transaction_refresh' })
  const numbers = Array.from({ length: movementCount(account) }, (_, index) => index).reverse()
  const changed = since ? numbers.filter((number) => hasChanged(account, number, since.at)) : numbers
  const rows = changed.map((number) => toMovement(account, number))
  return pageOf(context, '/v1/financial_connections/transactions', rows, parameters)
}

function hasChanged(account: Account, number: number, since: number): boolean {
  return statusAt(account, number, since) !== statusAt(account, number, account.refreshes.at(-1)?.at ?? 0)
}

function showTransaction({ bank }: Context, id: string): Reply {
  for (const account of bank.state.accounts) {
    const number = movementNumber(account, id)
    if (number !== null && number < movementCount(account)) return jsonReply(200, toMovement(account, number))
  }
  return failure(404, `No such transaction: '${id}'`, { code: 'resource_missing', param: 'transaction' })
}
