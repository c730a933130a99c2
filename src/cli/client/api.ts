import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { type Static, type TSchema, Type } from 'typebox'
import { Check } from 'typebox/value'
import { RELEASE } from '../../model/release.ts'
import { reasonOf } from '../../model/texts/reason-of.ts'
import type { Profile } from './profiles.ts'

const DEADLINE_MS = 30_000
const MAX_TRIES = 3
const LONGEST_DELAY_MS = 30_000
/** Timers beyond 24 days fire at once. */
const LONGEST_RETRY_AFTER_MS = 86_400_000

const Problem = Type.Object({
  detail: Type.String(),
  errors: Type.Optional(Type.Array(Type.Object({ field: Type.String(), message: Type.String() }))),
})

export interface Call {
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  body?: unknown
  headers?: Record<string, string>
}

/** Thrown when the deployment refuses a request or gives no usable response; the message says what to do. */
export class ApiFailure extends Error {
  override readonly name = 'ApiFailure'
  /** Null: there was no response. */
  readonly status: number | null
  /** Wait that the deployment asks for; 0 if it names none. */
  readonly retryAfterMs: number

  constructor(message: string, status: number | null, cause?: unknown, retryAfterMs = 0) {
    super(message, { cause })
    this.status = status
    this.retryAfterMs = retryAfterMs
  }

  /** Whether a retry may succeed. */
  get isTemporary(): boolean {
    return this.status === null || this.status === 429 || this.status >= 500
  }
}

/**
 * API of one deployment, called with one key. Requests that are refused temporarily (429, 503) are retried, then
 * reported.
 */
export class Api {
  readonly address: string
  readonly #key: string
  readonly #signal: AbortSignal | null

  /** `signal` aborts requests and waits with its reason. */
  constructor({ address, key }: Profile, signal: AbortSignal | null = null) {
    this.address = address
    this.#key = key
    this.#signal = signal
  }

  /** One JSON answer; `path` is relative to `/admin/api/v1`. Throws `ApiFailure`. */
  async read<T extends TSchema>(shape: T, path: string, call: Call = {}): Promise<Static<T>> {
    const response = await this.#send(path, call, DEADLINE_MS)
    const value = parse(await this.#textOf(response))
    if (Check(shape, value)) return value
    throw new ApiFailure(`${this.address} answers, but not as the API of Countinghouse ${RELEASE} does`, response.status)
  }

  /** Response body as sent, for callers that need numbers at full precision. Throws `ApiFailure`. */
  async readText(path: string): Promise<string> {
    return await this.#textOf(await this.#send(path, {}, DEADLINE_MS))
  }

  /** Request whose response body is not read. */
  async act(path: string, call: Call): Promise<void> {
    await (await this.#send(path, call, DEADLINE_MS)).body?.cancel()
  }

  /** Response of any length, without a deadline once it has begun. */
  async open(path: string, call: Call = {}): Promise<Response> {
    return await this.#send(path, call, null)
  }

  async #send(path: string, call: Call, deadlineMs: number | null): Promise<Response> {
    // One key for all attempts, so that a retry creates nothing twice.
    const own = call.method === 'POST' ? { 'idempotency-key': randomUUID() } : {}
    for (let tried = 1; ; tried += 1) {
      const response = await this.#once(path, { ...call, headers: { ...own, ...call.headers } }, deadlineMs)
      if (response.ok) return response
      const delayMs = readRetryAfterMs(response) ?? 1000
      const mayRepeat = (response.status === 429 || response.status === 503) && delayMs <= LONGEST_DELAY_MS
      if (tried === MAX_TRIES || !mayRepeat) throw await this.#toFailure(response)
      await response.body?.cancel()
      await wait(delayMs, undefined, this.#signal ? { signal: this.#signal } : {})
    }
  }

  async #once(path: string, { method = 'GET', body, headers }: Call, deadlineMs: number | null): Promise<Response> {
    const deadline = deadlineMs === null ? [] : [AbortSignal.timeout(deadlineMs)]
    try {
      return await fetch(`${this.address}/admin/api/v1${path}`, {
        method,
        redirect: 'manual',
        signal: AbortSignal.any([...deadline, ...(this.#signal ? [this.#signal] : [])]),
        headers: {
          accept: 'application/json',
          authorization: `Bearer ${this.#key}`,
          'user-agent': `countinghouse-cli/${RELEASE}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
    } catch (error) {
      if (this.#signal?.aborted) throw error
      throw new ApiFailure(`${this.address} cannot be reached: ${fetchReasonOf(error)}`, null, error)
    }
  }

  /** Body of a response; an interruption is a temporary failure. */
  async #textOf(response: Response): Promise<string> {
    try {
      return await response.text()
    } catch (error) {
      if (this.#signal?.aborted) throw error
      throw new ApiFailure(`${this.address} broke its answer off: ${fetchReasonOf(error)}`, null, error)
    }
  }

  async #toFailure(response: Response): Promise<ApiFailure> {
    const message = this.#explain(response, parse(await this.#textOf(response)))
    return new ApiFailure(message, response.status, undefined, readRetryAfterMs(response) ?? 0)
  }

  #explain({ status, headers }: Response, body: unknown): string {
    const location = headers.get('location')
    if (!Check(Problem, body)) {
      const what = location === null ? `answers ${status}, not as Countinghouse does` : `redirects to ${location}`
      return `${this.address} ${what}; is it the address of the deployment?`
    }
    const { detail, errors = [] } = body
    const text = [detail, ...errors.map(({ field, message }) => `${field} ${message}`)].join('\n')
    if (status === 401) return `${this.address} refuses the API key: ${text}\nLog in with another: countinghouse login ${this.address}`
    if (status === 403 && /scope/.test(detail))
      return `${text}\nAn administrator creates one that has it, on the page “API keys” of the portal.`
    return text
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** `Retry-After` in seconds or as a date; null if missing or invalid. */
function readRetryAfterMs({ headers }: Response): number | null {
  const value = headers.get('retry-after')?.trim() ?? ''
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now()
  return Number.isNaN(ms) ? null : Math.min(Math.max(0, ms), LONGEST_RETRY_AFTER_MS)
}

/** Reason of a `fetch` error, which is hidden in its cause. */
export function fetchReasonOf(error: unknown): string {
  if (!(error instanceof Error)) return reasonOf(error)
  if (error.name === 'TimeoutError') return 'it did not answer in time'
  const { cause } = error
  if (cause instanceof AggregateError && cause.errors.length > 0) return fetchReasonOf(cause.errors[0])
  return reasonOf(cause instanceof Error ? cause : error)
}
