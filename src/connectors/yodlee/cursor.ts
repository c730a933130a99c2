import type { Json } from '../../model/values/json.ts'
import { SourceError } from '../contract/contract.ts'
import { isJsonObject } from '../toolkit/http/answers.ts'
import { toTransactionId } from './map.ts'
import { idText } from './secret.ts'

const DAY_S = 86_400
/** Overlap window: pending transactions are booked or deleted within three weeks. */
const WINDOW_DAYS = 21
/** History of Yodlee: two years. */
const HISTORY_DAYS = 730
/** Interval of full reads: earlier changes are only visible then. */
const WHOLE_DAYS = 30
/** Maximum number of recent transactions that are remembered; of a login with more, only the pending ones. */
const MAX_KNOWN = 2_000

/** Transaction read by a run: its id, its day, whether it is pending. */
export type Known = [id: string, day: string, isPending: boolean]

/** Position of a run within one group of accounts. */
export type PageCursor = { skip: number; total: number | null; count: number; first: string | null }

export const START: PageCursor = { skip: 0, total: null, count: 0, first: null }

/** Progress of a run. Times are seconds since 1970. */
export type Progress = {
  /** Start of the run, and of the last full run. */
  at: number
  wholeAt: number
  from: string
  providerAccountId: string
  /** Groups of accounts that are still to be read; null at the start. */
  groups: string[] | null
  place: PageCursor
  /** Known from the previous run and not yet read by this one. */
  missing: Known[]
  /** Read by this run. */
  recent: Known[]
}

export function dayOf(seconds: number): string {
  return new Date(seconds * 1_000).toISOString().slice(0, 10)
}

export function startOf(at: number, isWhole: boolean): string {
  return dayOf(at - (isWhole ? HISTORY_DAYS : WINDOW_DAYS) * DAY_S)
}

/** Transactions of a page that the next run should find again. */
export function recentOf(rows: readonly unknown[], from: string): Known[] {
  return rows.flatMap((row): Known[] => {
    if (!isJsonObject(row)) return []
    const id = idText(row.id)
    const { CONTAINER, date, status } = row
    if (id === null || typeof CONTAINER !== 'string' || typeof date !== 'string' || status === 'FAILED' || date < from) return []
    return [[toTransactionId({ id, CONTAINER }), date.slice(0, 10), status === 'PENDING' || status === 'SCHEDULED']]
  })
}

/** Parses a cursor. A cursor of another provider account (the owner had to link again) starts from the beginning. */
export function readProgress(cursor: Json | null, now: Date, providerAccountId: string): Progress {
  const at = Math.floor(now.getTime() / 1_000)
  if (cursor === null) return begin(at, providerAccountId)
  if (!isJsonObject(cursor) || !isCount(cursor.at) || !isCount(cursor.wholeAt)) throw notOurs()
  if (cursor.providerAccountId !== providerAccountId) return begin(at, providerAccountId)
  if (cursor.place === undefined) {
    const isWhole = at - cursor.wholeAt >= WHOLE_DAYS * DAY_S
    const from = startOf(Math.min(cursor.at, at), isWhole)
    return { ...begin(at, providerAccountId), wholeAt: isWhole ? at : cursor.wholeAt, from, missing: readKnown(cursor.recent) }
  }
  if (typeof cursor.from !== 'string' || !Array.isArray(cursor.groups)) throw notOurs()
  const groups = cursor.groups.filter((group) => typeof group === 'string')
  const { from, wholeAt } = cursor
  const [missing, recent] = [readKnown(cursor.missing), readKnown(cursor.recent)]
  return { at: cursor.at, wholeAt, from, providerAccountId, groups, place: readCursor(cursor.place), missing, recent }
}

function begin(at: number, providerAccountId: string): Progress {
  return { at, wholeAt: at, from: startOf(at, true), providerAccountId, groups: null, place: START, missing: [], recent: [] }
}

function readCursor(value: Json): PageCursor {
  if (!isJsonObject(value)) throw notOurs()
  const { skip, total, count, first } = value
  if (!isCount(skip) || !isCount(count) || !(total === null || isCount(total)) || !(first === null || typeof first === 'string'))
    throw notOurs()
  return { skip, total, count, first }
}

function readKnown(value: Json | undefined): Known[] {
  const known = (Array.isArray(value) ? value : []).flatMap((each): Known[] => {
    const [id, day, isPending] = Array.isArray(each) ? each : []
    return typeof id === 'string' && typeof day === 'string' ? [[id, day, isPending === true]] : []
  })
  return known.length > MAX_KNOWN ? known.filter(([, , isPending]) => isPending) : known
}

function isCount(value: Json | undefined): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

function notOurs(): SourceError {
  return new SourceError('badData', 'the cursor is not one of ours')
}
