import type { Json } from '../../model/values/json.ts'
import type { Page, Pull, Session } from '../contract/contract.ts'
import { isJsonObject, jsonBytes, responseJson } from '../toolkit/http/answers.ts'
import { checkEnvelope } from '../toolkit/values/wire-schemas.ts'
import { lastOf, listKnownPage, PAGE_SIZE, readRestarts, unlessCursorGone } from './accounts.ts'
import { readTransactions } from './read.ts'
import { callStripe } from './request.ts'
import { type KnownAccount, ListAnswer } from './wire.ts'

/**
 * Transactions, account by account. Each refresh of an account at Stripe has an id, and the changes since a refresh can
 * be listed by that id, so a run requests the changes after the last refresh that the previous run has read.
 * Transactions keep their id from pending to posted; void ones are removed.
 * Source: https://docs.stripe.com/financial-connections/transactions
 */
export const transactionsPull: Pull = {
  name: 'transactions',
  delivers: ['Transactions'],
  fetch: fetchTransactions,
  read: readTransactions,
}

/** Last refresh that was read completely, by account. */
type Refreshes = { [accountId: string]: string }

type Waiting = { id: string; refresh: string | null }

/**
 * Position within the first account of `queue`, after the row `after`; further accounts are listed after the account
 * `behind`, null when there are none.
 */
type Progress = { queue: Waiting[]; behind: string | null; after: string | null; seen: Refreshes; restarts: number }

async function fetchTransactions(session: Session, cursor: Json | null): Promise<Page> {
  const read = readProgress(cursor)
  const progress = read.queue.length > 0 ? read : { ...read, ...(await nextAccounts(session, read)) }
  const [account] = progress.queue
  if (!account) return { answers: {}, next: null, resume: { seen: progress.seen }, listing: 'changes' }
  const parameters = {
    account: account.id,
    limit: PAGE_SIZE,
    starting_after: progress.after ?? undefined,
    'transaction_refresh[after]': progress.seen[account.id],
  }
  const asking = callStripe(session.kit, { path: '/v1/financial_connections/transactions', parameters })
  const response = await unlessCursorGone(asking, progress.restarts)
  if (!response) return { answers: {}, next: { ...progress, after: null, restarts: progress.restarts + 1 }, listing: 'changes' }
  const list = checkEnvelope(ListAnswer, await responseJson(response, 'transactions'), 'transactions')
  const answers = { transactions: response.body, account: jsonBytes(account.id) }
  const after = lastOf(list, progress.after, 'transactions')
  if (after !== null) return { answers, next: { ...progress, after }, listing: 'changes' }
  const seen = account.refresh === null ? progress.seen : { ...progress.seen, [account.id]: account.refresh }
  const next: Progress = { queue: progress.queue.slice(1), behind: progress.behind, after: null, seen, restarts: 0 }
  if (next.queue.length > 0 || next.behind !== null) return { answers, next, listing: 'changes' }
  return { answers, next: null, resume: { seen }, listing: 'changes' }
}

/** Next accounts with changes: all in a first run, later those whose last refresh differs from the one already read. */
async function nextAccounts(session: Session, { seen, behind }: Progress): Promise<Pick<Progress, 'queue' | 'behind'>> {
  let place = behind
  for (let restarts = 0; ; ) {
    const page = await unlessCursorGone(listKnownPage(session, place), restarts)
    // Restart from the beginning: accounts that were already read are skipped.
    if (!page) {
      place = null
      restarts += 1
      continue
    }
    const waiting = page.accounts.filter(isReadable).map((account): Waiting => ({ id: account.id, refresh: refreshOf(account) }))
    const queue = waiting.filter(({ id, refresh }) => refresh === null || refresh !== seen[id])
    if (queue.length > 0 || page.last === null) return { queue, behind: page.last }
    place = page.last
  }
}

/** Disconnected accounts return no data any more; accounts without permission never did. */
function isReadable({ status, permissions }: KnownAccount): boolean {
  return status !== 'disconnected' && (permissions?.includes('transactions') ?? false)
}

/** Refresh to resume from: one that is pending or failed cannot be used. */
function refreshOf({ transaction_refresh: refresh }: KnownAccount): string | null {
  return refresh?.status === 'succeeded' ? (refresh.id ?? null) : null
}

/** Cursor within a run, or one at which a run begins: then the queue is still empty. */
function readProgress(cursor: Json | null): Progress {
  const { queue, behind, after, seen, restarts }: { [key: string]: Json } = isJsonObject(cursor) ? cursor : {}
  return {
    queue: Array.isArray(queue) ? queue.flatMap((each) => toWaiting(each) ?? []) : [],
    behind: typeof behind === 'string' ? behind : null,
    after: typeof after === 'string' ? after : null,
    seen: readRefreshes(seen),
    restarts: readRestarts(restarts),
  }
}

function toWaiting(value: Json): Waiting | null {
  if (!isJsonObject(value) || typeof value.id !== 'string') return null
  return { id: value.id, refresh: typeof value.refresh === 'string' ? value.refresh : null }
}

function readRefreshes(value: Json | undefined): Refreshes {
  if (!isJsonObject(value)) return {}
  return Object.fromEntries(Object.entries(value).flatMap(([id, refresh]) => (typeof refresh === 'string' ? [[id, refresh]] : [])))
}
