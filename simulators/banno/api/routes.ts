import { type Movement, movementsOf } from '../../kit/data/movements.ts'
import type { Faults } from '../../kit/faults.ts'
import { cutReply, htmlReply, jsonReply, type Reply, textReply } from '../../kit/http/response.ts'
import type { SimulatorState } from '../../kit/simulator-state.ts'
import { type Account, accountsOf, type Person } from '../data/customers.ts'
import type { FaultName } from '../faults.ts'

export interface ApiCall {
  method: string
  /** Path below `/users/{userId}`. */
  path: string
  query: URLSearchParams
  person: Person
  state: SimulatorState
  faults: Faults<FaultName>
  now: Date
  giantAccounts: number
}

const MAINTENANCE = '<!doctype html><html><head><title>Banno</title></head><body><h1>Scheduled maintenance</h1></body></html>'
/** A task ends on its third poll. */
const TASK_STEPS = ['AggregationStarted', 'EnrichmentAllAccountBalancesUpdated', 'TaskEnded']
const MOST_ROWS = 500

/** Reply of an armed fault; null if none is armed. */
export function failBefore(faults: Faults<FaultName>): Reply | null {
  if (faults.take('unavailable')) return jsonReply(503, { message: 'Service Unavailable' })
  if (faults.take('html')) return htmlReply(200, MAINTENANCE)
  if (faults.take('throttle')) return textReply(429, 'Too Many Requests', { 'retry-after': '30' })
  if (faults.take('throttleBare')) return textReply(429, 'Too Many Requests')
  if (faults.take('unauthorized')) return jsonReply(401, { error: 'invalid_token' })
  if (faults.take('forbidden')) return jsonReply(403, { message: 'Forbidden' })
  return null
}

/** Endpoints below `/a/consumer/api/v0/users/{userId}`. */
export function callApi(call: ApiCall): Reply {
  const reply = route(call)
  return reply.status === 200 && call.faults.take('truncated') ? cutReply(reply) : reply
}

function route(call: ApiCall): Reply {
  const { method, path, person, giantAccounts } = call
  if (method === 'PUT' && path === '/fetch') return jsonReply(200, { taskId: `task-${call.now.getTime()}` })
  if (method !== 'GET') return jsonReply(405, { message: 'Method Not Allowed' })
  if (path.startsWith('/tasks/')) return taskEvents(call)
  const accounts = accountsOf(person, giantAccounts).filter(({ id }) => !removalsOf(call, 'accounts').includes(id))
  if (path === '/accounts') {
    const fetchedDate = call.now.toISOString()
    return jsonReply(200, {
      accounts: accounts.map((account) => ({ ...account, fetchedDate })),
      inactivatedAccountIds: removalsOf(call, 'accounts'),
    })
  }
  const id = /^\/accounts\/([^/]+)\/transactions$/.exec(path)?.[1]
  const account = accounts.find((each) => each.id === id)
  return account ? transactions(call, account) : jsonReply(404, { message: 'Not Found' })
}

function taskEvents({ query, faults }: ApiCall): Reply {
  const since = Number(query.get('sinceVersion') ?? '0')
  if (!Number.isSafeInteger(since) || since > TASK_STEPS.length) return jsonReply(400, { message: 'sinceVersion' })
  if (faults.take('taskNeverEnds')) return jsonReply(200, { events: [], version: since })
  return jsonReply(200, { events: TASK_STEPS.slice(since, since + 1).map((type) => ({ type })), version: since + 1 })
}

/** Newest first; `updatedSince` cannot be combined with `since` or `until`. */
function transactions(call: ApiCall, account: Account): Reply {
  const { query, now, faults, person } = call
  const updatedSince = query.get('updatedSince')
  if (updatedSince !== null && (query.has('since') || query.has('until'))) return jsonReply(400, { message: 'updatedSince' })
  const limit = Number(query.get('limit') ?? '50')
  let offset = Number(query.get('offset') ?? '0')
  if (!(limit >= 1 && limit <= MOST_ROWS && offset >= 0)) return jsonReply(400, { message: 'limit' })
  if (offset > 0 && faults.take('repeatPage')) offset = Math.max(0, offset - limit + 25)
  const from = Date.parse(updatedSince ?? query.get('since') ?? '1970-01-01T00:00:00Z')
  if (Number.isNaN(from)) return jsonReply(400, { message: 'since' })
  const removed = removalsOf(call, account.id)
  const all = movementsOf(account, now, person.key === 'load' ? 1 : 5).filter(({ id }) => !removed.includes(id))
  const stamp = (movement: Movement) => (isPending(movement, now) ? movement.at : movement.bookedAt)
  const wanted = all.filter((movement) => (updatedSince === null ? movement.at : stamp(movement)).getTime() >= from)
  const gone = all.flatMap((each) =>
    each.pendingId !== null && !isPending(each, now) && each.bookedAt.getTime() >= from ? [each.pendingId] : [],
  )
  return jsonReply(200, {
    transactions: wanted.slice(offset, offset + limit).map((movement) => present(movement, account, now)),
    inactivatedTransactionIds: [...gone, ...removed],
  })
}

function present(movement: Movement, account: Account, now: Date): object {
  const pending = isPending(movement, now)
  return {
    id: pending ? movement.pendingId : movement.id,
    accountId: account.id,
    amount: movement.amount,
    pendingStatus: pending ? 'Pending' : 'Posted',
    datePosted: movement.at.toISOString(),
    memo: movement.memo,
    filteredMemo: movement.memo.replace(/\d{3,}/g, '').trim(),
    displayName: movement.displayName,
    type: movement.amount.startsWith('-') ? 'Debit' : 'Credit',
    checkNumber: movement.memo.startsWith('CHECK') ? movement.memo.slice(6) : null,
    runningBalance: pending ? null : account.balance,
    merchant: movement.category === null ? null : { name: movement.displayName },
    enrichments: { expenseCategory: movement.category },
    lastUpdated: (pending ? movement.at : movement.bookedAt).toISOString(),
  }
}

function isPending({ pendingId, bookedAt }: Movement, now: Date): boolean {
  return pendingId !== null && bookedAt > now
}

function removalsOf({ state, person }: ApiCall, list: string): string[] {
  return state.data.edits[`${person.id}/${list}`]?.removed ?? []
}
