import { flatMapInSlices, slicesOf } from '../../model/steps/slices.ts'
import type { Json } from '../../model/values/json.ts'
import { type Kit, type Page, type Pull, type Session, SourceError } from '../contract/contract.ts'
import { isJsonObject, jsonBytes, responseJson } from '../toolkit/http/answers.ts'
import { checkEnvelope } from '../toolkit/values/wire-schemas.ts'
import { type ListedAccount, type Progress, type Resume, readProgress, readResume, writeProgress } from './cursor.ts'
import { fetchLogin, requireHeads } from './login-accounts.ts'
import { idOf, LOAN_GROUP, PATH, readTransactions } from './read.ts'
import { callFinicity, FinicityError } from './request.ts'
import { readSecret } from './secret.ts'
import { type AccountHead, TransactionsAnswer } from './wire.ts'

const DAY_SECONDS = 86_400
/** First window: 180 days exist when an account is added, and more with time. */
const FIRST_WINDOW_SECONDS = 730 * DAY_SECONDS
/** Overlap: banks enter transactions late and change them, so the days before the last run are read again. */
const OVERLAP_SECONDS = 14 * DAY_SECONDS

/** Maximum rows of one response. */
const LIMIT = 1_000
/** Calls per page, for several accounts. */
const CALLS = 10

/**
 * Transactions by windows of days, account by account. A pending one keeps its id when it is booked, or is replaced by
 * one with another id; Finicity does not say which, so pending ones are remembered and those no longer listed are
 * removed.
 * Source: https://developer.mastercard.com/open-finance-us/documentation/products/manage/transaction-data/understanding-transaction-data/
 */
export const transactionsPull: Pull = {
  name: 'transactions',
  delivers: ['Transactions'],
  fetch: fetchTransactions,
  read: readTransactions,
}

async function fetchTransactions({ kit, credentials }: Session, cursor: Json | null): Promise<Page> {
  const secret = readSecret(credentials)
  const progress =
    readProgress(cursor) ??
    (await begin(await requireHeads(await fetchLogin(kit, secret)), readResume(cursor, secret.institutionLoginId), kit))
  const answers: Record<string, Uint8Array> = {}
  const accounts: ListedAccount[] = []
  let rows = 0
  for (let call = 0; call < CALLS && rows < LIMIT; call += 1) {
    const [account] = progress.queue
    if (!account) break
    const body = await fetchSlice(kit, secret, account, progress)
    if (body) {
      answers[`transactions${call}`] = body
      rows += await advance(progress, body)
    } else toNextAccount(progress)
    accounts.push(account)
  }
  const common = accounts.length === 0 ? answers : { ...answers, accounts: jsonBytes(accounts.map((account) => ({ ...account }))) }
  if (progress.queue.length > 0) return { answers: common, next: writeProgress(progress), listing: 'changes' }
  const gone = progress.waiting.size === 0 ? {} : { gone: jsonBytes([...progress.waiting]) }
  const resume = { login: secret.institutionLoginId, until: progress.to, pending: [...progress.pending], oldest: progress.oldest }
  return { answers: { ...common, ...gone }, next: null, resume, listing: 'changes' }
}

async function begin(heads: readonly AccountHead[], resume: Resume | null, kit: Kit): Promise<Progress> {
  const now = Math.floor(kit.now().getTime() / 1000)
  const from = resume ? Math.min(resume.until - OVERLAP_SECONDS, (resume.oldest ?? now) - DAY_SECONDS) : now - FIRST_WINDOW_SECONDS
  const queue = await flatMapInSlices(heads, ({ id, type, currency }) =>
    type === LOAN_GROUP ? [] : { id: String(id), type: type ?? '', currency: currency ?? '' },
  )
  // The day of banks east of us has begun already.
  return { from, to: now + DAY_SECONDS, queue, start: 1, first: null, waiting: new Set(resume?.pending), pending: new Set(), oldest: null }
}

/** Null for an account that was removed since it was listed. */
async function fetchSlice(
  kit: Kit,
  { token, customerId }: { token: string; customerId: string },
  account: ListedAccount,
  { from, to, start }: Progress,
): Promise<Uint8Array | null> {
  const window = { fromDate: String(Math.max(0, from)), toDate: String(to) }
  const query = { ...window, start: String(start), limit: String(LIMIT), sort: 'asc', includePending: 'true' }
  try {
    return (await callFinicity(kit, token, { path: PATH, ids: [customerId, account.id], query })).body
  } catch (error) {
    if (error instanceof FinicityError && error.isGone) return null
    throw error
  }
}

/** Updates the progress with one response; returns its number of rows. */
async function advance(progress: Progress, body: Uint8Array): Promise<number> {
  const { moreAvailable, transactions } = checkEnvelope(
    TransactionsAnswer,
    await responseJson({ status: 200, headers: {}, body }, PATH),
    PATH,
  )
  for await (const rows of slicesOf(transactions)) for (const row of rows) note(progress, row)
  const first = idOf(transactions[0])
  if (String(moreAvailable) === 'true') {
    if (first === null || first === progress.first) throw new SourceError('badData', `${PATH}: more is promised, but the list stands still`)
    progress.first = first
    progress.start += transactions.length
  } else {
    if (first !== null && first === progress.first) throw new SourceError('badData', `${PATH}: the last answer repeats the one before`)
    toNextAccount(progress)
  }
  return transactions.length
}

function note(progress: Progress, row: unknown): void {
  const id = idOf(row)
  if (id === null || !isJsonObject(row)) return
  progress.waiting.delete(id)
  if (row.status !== 'pending') return
  progress.pending.add(id)
  const day = [row.transactionDate, row.postedDate, row.createdDate].find((each) => typeof each === 'number' && each > 0)
  if (typeof day === 'number') progress.oldest = Math.min(progress.oldest ?? day, day)
}

function toNextAccount(progress: Progress): void {
  progress.queue.shift()
  progress.start = 1
  progress.first = null
}
