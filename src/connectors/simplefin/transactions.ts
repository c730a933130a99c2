import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { flatMapInSlices, slicesOf } from '../../model/steps/slices.ts'
import type { Json } from '../../model/values/json.ts'
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

const isCursor = Compile(Cursor)

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
    const cursor: Cursor = isCursor.Check(given) ? given : { from: now - HISTORY_WINDOWS * WINDOW_S, known: {} }
    const from = Math.max(cursor.from, now - HISTORY_WINDOWS * WINDOW_S)
    const end = from + WINDOW_S
    const isLast = end >= now
    const { body, set, isWhole } = await askAccounts(kit, readSecret(credentials), {
      'start-date': String(from),
      ...(isLast ? {} : { 'end-date': String(end) }),
      pending: '1',
    })
    const gone = isWhole ? await missing(cursor.known, set) : []
    const answers: Answers = { transactions: body, ...(gone.length === 0 ? {} : { gone: jsonBytes(gone) }) }
    if (!isLast) return { answers, next: { from: end, known: {} }, listing: 'changes' }
    // When a part is missing the window stays open: everything known from its start on is requested again.
    const resumeFrom = isWhole ? Math.max(0, now - OVERLAP_S) : from
    const known = await recent(set, resumeFrom, isWhole ? {} : cursor.known)
    return { answers, next: null, resume: { from: resumeFrom, known }, listing: 'changes' }
  },
  read: readTransactions,
}

/** Known transactions of listed accounts that are no longer listed themselves. */
async function missing(known: Cursor['known'], set: AccountSet): Promise<string[]> {
  const listed = new Set<string>()
  const shown = new Map<string, Set<Json | undefined>>()
  for await (const rows of slicesOf(listRows(set))) {
    for (const { account, row } of rows) {
      listed.add(account)
      if (isJsonObject(row)) addTo(shown, account, row.id)
    }
  }
  const before = Object.entries(known).filter(([account]) => listed.has(account))
  return await flatMapInSlices(pairsOf(before), ([account, id]) => (shown.get(account)?.has(id) ? [] : [`${account}/${id}`]))
}

/** Transactions from that day on, including pending ones, and the ones known before. */
async function recent(set: AccountSet, from: number, before: Cursor['known']): Promise<Cursor['known']> {
  const known = new Map<string, Set<string>>()
  for await (const pairs of slicesOf(pairsOf(Object.entries(before)))) for (const [account, id] of pairs) addTo(known, account, id)
  for await (const rows of slicesOf(listRows(set))) {
    for (const { account, row } of rows) {
      if (!isJsonObject(row) || typeof row.id !== 'string') continue
      if (row.pending === true || Number(row.posted) >= from + MARGIN_S) addTo(known, account, row.id)
    }
  }
  return Object.fromEntries([...known].map(([account, ids]) => [account, [...ids]]))
}

/** Accounts that list their transactions, first by themselves and then with each of those. */
function* listRows({ accounts }: AccountSet): Generator<{ account: string; row: Json }, void> {
  for (const each of accounts) {
    const account = toAccountId(each)
    if (account === null || !isJsonObject(each) || !Array.isArray(each.transactions)) continue
    yield { account, row: null }
    for (const row of each.transactions) yield { account, row }
  }
}

function* pairsOf(known: [account: string, ids: string[]][]): Generator<[account: string, id: string], void> {
  for (const [account, ids] of known) for (const id of ids) yield [account, id]
}

function addTo<Id>(ids: Map<string, Set<Id>>, account: string, id: Id): void {
  const own = ids.get(account)
  if (own) own.add(id)
  else ids.set(account, new Set([id]))
}
