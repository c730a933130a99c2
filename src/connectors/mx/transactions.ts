import type { Json } from '../../model/values/json.ts'
import type { Page, Pull, Session } from '../contract/contract.ts'
import { isJsonObject, jsonBytes, responseJson } from '../toolkit/http/answers.ts'
import { checkEnvelope } from '../toolkit/values/wire-schemas.ts'
import { fetchBank, pathOf } from './accounts.ts'
import { currencyOf } from './map.ts'
import { cursorAfter, guidsOf, notOurs, PAGE_SIZE, type PageCursor, readCursor, START } from './paging.ts'
import { readTransactions, textsIn } from './read.ts'
import { callMx } from './request.ts'
import { readSecret } from './secret.ts'
import { BankAnswer, TransactionsAnswer } from './wire.ts'

const DAY_MS = 86_400_000
/** 1 January 2000: start of all data that MX keeps. */
const BEGINNING_S = 946_684_800
/**
 * Overlap window: MX deletes transactions pending for longer than 14 days.
 * Source: TransactionResponse.status in its OpenAPI document
 */
const WINDOW_DAYS = 21
/** Interval of full reads: earlier changes and deletions are only visible then. */
const WHOLE_DAYS = 30

/**
 * Transactions of a member. MX often deletes a pending transaction and assigns another guid to the booked one, without
 * notice: so each run lists the last weeks, and known pending ones that are no longer listed are removed.
 */
export const transactionsPull: Pull = {
  name: 'transactions',
  delivers: ['Transactions'],
  fetch: fetchTransactions,
  read: readTransactions,
}

/** Progress of a run. Times are seconds since 1970. */
type Progress = {
  /** Start of the run, and of the last full run. */
  at: number
  wholeAt: number
  /** Start of the listed period. */
  from: number
  place: PageCursor
  /** Pending transactions known from the previous run and not yet read by this one. */
  missing: string[]
  /** Pending transactions read by this run. */
  pending: string[]
  currency: string
}

async function fetchTransactions(session: Session, cursor: Json | null): Promise<Page> {
  const { kit } = session
  const secret = readSecret(session.credentials)
  const progress = readProgress(cursor, kit.now())
  if (progress.place.page === 1) progress.currency = await currencyAt(session, secret.institutionCode)
  const response = await callMx(kit, {
    path: `${pathOf(secret)}/transactions`,
    query: { from_date: String(progress.from), page: String(progress.place.page), records_per_page: String(PAGE_SIZE) },
  })
  const { transactions, pagination } = checkEnvelope(TransactionsAnswer, await responseJson(response, 'transactions'), 'transactions')
  const ids = guidsOf(transactions)
  const place = cursorAfter(progress.place, ids, pagination, 'transactions')
  const met = new Set(ids)
  const missing = progress.missing.filter((id) => !met.has(id))
  const pending = [...new Set([...progress.pending, ...transactions.flatMap(pendingGuid)])]
  const isWhole = progress.from === BEGINNING_S
  const answers = { transactions: response.body, defaults: jsonBytes({ currency: progress.currency }) }
  if (place !== null) return { answers, next: { ...progress, place, missing, pending }, listing: isWhole ? 'complete' : 'changes' }
  const gone = isWhole || missing.length === 0 ? {} : { gone: jsonBytes(missing) }
  const resume = { at: progress.at, wholeAt: progress.wholeAt, pending }
  return { answers: { ...answers, ...gone }, next: null, resume, listing: isWhole ? 'complete' : 'changes' }
}

async function currencyAt({ kit }: Session, code: string | null): Promise<string> {
  const response = await fetchBank(kit, code)
  return response === null
    ? ''
    : currencyOf(checkEnvelope(BankAnswer, await responseJson(response, 'institution'), 'institution').institution.iso_country_code)
}

function pendingGuid(row: unknown): string[] {
  return isJsonObject(row) && row.status === 'PENDING' && typeof row.guid === 'string' ? [row.guid] : []
}

function readProgress(cursor: Json | null, now: Date): Progress {
  const at = Math.floor(now.getTime() / 1_000)
  if (cursor === null) return { at, wholeAt: at, from: BEGINNING_S, place: START, missing: [], pending: [], currency: '' }
  if (!isJsonObject(cursor) || !isSeconds(cursor.at) || !isSeconds(cursor.wholeAt)) throw notOurs()
  if (cursor.place === undefined) return nextRun(cursor.at, cursor.wholeAt, textsIn(cursor.pending ?? null), at)
  if (!isSeconds(cursor.from)) throw notOurs()
  return {
    at: cursor.at,
    wholeAt: cursor.wholeAt,
    from: cursor.from,
    place: readCursor(cursor.place),
    missing: textsIn(cursor.missing ?? null),
    pending: textsIn(cursor.pending ?? null),
    currency: typeof cursor.currency === 'string' ? cursor.currency : '',
  }
}

function nextRun(before: number, wholeAt: number, missing: string[], at: number): Progress {
  const isWhole = (at - wholeAt) * 1_000 >= WHOLE_DAYS * DAY_MS
  const from = isWhole ? BEGINNING_S : Math.min(before, at) - (WINDOW_DAYS * DAY_MS) / 1_000
  return { at, wholeAt: isWhole ? at : wholeAt, from, place: START, missing, pending: [], currency: '' }
}

function isSeconds(value: Json | undefined): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}
