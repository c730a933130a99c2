import { type Static, Type } from 'typebox'
import { Check } from 'typebox/value'
import type { Answers, Pull } from '../contract/contract.ts'
import { DAY_MS } from '../contract/limits.ts'
import { isJsonObject, jsonBytes } from '../toolkit/http/answers.ts'
import { readTransactions } from './read.ts'
import { askAccounts, readSecret, toAccountId } from './request.ts'
import type { AccountSet } from './wire.ts'

const DAY_S = DAY_MS / 1000
/** Window size: the Bridge returns at most 90 days a request. */
const WINDOW_S = 89 * DAY_S
/** Maximum windows of history: each is one of the 24 requests of a day. */
const HISTORY_WINDOWS = 4
/** Overlap: banks still change and withdraw transactions of the last days. */
const OVERLAP_S = 10 * DAY_S
/**
 * Margin: a server may count whole days of its own time zone, so transactions at the edge of a window are not missed.
 */
const MARGIN_S = 2 * DAY_S

const Cursor = Type.Object({
  /** Start of the next window. */
  from: Type.Integer({ minimum: 0 }),
  /** Transactions of the last run from that point on, by account: those missing now are removed. */
  known: Type.Record(Type.String(), Type.Array(Type.String())),
})
type Cursor = Static<typeof Cursor>

/**
 * Booked transactions, window by window, and pending ones. There is no list of removals: the transactions of the newest
 * days are remembered, and those missing the next time were removed, or were pending and have another id since they
 * were booked.
 */
export const pullTransactions: Pull = {
  name: 'transactions',
  delivers: ['Transactions'],
  async fetch({ kit, credentials }, given) {
    const now = Math.floor(kit.now().getTime() / 1000)
    const cursor: Cursor = Check(Cursor, given) ? given : { from: now - HISTORY_WINDOWS * WINDOW_S, known: {} }
    const from = Math.max(cursor.from, now - HISTORY_WINDOWS * WINDOW_S)
    const end = from + WINDOW_S
    const isLast = end >= now
    const { body, set, isWhole } = await askAccounts(kit, readSecret(credentials), {
      'start-date': String(from),
      ...(isLast ? {} : { 'end-date': String(end) }),
      pending: '1',
    })
    const gone = isWhole ? missing(cursor.known, set) : []
    const answers: Answers = { transactions: body, ...(gone.length === 0 ? {} : { gone: jsonBytes(gone) }) }
    if (!isLast) return { answers, next: { from: end, known: {} }, listing: 'changes' }
    // When a part is missing the window stays open: everything known from its start on is requested again.
    const resumeFrom = isWhole ? Math.max(0, now - OVERLAP_S) : from
    const known = recent(set, resumeFrom, isWhole ? {} : cursor.known)
    return { answers, next: null, resume: { from: resumeFrom, known }, listing: 'changes' }
  },
  read: readTransactions,
}

/** Known transactions of listed accounts that are no longer listed themselves. */
function missing(known: Cursor['known'], set: AccountSet): string[] {
  const gone: string[] = []
  for (const account of set.accounts) {
    const id = toAccountId(account)
    if (id === null || !isJsonObject(account) || !Array.isArray(account.transactions)) continue
    const shown = new Set(account.transactions.map((row) => (isJsonObject(row) ? row.id : null)))
    gone.push(...(known[id] ?? []).filter((each) => !shown.has(each)).map((each) => `${id}/${each}`))
  }
  return gone
}

/** Transactions from that day on, including pending ones, and the ones known before. */
function recent(set: AccountSet, from: number, before: Cursor['known']): Cursor['known'] {
  const known: Cursor['known'] = { ...before }
  for (const account of set.accounts) {
    const id = toAccountId(account)
    if (id === null || !isJsonObject(account) || !Array.isArray(account.transactions)) continue
    const rows = account.transactions.filter((row) => isJsonObject(row) && (row.pending === true || Number(row.posted) >= from + MARGIN_S))
    const ids = rows.flatMap((row) => (isJsonObject(row) && typeof row.id === 'string' ? [row.id] : []))
    if (ids.length > 0) known[id] = [...new Set([...(known[id] ?? []), ...ids])]
  }
  return known
}
