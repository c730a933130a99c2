import { type HttpRequest, type HttpResponse, type Session, SourceError } from '../../src/connectors/contract/contract.ts'
import type { Json } from '../../src/model/values/json.ts'
import { type FetchedPage, failureOf, kindOf, normalize, replayKit } from './run.ts'
import { leaks } from './secrets.ts'
import type { ConformanceSubject } from './subjects.ts'

/**
 * A damage to an answer, and the failures that may result. `secret` is part of the answer, since sources sometimes
 * echo what was sent.
 */
export interface Corruption {
  what: string
  kinds: readonly string[]
  to(answer: HttpResponse, now: Date, secret: string): HttpResponse
}

/** A longer wait than the source asks for is accepted, up to this limit. */
const LONGER_MS = 60_000

const HTML = '<!doctype html><html><head><title>Maintenance</title></head><body><h1>Back soon</h1></body></html>'

export const REFUSALS: readonly Corruption[] = [
  {
    what: '401',
    kinds: ['reconnect'],
    to: (_answer, _now, secret) => problem(401, `{"error":"invalid_token","message":"bad token ${secret}"}`),
  },
  { what: '401 in HTML', kinds: ['reconnect'], to: (_answer, _now, secret) => problem(401, `<html>${secret}</html>`, 'text/html') },
  {
    what: '404',
    kinds: ['badData', 'reconnect', 'unavailable'],
    to: (_answer, _now, secret) => problem(404, `{"message":"nothing for ${secret}"}`),
  },
  {
    what: '400',
    kinds: ['badData', 'reconnect', 'unavailable'],
    to: (_answer, _now, secret) => problem(400, `{"error":"refused ${secret}"}`),
  },
]

export const THROTTLES: readonly (Corruption & { waitMs: number | null })[] = [
  {
    what: '429 with seconds',
    kinds: ['rateLimited'],
    waitMs: 17_000,
    to: () => problem(429, '{}', 'application/json', { 'retry-after': '17' }),
  },
  {
    what: '429 with a date',
    kinds: ['rateLimited'],
    waitMs: 90_000,
    to: (_answer, now) => problem(429, 'slow down', 'text/plain', { 'retry-after': new Date(now.getTime() + 90_000).toUTCString() }),
  },
  { what: '429 that names no time', kinds: ['rateLimited'], waitMs: null, to: () => problem(429, HTML, 'text/html') },
]

export const OUTAGES: readonly Corruption[] = [
  ...[500, 502, 503, 504].map((status) => ({
    what: String(status),
    kinds: ['unavailable'],
    to: (_answer: HttpResponse, _now: Date, secret: string) =>
      status % 2 === 0 ? problem(status, HTML, 'text/html') : problem(status, `{"message":"failed for ${secret}"}`),
  })),
  {
    what: 'no answer in time',
    kinds: ['unavailable'],
    to: () => {
      throw new SourceError('unavailable', 'no complete answer in time')
    },
  },
]

const PART = '206, which has a part of it'

export const BROKEN: readonly Corruption[] = [
  broken('a cut answer', ({ body }) => body.subarray(0, Math.max(1, Math.floor(body.length * 0.6)))),
  broken('an answer cut by its last byte', ({ body }) => text(new TextDecoder().decode(body).trimEnd().slice(0, -1))),
  broken('HTML with 200', () => text(HTML)),
  broken('nothing with 200', () => text('')),
  broken('bytes that are no text', () => Uint8Array.from([0x1f, 0x8b, 0, 255, 254, 128, 7])),
  ...['null', 'true', '0', '"ok"'].map((json) => broken(`${json} with 200`, () => text(json))),
  broken('the other kind of container', ({ body }) => text(body[0] === 0x5b ? '{}' : '[]')),
  { what: PART, kinds: ['badData'], to: (answer) => ({ ...answer, status: 206 }) },
]

/**
 * Fetches each page again with each of its answers damaged, that one and all after it. Returns the cases with an
 * unexpected outcome: no failure, another kind of failure, a revealed secret.
 */
export async function unexpectedOutcomes(
  source: ConformanceSubject,
  session: Session,
  pages: readonly FetchedPage[],
  damage: Corruption,
  secrets: readonly string[],
) {
  const wrong: string[] = []
  for (const [number, fetched] of pages.entries()) {
    for (const first of samplesOf(fetched.exchanges.length)) {
      const missed: HttpRequest[] = []
      const failure = await failureOf(() => fetchCorrupted(source, session, fetched, { damage, first, secret: secrets[0] ?? '', missed }))
      const kind = kindOf(failure)
      const shown = failure === null ? [] : leaks(failure, secrets)
      const place = `${fetched.pull.name} page ${number + 1}, answer ${first + 1} of ${fetched.exchanges.length}`
      if (!kindsAt(source, missed[0], damage).includes(kind)) wrong.push(`${place}: ${kind}`)
      if (shown.length > 0) wrong.push(`${place}: shows a secret`)
      if ('waitMs' in damage && kind === 'rateLimited') wrong.push(...wrongWaits(failure, damage.waitMs).map((each) => `${place}: ${each}`))
    }
  }
  return wrong
}

/**
 * A page may end before the damaged answer: a later page must then request it again, and fail. `missed` receives what
 * was damaged.
 */
async function fetchCorrupted(
  source: ConformanceSubject,
  session: Session,
  { pull, page: whole, cursor, exchanges }: FetchedPage,
  { damage, first, secret, missed }: { damage: Corruption; first: number; secret: string; missed: HttpRequest[] },
) {
  const spoil = (answer: HttpResponse) => damage.to(answer, session.kit.now(), secret)
  const kit = replayKit(session.kit, exchanges, (answer, place, request) => {
    if (place < first) return answer
    missed.push(request)
    return spoil(answer)
  })
  const page = await pull.fetch({ ...session, kit }, cursor)
  normalize(source, [{ pull, page }])
  if (missed.length === 0 || isEqual(page.next, whole.next)) return
  const isMissed = ({ url, body }: HttpRequest) => missed.some((each) => each.url === url && String(each.body) === String(body))
  const onwards = replayKit(session.kit, [], (answer, _place, request) => (isMissed(request) ? spoil(answer) : answer))
  for (let { next } = page; next !== null; ) {
    const further = await pull.fetch({ ...session, kit: onwards }, next)
    normalize(source, [{ pull, page: further }])
    next = further.next
  }
}

function isEqual(a: Json | null, b: Json | null): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

function kindsAt({ subject }: ConformanceSubject, request: HttpRequest | undefined, damage: Corruption): readonly string[] {
  if (request && subject.isProbe?.(request)) return ['reconnect', 'rateLimited', 'unavailable', 'badData']
  if (damage.what === PART && subject.hasParts) return [...damage.kinds, 'no failure']
  return damage.what === '404' && request && subject.requestsSingleRecord?.(request) ? [...damage.kinds, 'no failure'] : damage.kinds
}

function wrongWaits(failure: Error | null, wanted: unknown): string[] {
  const waitMs = failure !== null && 'retryAfterMs' in failure ? failure.retryAfterMs : null
  const isRight =
    wanted === null
      ? typeof waitMs === 'number' && waitMs >= 1_000
      : typeof waitMs === 'number' && waitMs >= Number(wanted) && waitMs <= Number(wanted) + LONGER_MS
  return isRight ? [] : [`a wait of ${String(waitMs)} ms`]
}

/** The first three and the last, since the calls of a page have no more kinds. */
function samplesOf(count: number): number[] {
  return [...new Set([0, 1, 2, count - 1])].filter((place) => place >= 0 && place < count)
}

function broken(what: string, body: (answer: HttpResponse) => Uint8Array): Corruption {
  return { what, kinds: ['badData'], to: (answer) => ({ ...answer, status: 200, body: body(answer) }) }
}

function problem(status: number, body: string, type = 'application/json', headers: Record<string, string> = {}): HttpResponse {
  return { status, headers: { 'content-type': type, ...headers }, body: text(body) }
}

function text(content: string): Uint8Array {
  return new TextEncoder().encode(content)
}
