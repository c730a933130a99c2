import type { Json } from '../../model/values/json.ts'
import { isJsonObject } from '../toolkit/answers.ts'
import type { Slow } from './session.ts'

const DAY_MS = 86_400_000
/** What banks still change: a pending movement is booked or dropped well within this. */
const RECENT_MS = 15 * DAY_MS
/** Of more movements of these days none is remembered: the cursor is kept with each run. */
const MAX_REMEMBERED = 5_000
/** A run after more than this cannot tell what was taken back from what is too old to be shown. */
const MAX_PAUSE_MS = 60 * DAY_MS

/** Ids of movements by account. */
export type Remembered = Map<string, string[]>

/** Where a run stands; times in milliseconds. */
export interface Progress {
  slow: Slow
  at: number
  days: 'Days90' | 'Days365'
  /** Accounts that are left; null before they were listed. */
  left: string[] | null
  /** What the last run has seen of its last days. */
  before: Remembered
  /** What this run sees of its last days. */
  recent: Remembered
}

export function writeProgress({ slow, left, before, recent, ...rest }: Progress): Json {
  const parts = { before: Object.fromEntries(before), recent: Object.fromEntries(recent) }
  return { ...rest, ...parts, slow: { ...slow }, left: left === null ? null : left.join(' ') }
}

/** What the next run starts with. */
export function writeResume({ at, recent }: Progress): Json {
  return { at, recent: Object.fromEntries(recent) }
}

/** Null for anything that `writeProgress` did not write. */
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

/** What the last run remembered; null when everything has to be read. */
export function readResume(cursor: Json | null, nowMs: number): { recent: Remembered } | null {
  if (!isJsonObject(cursor) || typeof cursor.at !== 'number' || nowMs - cursor.at > MAX_PAUSE_MS) return null
  const recent = readRemembered(cursor.recent)
  const count = [...recent.values()].reduce((sum, ids) => sum + ids.length, 0)
  return { recent: count > MAX_REMEMBERED ? new Map() : recent }
}

/** Whether a movement of that day is young enough to be changed by its bank. */
export function isRecent(day: unknown, nowMs: number): boolean {
  const at = typeof day === 'string' ? Date.parse(`${day.slice(0, 10).replaceAll('/', '-')}T00:00:00Z`) : Number.NaN
  return nowMs - at <= RECENT_MS
}

function readRemembered(value: Json | undefined): Remembered {
  const entries = isJsonObject(value) ? Object.entries(value) : []
  return new Map(entries.map(([account, ids]) => [account, Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : []]))
}
