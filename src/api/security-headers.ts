import type { FastifyReply } from 'fastify'

/** For every answer. Source: https://owasp.org/www-project-secure-headers/ */
const EVERY: readonly (readonly [string, string])[] = [
  ['x-content-type-options', 'nosniff'],
  ['referrer-policy', 'no-referrer'],
]

/** For answers of the API, which are data: nothing in them may load, frame or run anything, and nobody keeps them unless a route allows it. */
const DATA: readonly (readonly [string, string])[] = [
  ['cache-control', 'no-store'],
  ['content-security-policy', "default-src 'none'; frame-ancestors 'none'"],
  ['cross-origin-resource-policy', 'same-origin'],
]

const TWO_YEARS_SECONDS = 63_072_000

/** Sets the headers of every answer; HSTS where the public address is https. */
export function baseHeaders(publicUrl: string): (reply: FastifyReply) => void {
  const headers = publicUrl.startsWith('https:')
    ? [...EVERY, ['strict-transport-security', `max-age=${TWO_YEARS_SECONDS}; includeSubDomains`] as const]
    : EVERY
  return (reply) => setAll(reply, headers)
}

export function dataHeaders(reply: FastifyReply): void {
  setAll(reply, DATA)
}

function setAll(reply: FastifyReply, headers: readonly (readonly [string, string])[]): void {
  for (const [name, value] of headers) reply.header(name, value)
}
