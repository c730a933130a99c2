import { createHash } from 'node:crypto'
import { distinctInSlices } from '../../model/steps/slices.ts'
import type { Json } from '../../model/values/json.ts'
import type { Answers, HttpResponse, Page, Pull, Session } from '../contract/contract.ts'
import { DAY_MS } from '../contract/limits.ts'
import { jsonBytes, responseJson } from '../toolkit/http/answers.ts'
import { fetchAhead, isTransient } from '../toolkit/http/fetch-ahead.ts'
import { listAccounts } from './accounts.ts'
import { type Progress, readProgress, toCursor, toResume } from './cursor.ts'
import { FdxError } from './errors.ts'
import { listRows, type Position, pageQuery, readNext, START } from './paging.ts'
import { findSuperseded, listPending } from './pending.ts'
import type { Profile } from './profile.ts'
import { ABOUT, readTransactions, transactionIdOf } from './read.ts'
import { forAccount, getResource } from './request.ts'

/** Overlap in days, for late bookings and pending transactions. */
const OVERLAP_DAYS = 30
/** Maximum calls and rows of one of our pages, which many small accounts share. */
const MAX_CALLS = 64
const ENOUGH_ROWS = 1_000

const WHAT = 'the transactions of an account'

/** Contents of one of our pages. */
interface Batch {
  parts: { name: string; accountId: string; currency: string }[]
  bodies: Answers
  /** Account and id of pending transactions that were removed. */
  gone: [string, string][]
  rows: number
  calls: number
  /** Number of account pages included, empty ones too. */
  taken: number
}

type Queued = Progress['queue'][number]

/**
 * Transactions of every account of the login, account by account. The first run reads the history of the profile's
 * length, later ones the days since the last run with an overlap; a new account gets its history. Pending transactions
 * that the bank no longer lists were booked under another id or cancelled: they are removed.
 */
export function transactionsPull(profile: Profile): Pull {
  return {
    name: 'transactions',
    delivers: ['Transactions'],
    fetch: (session, cursor) => fetchBatch(session, profile, cursor),
    read: readTransactions,
  }
}

async function fetchBatch(session: Session, profile: Profile, cursor: Json | null): Promise<Page> {
  const progress = readProgress(cursor, session.kit.now())
  const batch: Batch = { parts: [], bodies: {}, gone: [], rows: 0, calls: 0, taken: 0 }
  try {
    while (!isFull(batch) && (progress.queue.length > 0 || progress.list)) {
      if (progress.queue.length > 0) await readQueue(session, profile, progress, batch)
      else await refill(session, profile, progress, batch)
    }
  } catch (error) {
    // Rows read so far form a page; the next one begins at the failed call.
    if (batch.taken === 0 || !isTransient(error)) throw error
  }
  const isEmpty = batch.parts.length === 0 && batch.gone.length === 0
  const about = jsonBytes({ parts: batch.parts, gone: batch.gone })
  const answers = isEmpty ? {} : { ...batch.bodies, [ABOUT]: about }
  const isOver = progress.queue.length === 0 && progress.list === null
  return isOver
    ? { answers, next: null, resume: toResume(progress), listing: 'changes' }
    : { answers, next: toCursor(progress), listing: 'changes' }
}

function isFull({ calls, rows }: Batch): boolean {
  return calls >= MAX_CALLS || rows >= ENOUGH_ROWS
}

/**
 * First pages of the queued accounts, several in parallel after the first account; further pages of an account
 * sequentially.
 */
async function readQueue(session: Session, profile: Profile, progress: Progress, batch: Batch): Promise<void> {
  const ask = async ({ id }: Queued, at: Position) => {
    batch.calls += 1
    return await fetchPage(session, profile, progress, id, at)
  }
  const [begun] = progress.queue
  const begunAt = progress.at ?? START
  const firstPages = fetchAhead(
    [...progress.queue],
    async (account) => ({ account, first: await ask(account, account === begun ? begunAt : START) }),
    { isFirstAlone: true, isEnough: () => isFull(batch) },
  )
  for await (const { account, first } of firstPages) {
    await take(profile, progress, account, first, batch)
    while (progress.at !== null) {
      if (isFull(batch)) return
      await take(profile, progress, account, await ask(account, progress.at), batch)
    }
  }
}

async function refill(session: Session, profile: Profile, progress: Progress, batch: Batch): Promise<void> {
  batch.calls += 1
  const { accounts, next } = await listAccounts(session, profile, progress.list ?? START)
  progress.list = next
  progress.queue = accounts
}

/** Null when the bank has no data for this account. */
async function fetchPage(session: Session, profile: Profile, progress: Progress, id: string, at: Position): Promise<HttpResponse | null> {
  const query = { ...windowOf(profile, progress, id), ...pageQuery(profile, at) }
  try {
    return await getResource(session, profile, WHAT, forAccount(profile.transactions.path, id), query)
  } catch (error) {
    if (error instanceof FdxError && error.isOfOneAccount) return null
    throw error
  }
}

/** Takes one page of the first account of the queue, at `progress.at`. */
async function take(
  profile: Profile,
  progress: Progress,
  { id, currency }: Queued,
  response: HttpResponse | null,
  batch: Batch,
): Promise<void> {
  const open = progress.open.get(id) ?? []
  if (response !== null) {
    const body: Json = response.status === 204 ? { transactions: [] } : await responseJson(response, WHAT)
    const rows = listRows(body, 'transactions')
    const ids = await distinctInSlices(rows, (row) => transactionIdOf(row) ?? [])
    const [first = null] = ids
    const { next } = readNext(profile, body, progress.at ?? START, { count: rows.length, first })
    if (rows.length > 0) {
      const name = `rows-${batch.parts.length}`
      batch.parts.push({ name, accountId: id, currency })
      batch.bodies[name] = response.body
      batch.rows += rows.length
    }
    const met = [...(progress.pending.get(id) ?? []), ...(await listPending(rows))]
    const superseded = await findSuperseded(rows, [...open, ...met])
    const missing = open.filter((each) => !ids.has(each) && !superseded.has(each))
    keep(
      progress.pending,
      id,
      [...new Set(met)].filter((each) => !superseded.has(each)),
    )
    keep(progress.open, id, missing)
    for (const each of superseded) batch.gone.push([id, each])
    batch.taken += 1
    progress.at = next
    if (next !== null) return
    // The whole window was read: its pending transactions that were not listed are removed.
    for (const each of missing) batch.gone.push([id, each])
    progress.read.add(digestOf(id))
  } else {
    // No response about this account's transactions: its pending ones stay so.
    keep(progress.pending, id, open)
    batch.taken += 1
  }
  progress.open.delete(id)
  progress.queue.shift()
  progress.at = null
}

function keep(ids: Map<string, string[]>, id: string, some: string[]): void {
  if (some.length > 0) ids.set(id, some)
  else ids.delete(id)
}

function windowOf({ transactions }: Profile, { since, through, read }: Progress, id: string): Record<string, string> {
  const from = since !== null && read.has(digestOf(id)) ? daysAfter(since, -OVERLAP_DAYS) : daysAfter(through, -transactions.days)
  const print = (day: string) => (transactions.dates === 'day' ? day : `${day}T00:00:00.000Z`)
  // The bank's day may have begun already.
  return { startTime: print(from), endTime: print(daysAfter(through, 1)) }
}

function daysAfter(day: string, count: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + count * DAY_MS).toISOString().slice(0, 10)
}

/** Digest, long enough to recognize an account; ids are long, and there may be thousands. */
function digestOf(id: string): string {
  return createHash('sha256').update(id).digest('base64url').slice(0, 10)
}
