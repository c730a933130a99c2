import type { FastifyReply } from 'fastify'

/**
 * Headers of every response, names and values in turn. The policy lets nothing load, frame or run; pages replace it.
 * Source: https://owasp.org/www-project-secure-headers/
 */
const EVERY: readonly string[] = [
  ...['x-content-type-options', 'nosniff'],
  ...['referrer-policy', 'no-referrer'],
  ...['content-security-policy', "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"],
]

/** Added for API responses, which are data. */
const DATA: readonly string[] = ['cross-origin-resource-policy', 'same-origin']

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
