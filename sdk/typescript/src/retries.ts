import { NoAnswerError, readRetryAfter } from './errors.ts'

export interface RetrySettings {
  fetch: typeof fetch
  /** Attempts after the first. */
  retries: number
  /** For one attempt: until its answer is there; for a stream, until it begins. */
  timeoutMs: number
  /** A longer `Retry-After` is not waited for: the answer is given as it is. */
  longestWaitMs: number
}

/** Refusals that pass. */
const PASSING = new Set([408, 429, 500, 502, 503, 504])
const FIRST_WAIT_MS = 500
const LONGEST_BACKOFF_MS = 8_000

/**
 * One request, repeated while that is safe and helps. After a refusal of 429 nothing was done, so every request is
 * repeated; after anything else only one that has the same effect twice: see `isRepeatable`.
 */
export async function fetchWithRetries(request: Request, settings: RetrySettings): Promise<Response> {
  for (let attempt = 1; ; attempt++) {
    const isLast = attempt > settings.retries
    let wait = backOff(attempt)
    try {
      const response = await fetchOnce(request.clone(), settings)
      if (isLast || !isWorthRepeating(request, response)) return response
      wait = Math.max(wait, readRetryAfter(response) ?? 0)
      if (wait > settings.longestWaitMs) return response
      await response.body?.cancel()
    } catch (error) {
      if (request.signal.aborted) throw request.signal.reason
      if (isLast || !isRepeatable(request)) throw NoAnswerError.ofAttempts(request, attempt, error)
    }
    await pause(wait, request.signal)
  }
}

/** Reads and replacements have the same effect twice; a POST has with its key, by which the API knows it again. */
function isRepeatable(request: Request): boolean {
  if (request.method === 'POST') return request.headers.has('idempotency-key')
  return request.method === 'GET' || request.method === 'HEAD' || !request.headers.has('if-match')
}

function isWorthRepeating(request: Request, response: Response): boolean {
  if (response.status === 429) return true
  // The first attempt with this key is still under way.
  if (response.status === 409) return request.method === 'POST' && response.headers.has('retry-after') && isRepeatable(request)
  return PASSING.has(response.status) && isRepeatable(request)
}

/** Half of it by chance, so that clients that failed together do not come again together. */
function backOff(attempt: number): number {
  const most = Math.min(FIRST_WAIT_MS * 2 ** (attempt - 1), LONGEST_BACKOFF_MS)
  return most / 2 + (Math.random() * most) / 2
}

/** One attempt. Whole answers are read here, so that one that breaks off counts as none; streams are not. */
async function fetchOnce(request: Request, { fetch, timeoutMs }: RetrySettings): Promise<Response> {
  const timeUp = new AbortController()
  const timer = setTimeout(() => timeUp.abort(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs)
  try {
    const response = await fetch(request, { signal: AbortSignal.any([request.signal, timeUp.signal]) })
    if (!/^application\/(problem\+)?json$/.test(mediaType(response))) return response
    const body = await response.arrayBuffer()
    const { status, statusText, headers } = response
    return new Response(body.byteLength === 0 ? null : body, { status, statusText, headers })
  } finally {
    clearTimeout(timer)
  }
}

export function mediaType(response: Response): string {
  return response.headers.get('content-type')?.split(';')[0]?.trim() ?? ''
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((done, fail) => {
    const stop = () => {
      clearTimeout(timer)
      fail(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop)
      done()
    }, ms)
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })
}
