import { type Call, jsonReply, readBasic } from '../../kit/bank-simulator.ts'
import type { Reply } from '../../kit/http/response.ts'
import type { Context } from '../context.ts'
import { movementCount, movementNumber, toAmount, toMovement } from '../data/accounts.ts'
import type { Account, Enrollment } from '../state.ts'

/** Source: https://teller.io/docs/api/account/transactions */
const USUAL_COUNT = 100_000
/** Teller does not publish its maximum; a caller that asks for more must detect that rows are left. */
const MOST_ROWS = 250

/** The API's reply; null for a path outside the API. */
export function answerApi(context: Context, call: Call): Reply | null {
  if (call.path === '/institutions') return jsonReply(200, context.institutions)
  if (!/^\/accounts(\/|$)/.test(call.path)) return null
  if (context.bank.take('missingCertificate'))
    return failure(400, 'bad_request', 'Missing certificate: Retry request using your Teller client certificate.')
  const token = readBasic(call.headers)?.user ?? ''
  const enrollment = context.bank.state.enrollments.find((each) => each.accessToken === token && !each.isDeleted)
  if (!enrollment) return failure(401, 'unauthorized', 'The access token is not valid')
  const reason = brokenBy(context, enrollment)
  if (reason !== null) return failure(404, `enrollment.${reason}`, 'The enrollment has to be reconnected')
  if (context.bank.take('forbidden')) return failure(403, 'forbidden', 'This product is not enabled for the application')
  const [, , id, part] = call.path.split('/')
  if (id === undefined) return call.method === 'DELETE' ? leave(context, enrollment, null) : listAccounts(context, enrollment)
  const account = enrollment.accounts.find((each) => each.id === decodeURIComponent(id))
  if (!account) return failure(404, 'account.not_found', 'There is no such account')
  if (call.method === 'DELETE') return leave(context, enrollment, account)
  if (part === undefined) return jsonReply(200, toAccount(context, enrollment, account))
  if (account.status === 'closed' || context.bank.take('accountClosed')) return failure(410, 'account.closed', 'The account is closed')
  return partOf(context, { call, enrollment, account, part })
}

function brokenBy(context: Context, enrollment: Enrollment): string | null {
  if (context.bank.take('revoked')) return 'disconnected'
  if (context.bank.take('loginRequired')) return 'disconnected.credentials_invalid'
  return enrollment.disconnected
}

function partOf(context: Context, asked: { call: Call; enrollment: Enrollment; account: Account; part: string }): Reply {
  const { account, part } = asked
  const links = {
    account: `${context.bank.baseUrl()}/accounts/${account.id}`,
    self: `${context.bank.baseUrl()}/accounts/${account.id}/${part}`,
  }
  if (part === 'balances')
    return jsonReply(200, {
      account_id: account.id,
      available: toAmount(account.availableCents),
      ledger: toAmount(account.ledgerCents),
      links,
    })
  if (part === 'details')
    return jsonReply(200, { account_id: account.id, account_number: account.number, links, routing_numbers: { ach: '121000248' } })
  return part === 'transactions' ? listMovements(context, asked) : failure(404, 'not_found', 'There is no such page')
}

function listMovements(context: Context, { call, enrollment, account }: { call: Call; enrollment: Enrollment; account: Account }): Reply {
  const { bank } = context
  const count = Math.min(MOST_ROWS, Number(call.query.get('count') ?? USUAL_COUNT))
  const fromId = call.query.get('from_id')
  const from = fromId === null ? null : movementNumber(account, fromId)
  if (fromId !== null && from === null) return failure(400, 'bad_request', 'from_id is not an id of this account')
  const total = movementCount(enrollment, account, bank.now())
  let next = from === null ? total - 1 : from - 1
  if (from !== null && bank.take('repeatedPage')) next = Math.min(total - 1, from + count - 1)
  const startDate = call.query.get('start_date') ?? ''
  const rows: ReturnType<typeof toMovement>[] = []
  for (; next >= 0 && rows.length < count; next -= 1) {
    const row = toMovement(enrollment, account, next, bank.now(), bank.baseUrl())
    if (row.date < startDate) break
    if (!bank.state.removed.includes(row.id)) rows.push(row)
  }
  return jsonReply(200, rows)
}

function listAccounts(context: Context, enrollment: Enrollment): Reply {
  return jsonReply(
    200,
    enrollment.accounts.map((account) => toAccount(context, enrollment, account)),
  )
}

function toAccount(context: Context, enrollment: Enrollment, account: Account) {
  const self = `${context.bank.baseUrl()}/accounts/${account.id}`
  return {
    currency: account.currency,
    enrollment_id: enrollment.id,
    id: account.id,
    institution: enrollment.institution,
    last_four: account.tellsEnding ? account.number.slice(-4) : null,
    links: { self, balances: `${self}/balances`, details: `${self}/details`, transactions: `${self}/transactions` },
    name: account.name,
    status: account.status,
    subtype: account.subtype,
    type: account.type,
  }
}

function leave(context: Context, enrollment: Enrollment, account: Account | null): Reply {
  enrollment.accounts = account ? enrollment.accounts.filter((each) => each !== account) : []
  if (enrollment.accounts.length === 0) enrollment.isDeleted = true
  context.bank.save()
  return { status: 204, type: 'text/plain', body: '' }
}

function failure(status: number, code: string, message: string): Reply {
  return jsonReply(status, { error: { code, message } })
}
