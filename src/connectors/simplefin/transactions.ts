import { type Static, Type } from 'typebox'
import { Check } from 'typebox/value'
import type { Answers, Pull } from '../contract/contract.ts'
import { DAY_MS } from '../contract/limits.ts'
import { isJsonObject } from '../toolkit/answers.ts'
import { readTransactions } from './read.ts'
import { askAccounts, readSecret, toAccountId } from './request.ts'
import type { AccountSet } from './wire.ts'

const DAY_S = DAY_MS / 1000
/** The Bridge gives at most 90 days a request. */
const WINDOW_S = 89 * DAY_S
/** Each window is one of the 24 requests of a day. */
const HISTORY_WINDOWS = 4
/** Banks still change and drop what they booked in the last days. */
const OVERLAP_S = 10 * DAY_S
/** A server may count whole days of its own zone: what lies on the edge of a window is not missed. */
const MARGIN_S = 2 * DAY_S

const Cursor = Type.Object({
  /** Start of the next window. */
  from: Type.Integer({ minimum: 0 }),
  /** What the last run showed from there on, by account: what of it is missing now is gone. */
  known: Type.Record(Type.String(), Type.Array(Type.String())),
})
type Cursor = Static<typeof Cursor>

/**
 * What was booked, window by window, and what is pending. There is no list of removals: what the newest days showed is remembered, and what
 * is missing the next time was removed, or was pending and has got another id as it was booked.
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
    const answers: Answers = { transactions: body, ...(gone.length === 0 ? {} : { gone: new TextEncoder().encode(JSON.stringify(gone)) }) }
    if (!isLast) return { answers, next: { from: end, known: {} }, listing: 'changes' }
    // Where a part is missing the window stays open: what was known from its start on is asked for again.
    const resumeFrom = isWhole ? Math.max(0, now - OVERLAP_S) : from
    const known = recent(set, resumeFrom, isWhole ? {} : cursor.known)
    return { answers, next: null, resume: { from: resumeFrom, known }, listing: 'changes' }
  },
  read: readTransactions,
}

/** Known movements of accounts that are there and do not show them any more. */
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

/** What the days from there on show, pending movements with them, and what was known before. */
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
