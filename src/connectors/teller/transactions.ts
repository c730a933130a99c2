import { Check } from 'typebox/value'
import type { Json } from '../../model/values/json.ts'
import { type Answers, type Page, type Pull, type Session, SourceError } from '../contract/contract.ts'
import { isJsonObject, jsonBytes, responseJson } from '../toolkit/http/answers.ts'
import { checkEnvelope } from '../toolkit/values/wire-schemas.ts'
import { idOf, readTransactions } from './read.ts'
import { callTeller, TellerError } from './request.ts'
import { readSecret } from './secret.ts'
import { AccountWords, ListAnswer } from './wire.ts'

/** Requested page size; if Teller returns fewer rows, the next page begins after the last of them. */
const PAGE_SIZE = 500
/** Accounts queued in the cursor; further ones are listed again when their turn comes. */
const QUEUE_SIZE = 50
const DAY_MS = 86_400_000
/**
 * Overlap: transactions older than the newest one by more than this are not compared again, unless they are pending.
 */
const OVERLAP_DAYS = 14
/** Maximum age of a pending transaction; older ones stay unchanged. */
const MAX_PENDING_DAYS = 60
/** Maximum number of ids kept between runs, over all accounts; beyond it only the pending ones are kept. */
const MAX_KEPT = 20_000
/**
 * Maximum number of transactions that may disappear together; if more do and none is left, the list is considered
 * faulty.
 */
const FEW = 5

/**
 * Transactions, account by account, newest first. Teller has no change feed: each run reads the last days again, and a
 * transaction that is no longer listed (a pending one whose booked one has another id, a reversal) is removed.
 * Source: https://teller.io/docs/api/account/transactions
 */
export const transactionsPull: Pull = {
  name: 'transactions',
  delivers: ['Transactions'],
  fetch: fetchTransactions,
  read: readTransactions,
}

/** Known transactions of an account after a run: ids by day, from `since` on. */
type Known = {
  since: string
  ids: Record<string, string>
}

/**
 * Progress of a run: in the first account of `queue`, after the transaction `from`; the accounts with ids beyond
 * `behind` are not queued yet, null when all are. `seen` are the account's ids listed so far that the next run needs,
 * `pending` the pending ones among them.
 */
type Progress = {
  queue: AccountWords[]
  behind: string | null
  from: string | null
  seen: Record<string, string>
  pending: Record<string, string>
  before: Record<string, Known>
  after: Record<string, Known>
}

interface Row {
  id: string
  day: string
  isPending: boolean
}

async function fetchTransactions({ kit, credentials }: Session, cursor: Json | null): Promise<Page> {
  const token = readSecret(credentials).accessToken
  const call = async (path: string) => await callTeller(kit, token, path)
  const read = readProgress(cursor)
  const progress = read.queue.length > 0 ? read : { ...read, ...(await nextAccounts(call, read.behind)) }
  const [account] = progress.queue
  if (!account) return { answers: {}, next: null, resume: toResume(progress), listing: 'changes' }
  const known = progress.before[account.id]
  const query = new URLSearchParams({ count: String(PAGE_SIZE) })
  if (progress.from !== null) query.set('from_id', progress.from)
  if (known) query.set('start_date', known.since)
  try {
    const response = await call(`/accounts/${encodeURIComponent(account.id)}/transactions?${query}`)
    const list = checkEnvelope(ListAnswer, await responseJson(response, 'transactions'), 'transactions')
    return toPage(progress, account, response.body, list)
  } catch (error) {
    if (!(error instanceof TellerError && error.isAccountGone)) throw error
    // A closed account keeps its transactions.
    return toNext({ ...progress, after: { ...progress.after, ...(known ? { [account.id]: known } : {}) } }, {})
  }
}

async function nextAccounts(
  call: (path: string) => ReturnType<typeof callTeller>,
  behind: string | null,
): Promise<Pick<Progress, 'queue' | 'behind'>> {
  const accounts = checkEnvelope(ListAnswer, await responseJson(await call('/accounts'), '/accounts'), '/accounts')
  const waiting = accounts.flatMap((account) => toWords(account) ?? []).filter(({ id }) => behind === null || id > behind)
  const sorted = waiting.sort((a, b) => (a.id < b.id ? -1 : 1))
  const queue = sorted.slice(0, QUEUE_SIZE)
  return { queue, behind: sorted.length > queue.length ? (queue.at(-1)?.id ?? null) : null }
}

function toWords(account: unknown): AccountWords | null {
  const id = idOf(account)
  if (id === null || !isJsonObject(account)) return null
  const { type, currency } = account
  return { id, type: typeof type === 'string' ? type : null, currency: typeof currency === 'string' ? currency : null }
}

function toPage(progress: Progress, account: AccountWords, body: Uint8Array, list: unknown[]): Page {
  const known = progress.before[account.id]
  const rows = list.flatMap((each) => toRow(each) ?? [])
  const last = rows.at(-1)?.id
  if (last === progress.from && list.length > 1) throw new SourceError('badData', 'transactions: more are there, but the list stands still')
  const answers: Answers = { transactions: body, account: jsonBytes(account) }
  const seen = { ...progress.seen, ...daysById(rows) }
  const pending = { ...progress.pending, ...daysById(rows.filter(({ isPending }) => isPending)) }
  // An incremental run compares all transactions that it reads with the previous run; a first run keeps only those that
  // the next run compares.
  const fresh = { ...progress, seen: known ? seen : toKnown(seen, pending).ids, pending }
  if (last !== undefined && last !== progress.from) return { answers, next: { ...fresh, from: last }, listing: 'changes' }
  const before = Object.keys(known?.ids ?? {})
  const gone = before.filter((id) => !Object.hasOwn(seen, id))
  if (Object.keys(seen).length === 0 && before.length > FEW) throw new SourceError('badData', 'transactions: all of the last days are gone')
  const after = { ...progress.after, [account.id]: bounded(toKnown(seen, pending), pending, progress.after) }
  return toNext({ ...fresh, after }, { ...answers, ...(gone.length > 0 ? { gone: jsonBytes(gone) } : {}) })
}

/** Moves to the next account. */
function toNext(progress: Progress, answers: Answers): Page {
  const next: Progress = { ...progress, queue: progress.queue.slice(1), from: null, seen: {}, pending: {} }
  if (next.queue.length > 0 || next.behind !== null) return { answers, next, listing: 'changes' }
  return { answers, next: null, resume: toResume(next), listing: 'changes' }
}

/** Ids of the last days, and all since the oldest pending one. */
function toKnown(seen: Record<string, string>, pending: Record<string, string>): Known {
  const newest = Object.values(seen).reduce((latest, day) => (day > latest ? day : latest), '')
  if (newest === '') return { since: '1970-01-01', ids: {} }
  const longest = daysBefore(newest, MAX_PENDING_DAYS)
  const oldest = Object.values(pending).reduce((first, day) => (day < first ? day : first), daysBefore(newest, OVERLAP_DAYS))
  const since = oldest < longest ? longest : oldest
  return { since, ids: Object.fromEntries(Object.entries(seen).filter(([, day]) => day >= since)) }
}

function bounded(known: Known, pending: Record<string, string>, others: Readonly<Record<string, Known>>): Known {
  const kept = Object.values(others).reduce((sum, { ids }) => sum + Object.keys(ids).length, Object.keys(known.ids).length)
  if (kept <= MAX_KEPT) return known
  return { ...known, ids: Object.fromEntries(Object.entries(known.ids).filter(([id]) => Object.hasOwn(pending, id))) }
}

function daysById(rows: readonly Row[]): Record<string, string> {
  return Object.fromEntries(rows.map(({ id, day }) => [id, day]))
}

function daysBefore(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) - days * DAY_MS).toISOString().slice(0, 10)
}

function toRow(transaction: unknown): Row | null {
  const id = idOf(transaction)
  if (id === null || !isJsonObject(transaction)) return null
  const { date, status } = transaction
  const day = typeof date === 'string' ? date.slice(0, 10) : ''
  return { id, day: Number.isNaN(Date.parse(`${day}T00:00:00Z`)) ? '1970-01-01' : day, isPending: status === 'pending' }
}

function toResume({ after }: Progress): Json {
  return { known: after }
}

/** Cursor within a run, or one at which a run begins: then the queue is still empty. */
function readProgress(cursor: Json | null): Progress {
  const { queue, behind, from, seen, pending, before, after, known }: { [key: string]: Json } = isJsonObject(cursor) ? cursor : {}
  return {
    queue: Array.isArray(queue) ? queue.filter((each) => Check(AccountWords, each)) : [],
    behind: typeof behind === 'string' ? behind : null,
    from: typeof from === 'string' ? from : null,
    seen: readIds(seen),
    pending: readIds(pending),
    before: readKnown(before ?? known),
    after: readKnown(after),
  }
}

function readKnown(value: Json | undefined): Record<string, Known> {
  if (!isJsonObject(value)) return {}
  const entries = Object.entries(value).flatMap(([id, each]) =>
    isJsonObject(each) && typeof each.since === 'string' ? [[id, { since: each.since, ids: readIds(each.ids) }] as const] : [],
  )
  return Object.fromEntries(entries)
}

function readIds(value: Json | undefined): Record<string, string> {
  if (!isJsonObject(value)) return {}
  return Object.fromEntries(Object.entries(value).flatMap(([id, day]) => (typeof day === 'string' ? [[id, day]] : [])))
}
