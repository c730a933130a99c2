import type { Json } from '../../model/values/json.ts'
import { isJsonObject } from '../toolkit/http/answers.ts'
import type { Slow } from './session.ts'

const DAY_MS = 86_400_000
/** Overlap: a pending transaction is booked or dropped well within this. */
const RECENT_MS = 15 * DAY_MS
/**
 * Maximum number of remembered transactions: with more of them none is remembered, since the cursor is stored with each
 * run.
 */
const MAX_REMEMBERED = 5_000
/** Maximum pause: after a longer one, removed transactions cannot be distinguished from those too old to be listed. */
const MAX_PAUSE_MS = 60 * DAY_MS

/** Ids of transactions by account. */
export type Remembered = Map<string, string[]>

/** Progress of a run; times in milliseconds. */
export interface Progress {
  slow: Slow
  at: number
  days: 'Days90' | 'Days365'
  /** Remaining accounts; null before they were listed. */
  left: string[] | null
  /** Recent transactions listed by the previous run. */
  before: Remembered
  /** Recent transactions listed by this run. */
  recent: Remembered
}

export function writeProgress({ slow, left, before, recent, ...rest }: Progress): Json {
  const parts = { before: Object.fromEntries(before), recent: Object.fromEntries(recent) }
  return { ...rest, ...parts, slow: { ...slow }, left: left === null ? null : left.join(' ') }
}

/** Resume cursor of the next run. */
export function writeResume({ at, recent }: Progress): Json {
  return { at, recent: Object.fromEntries(recent) }
}

/** Parsed progress; null for any other value than one of `writeProgress`. */
export function readProgress(cursor: Json | null): Progress | null {
  if (!isJsonObject(cursor) || !isJsonObject(cursor.slow) || typeof cursor.slow.requestId !== 'string' || typeof cursor.at !== 'number')
    return null
  const { requestId, since, sessions } = cursor.slow
  return {
    slow: { requestId, since: typeof since === 'number' ? since : null, sessions: typeof sessions === 'number' ? sessions : 1 },
    at: cursor.at,
    days: cursor.days === 'Days90' ? 'Days90' : 'Days365',
    left: typeof cursor.left === 'string' ? cursor.left.split(' ').filter((id) => id !== '') : null,
    before: readRemembered(cursor.before),
    recent: readRemembered(cursor.recent),
  }
}

/** Transactions remembered by the last run; null when everything has to be read. */
export function readResume(cursor: Json | null, nowMs: number): { recent: Remembered } | null {
  if (!isJsonObject(cursor) || typeof cursor.at !== 'number' || nowMs - cursor.at > MAX_PAUSE_MS) return null
  const recent = readRemembered(cursor.recent)
  const count = [...recent.values()].reduce((sum, ids) => sum + ids.length, 0)
  return { recent: count > MAX_REMEMBERED ? new Map() : recent }
}

/** Whether a transaction of that day is recent enough to be changed by its bank. */
export function isRecent(day: unknown, nowMs: number): boolean {
  const at = typeof day === 'string' ? Date.parse(`${day.slice(0, 10).replaceAll('/', '-')}T00:00:00Z`) : Number.NaN
  return nowMs - at <= RECENT_MS
}

function readRemembered(value: Json | undefined): Remembered {
  const entries = isJsonObject(value) ? Object.entries(value) : []
  return new Map(entries.map(([account, ids]) => [account, Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : []]))
}
