import { type Call, jsonReply } from '../bank-simulator.ts'
import type { Reply } from '../kit/http/response.ts'
import { hashHex } from '../kit/random.ts'
import { answerAccounts, keepUp, pageOf, toAccount } from './accounts.ts'
import { movementCount, movementNumber, statusAt, toMovement } from './book.ts'
import { type Parameters, readParameters, textOf } from './parameters.ts'
import type { Account, Session } from './state.ts'
import { failure, type StripeWorld } from './world.ts'

/** Source: https://docs.stripe.com/api/financial_connections/sessions/create */
const PERMISSIONS = new Set(['balances', 'ownership', 'payment_method', 'transactions'])
const PREFETCHED = new Set(['balances', 'ownership', 'transactions'])

/** The API's answer; null for a path that is none of its own. */
export function answerApi(world: StripeWorld, call: Call): Reply | null {
  if (!call.path.startsWith('/v1/')) return null
  if (world.context.take('invalidKey') || !isKey(world, call)) return failure(401, 'Invalid API Key provided')
  if (world.context.take('noPermission'))
    return failure(403, 'The provided key does not have the required permissions', { code: 'more_permissions_required' })
  const parameters = readParameters(call.query, call.body)
  const [, , area, kind, ...rest] = call.path.split('/').map(decodeURIComponent)
  if (area === 'customers' && call.method === 'POST') return createCustomer(world, call, parameters)
  if (area === 'customers' && kind === undefined) return pageOf(world, '/v1/customers', world.context.state.customers, parameters)
  if (area !== 'financial_connections') return failure(404, 'Unrecognized request URL')
  if (kind === 'sessions') return call.method === 'POST' ? createSession(world, parameters) : showSession(world, rest[0] ?? '')
  if (kind === 'accounts') return answerAccounts(world, call.method, rest, parameters)
  return kind === 'transactions' ? answerTransactions(world, rest[0], parameters) : failure(404, 'Unrecognized request URL')
}

/** As a bearer or as the user of Basic, as Stripe takes both. */
function isKey({ secretKey }: StripeWorld, { headers }: Call): boolean {
  const [, bearer] = /^Bearer (\S+)$/.exec(headers.authorization ?? '') ?? []
  const [, basic] = /^Basic (\S+)$/.exec(headers.authorization ?? '') ?? []
  return (
    (bearer ??
      Buffer.from(basic ?? '', 'base64')
        .toString()
        .replace(/:$/, '')) === secretKey
  )
}

function createCustomer({ context, seed }: StripeWorld, { headers }: Call, parameters: Parameters): Reply {
  const key = String(headers['idempotency-key'] ?? '')
  const metadata = Object.fromEntries(
    [...parameters].flatMap(([name, value]) => {
      const [, word] = /^metadata\[(\w+)\]$/.exec(name) ?? []
      return word === undefined ? [] : [[word, value]]
    }),
  )
  const known = context.state.customers.find((each) => key !== '' && each.key === key)
  const customer = known ?? { id: `cus_${hashHex(14, seed, 'customer', context.state.customers.length)}`, metadata, key }
  if (!known) context.state.customers.push(customer)
  context.save()
  return jsonReply(200, {
    id: customer.id,
    object: 'customer',
    livemode: false,
    metadata: customer.metadata,
    description: textOf(parameters, 'description'),
  })
}

function createSession(world: StripeWorld, parameters: Parameters): Reply {
  const { context, seed } = world
  const customer = textOf(parameters, 'account_holder[customer]') ?? ''
  if (!context.state.customers.some(({ id }) => id === customer))
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
  const id = `fcsess_${hashHex(24, seed, 'session', context.state.sessions.length)}`
  const session: Session = {
    id,
    clientSecret: `${id}_secret_${hashHex(24, seed, 'secret', context.state.sessions.length)}`,
    customer,
    permissions,
    prefetch,
    accountIds: [],
  }
  context.state.sessions.push(session)
  context.save()
  return jsonReply(200, toSession(world, session))
}

function showSession(world: StripeWorld, id: string): Reply {
  const session = world.context.state.sessions.find((each) => each.id === id)
  if (!session) return failure(404, `No such financial connections session: '${id}'`, { code: 'resource_missing', param: 'session' })
  return jsonReply(200, toSession(world, session))
}

/** The accounts of a session come in it, ten at most, as of any list in an object. */
export function toSession(world: StripeWorld, session: Session) {
  const accounts = world.context.state.accounts.filter(({ id }) => session.accountIds.includes(id))
  return {
    id: session.id,
    object: 'financial_connections.session',
    account_holder: { customer: session.customer, type: 'customer' },
    accounts: {
      object: 'list',
      data: accounts.slice(0, 10).map((account) => toAccount(world, account)),
      has_more: accounts.length > 10,
      url: '/v1/financial_connections/accounts',
    },
    client_secret: session.clientSecret,
    livemode: false,
    permissions: session.permissions,
    prefetch: session.prefetch,
  }
}

function answerTransactions(world: StripeWorld, id: string | undefined, parameters: Parameters): Reply {
  const wanted = textOf(parameters, 'account')
  if (id !== undefined) return showTransaction(world, id)
  const account = world.context.state.accounts.find((each) => each.id === wanted)
  if (!account) return failure(400, `No such account: '${wanted}'`, { code: 'resource_missing', param: 'account' })
  if (account.status === 'disconnected') return failure(400, 'The account was disconnected', { code: 'account_disconnected' })
  if (!account.permissions.includes('transactions')) return failure(400, 'The account does not share transactions')
  keepUp(world, account)
  const after = textOf(parameters, 'transaction_refresh[after]')
  const since = account.refreshes.find((refresh) => refresh.id === after)
  if (after !== null && !since)
    return failure(400, `No such refresh: '${after}'`, { code: 'resource_missing', param: 'transaction_refresh' })
  const numbers = Array.from({ length: movementCount(account) }, (_, index) => index).reverse()
  const changed = since ? numbers.filter((number) => hasChanged(account, number, since.at)) : numbers
  const rows = changed.map((number) => toMovement(account, number))
  return pageOf(world, '/v1/financial_connections/transactions', rows, parameters)
}

function hasChanged(account: Account, number: number, since: number): boolean {
  return statusAt(account, number, since) !== statusAt(account, number, account.refreshes.at(-1)?.at ?? 0)
}

function showTransaction({ context }: StripeWorld, id: string): Reply {
  for (const account of context.state.accounts) {
    const number = movementNumber(account, id)
    if (number !== null && number < movementCount(account)) return jsonReply(200, toMovement(account, number))
  }
  return failure(404, `No such transaction: '${id}'`, { code: 'resource_missing', param: 'transaction' })
}
