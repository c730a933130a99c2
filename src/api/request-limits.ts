import type { FastifyReply } from 'fastify'
import { ApiError, tooManyRequests } from './errors.ts'

/** Requests counted since a window began. */
interface Window {
  count: number
  endsAtMs: number
}

const WINDOW_MS = 60_000
/** Beyond this many counters, those whose minute is over are dropped. */
const MOST_WINDOWS = 50_000

/**
 * Counts requests by a key in windows of one minute, in this process only: it keeps one caller from taking a process for himself. What
 * must hold across processes (guesses at passwords) is counted in the database.
 */
export class RequestLimit {
  readonly #perMinute: number
  readonly #windows = new Map<string, Window>()

  /** 0 counts nothing. */
  constructor(perMinute: number) {
    this.#perMinute = perMinute
  }

  /** Counts one request and throws a 429 beyond the limit; says how much is left in the headers of `reply` where one is given. */
  count(key: string, nowMs: number, reply?: FastifyReply): void {
    if (this.#perMinute === 0) return
    const window = this.#windowOf(key, nowMs)
    window.count += 1
    if (window.count > this.#perMinute) {
      const refusal = tooManyRequests((window.endsAtMs - nowMs) / 1000)
      throw new ApiError(429, refusal.message, { headers: { ...this.#headersOf(window, nowMs), ...refusal.headers } })
    }
    if (reply) for (const [name, value] of Object.entries(this.#headersOf(window, nowMs))) reply.header(name, value)
  }

  #windowOf(key: string, nowMs: number): Window {
    const known = this.#windows.get(key)
    if (known && nowMs < known.endsAtMs && known.endsAtMs <= nowMs + WINDOW_MS) return known
    if (!known && this.#windows.size >= MOST_WINDOWS) this.#dropOver(nowMs)
    const window = { count: 0, endsAtMs: nowMs + WINDOW_MS }
    this.#windows.set(key, window)
    return window
  }

  #dropOver(nowMs: number): void {
    for (const [key, window] of this.#windows) if (window.endsAtMs <= nowMs) this.#windows.delete(key)
    if (this.#windows.size >= MOST_WINDOWS) this.#windows.clear()
  }

  /** Source: https://datatracker.ietf.org/doc/html/draft-ietf-httpapi-ratelimit-headers-06 */
  #headersOf(window: Window, nowMs: number) {
    return {
      'ratelimit-limit': String(this.#perMinute),
      'ratelimit-remaining': String(Math.max(0, this.#perMinute - window.count)),
      'ratelimit-reset': String(Math.max(1, Math.ceil((window.endsAtMs - nowMs) / 1000))),
    }
  }
}
