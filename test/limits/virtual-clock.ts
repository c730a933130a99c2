import { setImmediate as turn } from 'node:timers/promises'
import type pg from 'pg'
import type { Db } from '../../src/store/db/database.ts'
import type { RateLimiterClock } from '../../src/sync/rate-limits/rate-limiter-clock.ts'

/** Monday, 2 November 2026, 00:00 UTC. */
const EPOCH_MS = Date.UTC(2026, 10, 2)

interface Timer {
  atMs: number
  /** Order number: timers of one instant fire in the order in which they were set. */
  turn: number
  work: (() => void) | null
}

/**
 * Virtual time that advances when nothing else can happen: no statement is running and every task waits for a later
 * instant.
 */
export class VirtualClock implements RateLimiterClock {
  readonly #startMs: number
  #nowMs = 0
  #turn = 0
  #statements = 0
  #wake: () => void = () => undefined
  readonly #timers: Timer[] = []
  /** Number of statements through watched databases. */
  asked = 0

  /** `startMs`: start of virtual time, as the database sees it. */
  constructor(startMs = EPOCH_MS) {
    this.#startMs = startMs
  }

  nowMs(): number {
    return this.#nowMs
  }

  databaseTime(): Date {
    return new Date(this.#startMs + this.#nowMs)
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.after(ms, resolve)
    })
  }

  after(ms: number, work: () => void): () => void {
    const timer: Timer = { atMs: Math.ceil(this.#nowMs + Math.max(0, ms)), turn: this.#turn++, work }
    push(this.#timers, timer)
    return () => {
      timer.work = null
    }
  }

  /** Wraps a database so that its statements stop the clock. Statements of a dead process are dropped. */
  watch(db: Db, isAlive: () => boolean = () => true): Db {
    const query = async (text: string | pg.QueryConfig, values?: unknown[]) => {
      if (!isAlive()) throw new Error('killed')
      this.#statements += 1
      this.asked += 1
      try {
        return await (typeof text === 'string' ? db.query(text, values) : db.query(text))
      } finally {
        this.#statements -= 1
        if (this.#statements === 0) this.#wake()
      }
    }
    return { query: query as Db['query'] }
  }

  /** Advances time until this work is done. */
  async runUntil<T>(work: Promise<T>): Promise<T> {
    let isDone = false
    const done = work.finally(() => {
      isDone = true
    })
    done.catch(() => undefined)
    for (;;) {
      await this.#settle()
      if (isDone) return await done
      const next = pop(this.#timers)
      if (!next) throw new Error('everything waits and no timer is set')
      if (!next.work) continue
      this.#nowMs = Math.max(this.#nowMs, next.atMs)
      next.work()
    }
  }

  /** Resolves once no statement is running and its effects have settled. */
  async #settle(): Promise<void> {
    for (;;) {
      await turn()
      if (this.#statements === 0) return
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }
}

function isBefore(a: Timer, b: Timer): boolean {
  return a.atMs === b.atMs ? a.turn < b.turn : a.atMs < b.atMs
}

/** Binary heap with the earliest timer first. */
function push(heap: Timer[], timer: Timer): void {
  let at = heap.push(timer) - 1
  while (at > 0) {
    const above = (at - 1) >> 1
    const parent = heap[above]
    if (!parent || !isBefore(timer, parent)) break
    heap[at] = parent
    at = above
  }
  heap[at] = timer
}

function pop(heap: Timer[]): Timer | undefined {
  const first = heap[0]
  const last = heap.pop()
  if (!first || !last || heap.length === 0) return first
  let at = 0
  for (;;) {
    const left = heap[2 * at + 1]
    const right = heap[2 * at + 2]
    const below = right && left && isBefore(right, left) ? 2 * at + 2 : 2 * at + 1
    const child = heap[below]
    if (!child || !isBefore(child, last)) break
    heap[at] = child
    at = below
  }
  heap[at] = last
  return first
}
