import { type BankContext, type Call, jsonReply, readBasic, textReply } from '../../kit/bank-simulator.ts'
import type { Reply } from '../../kit/http/response.ts'
import type { Day } from '../data/day.ts'
import { accountNo, type Loan, loanDetails, toStatus } from '../data/loans.ts'
import { countMovements, listMovements, type Savings, savingsDetails, savingsLine } from '../data/savings.ts'
import type { FaultName } from '../faults.ts'
import { OAUTH, type State, USERS } from '../state.ts'

export type FineractContext = BankContext<State, FaultName> & { hasSearch: boolean }

const TOKEN_LIFE_S = 300
const API = '/fineract-provider/api/v1/'

export function isData({ path }: Call): boolean {
  return path.startsWith(API)
}

export function answerCall(context: FineractContext, call: Call): Reply {
  if (call.path === '/realms/fineract/protocol/openid-connect/token') return answerToken(context, call)
  if (!isData(call)) return textReply(404, 'Not Found')
  const user = findUser(context, call)
  // The tenant is checked before the login.
  if (call.headers['fineract-platform-tenantid'] !== 'default') return textReply(400, 'Invalid tenant details were supplied')
  if (user !== null && context.take('revoked')) {
    context.state.revoked.push(user)
    context.save()
  }
  if (user === null || context.state.revoked.includes(user) || context.take('unauthorized')) {
    return problem(401, 'error.msg.not.authenticated', 'Unauthenticated. Please login.')
  }
  if (!USERS[user]?.mayRead || context.take('forbidden')) return problem(403, 'error.msg.not.authorized', 'Insufficient privileges')
  return answerResource(context, call.path.slice(API.length).split('/'), call)
}

/** Password grant of Keycloak. */
function answerToken(context: FineractContext, { method, body }: Call): Reply {
  const form = new URLSearchParams(body)
  if (method !== 'POST' || form.get('client_id') !== OAUTH.client || form.get('client_secret') !== OAUTH.secret) {
    return jsonReply(401, { error: 'unauthorized_client', error_description: 'Invalid client or Invalid client credentials' })
  }
  const user = form.get('username') ?? ''
  if (USERS[user]?.password !== form.get('password') || context.state.revoked.includes(user)) {
    return jsonReply(400, { error: 'invalid_grant', error_description: 'Invalid user credentials' })
  }
  const token = `sandbox-token-${Object.keys(context.state.tokens).length + 1}-${context.now().getTime()}`
  context.state.tokens[token] = { user, endsAt: context.now().getTime() + TOKEN_LIFE_S * 1000 }
  context.save()
  return jsonReply(200, { access_token: token, expires_in: TOKEN_LIFE_S, token_type: 'Bearer', scope: 'email profile' })
}

function findUser({ state, now }: FineractContext, { headers }: Call): string | null {
  const token = /^Bearer (\S+)$/.exec(headers.authorization ?? '')?.[1]
  const held = token === undefined ? undefined : state.tokens[token]
  if (held) return held.endsAt > now().getTime() ? held.user : null
  const basic = readBasic(headers)
  return basic && USERS[basic.user]?.password === basic.password ? basic.user : null
}

function answerResource(context: FineractContext, [resource = '', id = '', ...rest]: string[], call: Call): Reply {
  const { state } = context
  if (resource === 'clients') return answerClient(context, Number(id), rest[0])
  if (resource === 'loans') {
    const loan = state.loans.find((each) => String(each.id) === id)
    return loan && !context.take('gone') ? jsonReply(200, drifted(context, loanAnswer(context, loan, call))) : missing('loan')
  }
  const kind = { savingsaccounts: 'savings', fixeddepositaccounts: 'fixed', recurringdepositaccounts: 'recurring' }[resource]
  const savings = state.savings.find((each) => String(each.id) === id && each.kind === kind)
  if (!savings || (rest.length === 0 && context.take('gone'))) return missing('savings')
  if (rest[0] === 'transactions') return rest[1] === 'search' && context.hasSearch ? search(context, savings, call) : missing('transaction')
  const movements = call.query.get('associations') === 'transactions' ? { transactions: listMovements(savings) } : {}
  return jsonReply(200, drifted(context, { ...savingsDetails(savings), ...movements }))
}

function answerClient(context: FineractContext, id: number, part: string | undefined): Reply {
  const client = context.state.clients.find((each) => each.id === id)
  if (!client) return missing('client')
  if (part === 'accounts') {
    const loans = context.state.loans.filter(({ clientId }) => clientId === id).map(loanLine)
    const savings = context.state.savings.filter(({ clientId }) => clientId === id).map(savingsLine)
    // An empty list is omitted.
    return jsonReply(200, { ...(loans.length ? { loanAccounts: loans } : {}), ...(savings.length ? { savingsAccounts: savings } : {}) })
  }
  const activationDate = context.take('wrongClient') ? [2019, 2, 28] : client.activationDate
  return jsonReply(200, { ...client, activationDate, active: true, status: { id: 300, code: 'clientStatusType.active', value: 'Active' } })
}

function loanLine(loan: Loan) {
  return {
    id: loan.id,
    accountNo: accountNo(loan.id),
    productName: loan.product,
    status: toStatus('loanStatusType', loan.status),
    loanType: { id: 1, code: 'accountType.individual', value: 'Individual' },
  }
}

function loanAnswer(context: FineractContext, loan: Loan, { query }: Call): Record<string, unknown> {
  const now = context.now()
  const today: Day = [now.getUTCFullYear(), now.getUTCMonth() + 1, now.getUTCDate()]
  const { repaymentSchedule, ...details } = loanDetails(loan, today)
  const wanted = (query.get('associations') ?? '').split(',')
  return {
    ...details,
    ...(wanted.includes('repaymentSchedule') && repaymentSchedule ? { repaymentSchedule } : {}),
    ...(wanted.includes('transactions') && loan.movements.length ? { transactions: loan.movements } : {}),
  }
}

/** Source: SavingsAccountTransactionsApiResource.searchTransactions */
function search(context: FineractContext, savings: Savings, { query }: Call): Reply {
  if (query.get('orderBy') !== 'id' || query.get('sortOrder') !== 'ASC') return problem(400, 'validation.msg.unsupported', 'Sort by id')
  const limit = Number(query.get('limit') ?? 50)
  const wanted = Number(query.get('offset') ?? 0)
  const offset = wanted > 0 && context.take('repeatPage') ? wanted - limit : wanted
  return jsonReply(200, { total: countMovements(savings), content: listMovements(savings, offset, offset + limit) })
}

function drifted(context: FineractContext, record: Record<string, unknown>): Record<string, unknown> {
  if (!context.take('schemaDrift')) return record
  const drifts = [
    { ...record, status: { id: 999, code: 'loanStatusType.frozen.by.court', value: 'Frozen' }, depositType: { code: 'x.cryptoDeposit' } },
    { ...record, currency: 'CAD' },
    { id: record.id },
  ]
  return drifts[Number(record.id) % drifts.length] ?? record
}

function missing(what: string): Reply {
  return problem(404, `error.msg.${what}.id.invalid`, `${what} does not exist`)
}

function problem(status: number, code: string, message: string): Reply {
  return jsonReply(status, {
    developerMessage: message,
    httpStatusCode: String(status),
    defaultUserMessage: message,
    userMessageGlobalisationCode: code,
    errors: [{ developerMessage: message, defaultUserMessage: message, userMessageGlobalisationCode: code, args: [] }],
  })
}
