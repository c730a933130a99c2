import type { Db } from '../database.ts'
import { MOST_COUNTED } from '../list-selection.ts'

const KEPT_MS = 60_000
/** A count is kept for so many times as long as it took, if that is longer: counting takes at most this part of the time. */
const KEPT_TIMES = 50

interface Kept<Value> {
  value: Value
  untilMs: number
}

/** Counts that are shown, and decide nothing: one of more than `MOST_COUNTED` rows is kept in the process for a minute. */
export class KeptCounts<Value> {
  readonly #kept = new WeakMap<Db, Map<string, Kept<Value>>>()

  /** `rows`: how many rows `count` looked at. */
  async read(db: Db, key: string, count: () => Promise<{ value: Value; rows: number }>): Promise<Value> {
    const kept = this.#kept.get(db) ?? new Map<string, Kept<Value>>()
    this.#kept.set(db, kept)
    const startedMs = performance.now()
    for (const [old, { untilMs }] of kept) if (untilMs <= startedMs) kept.delete(old)
    const last = kept.get(key)
    if (last) return last.value
    const { value, rows } = await count()
    const endedMs = performance.now()
    if (rows > MOST_COUNTED) kept.set(key, { value, untilMs: endedMs + Math.max(KEPT_MS, KEPT_TIMES * (endedMs - startedMs)) })
    return value
  }
}
