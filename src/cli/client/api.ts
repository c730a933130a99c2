import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { type Static, type TSchema, Type } from 'typebox'
import { Check } from 'typebox/value'
import { RELEASE } from '../../model/release.ts'
import type { Profile } from './profiles.ts'

const DEADLINE_MS = 30_000
const MAX_TRIES = 3
const LONGEST_DELAY_S = 30

const Problem = Type.Object({
  detail: Type.String(),
  errors: Type.Optional(Type.Array(Type.Object({ field: Type.String(), message: Type.String() }))),
})

export interface Call {
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  body?: unknown
  headers?: Record<string, string>
}

/** Thrown when the deployment refuses a request or gives no usable answer; the message says what to do. */
export class ApiFailure extends Error {
  override readonly name = 'ApiFailure'
  /** Null: there was no answer. */
  readonly status: number | null

  constructor(message: string, status: number | null, cause?: unknown) {
    super(message, { cause })
    this.status = status
  }

  /** Whether the same request may succeed later. */
  get isTemporary(): boolean {
    return this.status === null || this.status === 429 || this.status >= 500
  }
}

/** API of one deployment with one key. Requests that it refuses for a moment (429, 503) are repeated, then reported. */
export class Api {
  readonly address: string
  readonly #key: string
  readonly #signal: AbortSignal | null

  /** `signal` ends requests and waits with its reason. */
  constructor({ address, key }: Profile, signal: AbortSignal | null = null) {
    this.address = address
    this.#key = key
    this.#signal = signal
  }

  /** One JSON answer; `path` is relative to `/admin/api/v1`. Throws `ApiFailure`. */
  async read<T extends TSchema>(shape: T, path: string, call: Call = {}): Promise<Static<T>> {
    const response = await this.#send(path, call, DEADLINE_MS)
    const value = await response.json().catch(() => undefined)
    if (Check(shape, value)) return value
    throw new ApiFailure(`${this.address} answers, but not as the API of Countinghouse ${RELEASE} does`, response.status)
  }

  /** A request without an answer to read. */
  async act(path: string, call: Call): Promise<void> {
    await (await this.#send(path, call, DEADLINE_MS)).body?.cancel()
  }

  /** An answer of any length, without a deadline once it has begun. */
  async open(path: string, call: Call = {}): Promise<Response> {
    return await this.#send(path, call, null)
  }

  async #send(path: string, call: Call, deadlineMs: number | null): Promise<Response> {
    // One key for all tries, so that a repetition creates nothing twice.
    const own = call.method === 'POST' ? { 'idempotency-key': randomUUID() } : {}
    for (let tried = 1; ; tried += 1) {
      const response = await this.#once(path, { ...call, headers: { ...own, ...call.headers } }, deadlineMs)
      if (response.ok) return response
      const delayS = Number(response.headers.get('retry-after') ?? 1)
      const mayRepeat = (response.status === 429 || response.status === 503) && delayS <= LONGEST_DELAY_S
      if (tried === MAX_TRIES || !mayRepeat) throw await this.#toFailure(response)
      await response.body?.cancel()
      await wait(delayS * 1000, undefined, this.#signal ? { signal: this.#signal } : {})
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
      throw new ApiFailure(`${this.address} cannot be reached: ${reasonOf(error)}`, null, error)
    }
  }

  async #toFailure(response: Response): Promise<ApiFailure> {
    const { status } = response
    const location = response.headers.get('location')
    const body: unknown = await response.json().catch(() => null)
    if (!Check(Problem, body)) {
      const what = location === null ? `answers ${status}, not as Countinghouse does` : `forwards to ${location}`
      return new ApiFailure(`${this.address} ${what}; is it the address of the deployment?`, status)
    }
    const { detail, errors = [] } = body
    const text = [detail, ...errors.map(({ field, message }) => `${field} ${message}`)].join('\n')
    if (status === 401)
      return new ApiFailure(
        `${this.address} refuses the API key: ${text}\nLog in with another: countinghouse login ${this.address}`,
        status,
      )
    if (status === 403 && /scope/.test(detail))
      return new ApiFailure(`${text}\nAn administrator creates one that has it, on the page “API keys” of the portal.`, status)
    return new ApiFailure(text, status)
  }
}

/** What an error of `fetch` says, which hides it in its cause. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'TimeoutError') return 'it did not answer in time'
  const { cause } = error
  if (cause instanceof AggregateError && cause.errors.length > 0) return reasonOf(cause.errors[0])
  return cause instanceof Error ? cause.message || String('code' in cause ? cause.code : cause.name) : error.message
}
