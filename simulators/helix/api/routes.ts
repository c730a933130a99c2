import { type BankContext, type Call, htmlReply, jsonReply, readBasic } from '../../kit/bank-simulator.ts'
import type { Reply } from '../../kit/http/response.ts'
import type { FaultName } from '../faults.ts'
import { type Account, KEYS, PROGRAM, type State, toMovement } from '../state.ts'

export type HelixContext = BankContext<State, FaultName>

const DEFAULT_SIZE = 200

export function isData({ path }: Call): boolean {
  return /^\/(customer|program|account|transaction)\//.test(path)
}

/** Source: https://github.com/socialmoney/corepro-sdk-csharp */
export function answerCall(context: HelixContext, call: Call): Reply {
  if (!isData(call)) return htmlReply(404, 'Not Found')
  const login = readBasic(call.headers)
  const key = login && KEYS[login.user]
  if (login && key && context.take('revoked')) {
    context.state.revoked.push(login.user)
    context.save()
  }
  const isRefused = !key || key.secret !== login.password || context.state.revoked.includes(login.user) || context.take('unauthorized')
  if (isRefused) return problem(401, 40100, 'The API key or secret is wrong.')
  if (!key.isAllowed || context.take('forbidden')) return problem(403, 40300, 'Your address is not allowed.')
  if (context.take('errorWith200')) return problem(200, 50122, 'The request could not be processed.', [])
  const [, resource, action, ...rest] = call.path.split('/')
  switch (`${resource}/${action}`) {
    case 'program/get':
      return envelope({ name: PROGRAM, timeZone: 'Eastern Standard Time', decimalCount: 2, allowedAccountType: 'Both' })
    case 'customer/get':
      return answerCustomer(context, Number(rest[0]))
    case 'account/list':
      return answerAccounts(context, Number(rest[0]))
    case 'transaction/list':
      return answerMovements(context, Number(rest[0]), Number(rest[1]), call.query)
    default:
      return problem(404, 40400, 'No such resource.')
  }
}

function answerCustomer(context: HelixContext, id: number): Reply {
  const customer = context.state.customers.find(({ customerId }) => customerId === id)
  if (!customer) return problem(404, 50404, `The customer ${id} does not exist.`)
  return envelope(context.take('wrongCustomer') ? { ...customer, createdDate: '2020-05-05T10:00:00.000-04:00' } : customer)
}

function answerAccounts(context: HelixContext, id: number): Reply {
  const accounts = context.state.accounts.filter(({ customerId }) => customerId === id).map(show)
  return envelope(context.take('schemaDrift') ? accounts.map(drifted) : accounts)
}

function show({ movements: _movements, ...account }: Account): Record<string, unknown> {
  return {
    ...account,
    accountNumberMasked: `********${account.accountNumber.slice(-4)}`,
    routingNumber: '091000019',
    routingNumberMasked: '*****0019',
    pendingBalance: 0,
    isPrimary: account.accountId === 5001,
    balanceLastModifiedDate: '2026-06-30T21:14:05.000-04:00',
    lastModifiedDate: '2026-06-30T21:14:05.000-04:00',
  }
}

function drifted(account: Record<string, unknown>, index: number): Record<string, unknown> {
  const drifts = [
    { ...account, type: 'Crypto', status: 'Frozen' },
    { ...account, accountBalance: { amount: 1 } },
    { accountId: account.accountId },
  ]
  return drifts[index] ?? account
}

/** Pages are counted from 0. */
function answerMovements({ state, take }: HelixContext, customerId: number, accountId: number, query: URLSearchParams): Reply {
  const account = state.accounts.find((each) => each.accountId === accountId && each.customerId === customerId)
  if (!account) return problem(404, 50404, `The account ${accountId} does not exist.`)
  const size = Math.min(DEFAULT_SIZE, Number(query.get('pageSize') ?? DEFAULT_SIZE))
  const wanted = Number(query.get('pageNumber') ?? 0)
  const page = wanted > 0 && take('repeatPage') ? wanted - 1 : wanted
  const count = Math.max(0, Math.min(size, account.movements - page * size))
  return envelope(Array.from({ length: count }, (_, index) => toMovement(account, page * size + index + 1, state.statuses)))
}

function envelope(data: unknown): Reply {
  return jsonReply(200, { data, errors: [], status: 200, requestId: 'a3f1c9d2-0000-4000-8000-000000000001' })
}

function problem(status: number, code: number, message: string, data: [] | null = null): Reply {
  return jsonReply(status, { data, errors: [{ code, message }], status, requestId: 'a3f1c9d2-0000-4000-8000-000000000002' })
}
