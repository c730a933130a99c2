import type { FastifyReply } from 'fastify'

/** Headers of every response, names and values in turn. Source: https://owasp.org/www-project-secure-headers/ */
const EVERY: readonly string[] = ['x-content-type-options', 'nosniff', 'referrer-policy', 'no-referrer']

/** Headers of API responses, which are data: they may not load, frame or run anything. */
const DATA: readonly string[] = [
  ...['content-security-policy', "default-src 'none'; frame-ancestors 'none'"],
  ...['cross-origin-resource-policy', 'same-origin'],
]

const TWO_YEARS_SECONDS = 63_072_000

/** Headers of every response, names and values in turn; HSTS if the public URL is https. */
export function baseHeaders(publicUrl: string): readonly string[] {
  const isSecure = publicUrl.startsWith('https:')
  return isSecure ? [...EVERY, 'strict-transport-security', `max-age=${TWO_YEARS_SECONDS}; includeSubDomains`] : EVERY
}

/** Headers of data responses that set their own caching. */
export function readHeaders(publicUrl: string): readonly string[] {
  return [...baseHeaders(publicUrl), ...DATA]
}

/** No caching unless the route allows it. */
export function dataHeaders(reply: FastifyReply): void {
  reply.header('cache-control', 'no-store')
  setPairs(reply, DATA)
}

export function setPairs(reply: FastifyReply, pairs: readonly string[]): void {
  for (let at = 0; at < pairs.length; at += 2) reply.header(pairs[at] ?? '', pairs[at + 1])
}
