import type { FastifyReply } from 'fastify'

/** For every answer, names and values in turn. Source: https://owasp.org/www-project-secure-headers/ */
const EVERY: readonly string[] = ['x-content-type-options', 'nosniff', 'referrer-policy', 'no-referrer']

/** For answers of the API, which are data: nothing in them may load, frame or run anything. */
const DATA: readonly string[] = [
  ...['content-security-policy', "default-src 'none'; frame-ancestors 'none'"],
  ...['cross-origin-resource-policy', 'same-origin'],
]

const TWO_YEARS_SECONDS = 63_072_000

/** The headers of every answer, names and values in turn; HSTS where the public address is https. */
export function baseHeaders(publicUrl: string): readonly string[] {
  const isSecure = publicUrl.startsWith('https:')
  return isSecure ? [...EVERY, 'strict-transport-security', `max-age=${TWO_YEARS_SECONDS}; includeSubDomains`] : EVERY
}

/** Those of an answer with data that says itself how long it may be kept. */
export function readHeaders(publicUrl: string): readonly string[] {
  return [...baseHeaders(publicUrl), ...DATA]
}

/** Nobody keeps an answer unless its route allows it. */
export function dataHeaders(reply: FastifyReply): void {
  reply.header('cache-control', 'no-store')
  setPairs(reply, DATA)
}

export function setPairs(reply: FastifyReply, pairs: readonly string[]): void {
  for (let at = 0; at < pairs.length; at += 2) reply.header(pairs[at] ?? '', pairs[at + 1])
}
