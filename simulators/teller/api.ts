import { type Call, jsonReply, readBasic } from '../bank-simulator.ts'
import type { Reply } from '../kit/http/response.ts'
import { movementCount, movementNumber, toAmount, toMovement } from './book.ts'
import type { Account, Enrollment } from './state.ts'
import type { TellerWorld } from './world.ts'

/** Source: https://teller.io/docs/api/account/transactions */
const USUAL_COUNT = 100_000
/** Teller publishes none; whoever asks for more has to see that there is more. */
const MOST_ROWS = 250

/** The API's answer; null for a path that is none of its own. */
export function answerApi(world: TellerWorld, call: Call): Reply | null {
  if (call.path === '/institutions') return jsonReply(200, world.institutions)
  if (!/^\/accounts(\/|$)/.test(call.path)) return null
  if (world.context.take('missingCertificate'))
    return failure(400, 'bad_request', 'Missing certificate: Retry request using your Teller client certificate.')
  const token = readBasic(call.headers)?.user ?? ''
  const enrollment = world.context.state.enrollments.find((each) => each.accessToken === token && !each.isDeleted)
  if (!enrollment) return failure(401, 'unauthorized', 'The access token is not valid')
  const reason = brokenBy(world, enrollment)
  if (reason !== null) return failure(404, `enrollment.${reason}`, 'The enrollment has to be reconnected')
  if (world.context.take('forbidden')) return failure(403, 'forbidden', 'This product is not enabled for the application')
  const [, , id, part] = call.path.split('/')
  if (id === undefined) return call.method === 'DELETE' ? leave(world, enrollment, null) : listAccounts(world, enrollment)
  const account = enrollment.accounts.find((each) => each.id === decodeURIComponent(id))
  if (!account) return failure(404, 'account.not_found', 'There is no such account')
  if (call.method === 'DELETE') return leave(world, enrollment, account)
  if (part === undefined) return jsonReply(200, toAccount(world, enrollment, account))
  if (account.status === 'closed' || world.context.take('accountClosed')) return failure(410, 'account.closed', 'The account is closed')
  return partOf(world, { call, enrollment, account, part })
}

function brokenBy(world: TellerWorld, enrollment: Enrollment): string | null {
  if (world.context.take('revoked')) return 'disconnected'
  if (world.context.take('loginRequired')) return 'disconnected.credentials_invalid'
  return enrollment.disconnected
}

function partOf(world: TellerWorld, asked: { call: Call; enrollment: Enrollment; account: Account; part: string }): Reply {
  const { account, part } = asked
  const links = {
    account: `${world.context.baseUrl()}/accounts/${account.id}`,
    self: `${world.context.baseUrl()}/accounts/${account.id}/${part}`,
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
  return part === 'transactions' ? listMovements(world, asked) : failure(404, 'not_found', 'There is no such page')
}

function listMovements(world: TellerWorld, { call, enrollment, account }: { call: Call; enrollment: Enrollment; account: Account }): Reply {
  const { context } = world
  const count = Math.min(MOST_ROWS, Number(call.query.get('count') ?? USUAL_COUNT))
  const fromId = call.query.get('from_id')
  const from = fromId === null ? null : movementNumber(account, fromId)
  if (fromId !== null && from === null) return failure(400, 'bad_request', 'from_id is not an id of this account')
  const total = movementCount(enrollment, account, context.now())
  let next = from === null ? total - 1 : from - 1
  if (from !== null && context.take('repeatedPage')) next = Math.min(total - 1, from + count - 1)
  const startDate = call.query.get('start_date') ?? ''
  const rows: ReturnType<typeof toMovement>[] = []
  for (; next >= 0 && rows.length < count; next -= 1) {
    const row = toMovement(enrollment, account, next, context.now(), context.baseUrl())
    if (row.date < startDate) break
    if (!context.state.removed.includes(row.id)) rows.push(row)
  }
  return jsonReply(200, rows)
}

function listAccounts(world: TellerWorld, enrollment: Enrollment): Reply {
  return jsonReply(
    200,
    enrollment.accounts.map((account) => toAccount(world, enrollment, account)),
  )
}

function toAccount(world: TellerWorld, enrollment: Enrollment, account: Account) {
  const self = `${world.context.baseUrl()}/accounts/${account.id}`
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

function leave(world: TellerWorld, enrollment: Enrollment, account: Account | null): Reply {
  enrollment.accounts = account ? enrollment.accounts.filter((each) => each !== account) : []
  if (enrollment.accounts.length === 0) enrollment.isDeleted = true
  world.context.save()
  return { status: 204, type: 'text/plain', body: '' }
}

function failure(status: number, code: string, message: string): Reply {
  return jsonReply(status, { error: { code, message } })
}
