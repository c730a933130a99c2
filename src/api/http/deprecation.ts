import type { RouteOptions } from 'fastify'

declare module 'fastify' {
  interface FastifyContextConfig {
    deprecated?: Deprecation
  }
}

/** An operation that is going to be removed. Days as `YYYY-MM-DD`, UTC. */
interface Deprecation {
  /** From when on it should no longer be used. */
  since: string
  /** From when on it may no longer be there: at least twelve months after `since`. */
  sunset: string
  /** Where it is written what to use instead. */
  link: string
}

const MONTHS = 12

/**
 * Adds the headers `Deprecation`, `Sunset` and `Link` to every answer of a deprecated operation; throws when its end is
 * too near. Source: https://www.rfc-editor.org/rfc/rfc9745, https://www.rfc-editor.org/rfc/rfc8594
 */
export function announceDeprecation(route: RouteOptions): void {
  const deprecated = route.config?.deprecated
  if (deprecated === undefined) return
  const { since, sunset, link } = deprecated
  const earliest = new Date(since)
  earliest.setUTCMonth(earliest.getUTCMonth() + MONTHS)
  // NOTE negated, so that a day that does not exist is refused, too.
  if (!(new Date(sunset) >= earliest))
    throw new Error(`${route.method} ${route.url} ends earlier than ${MONTHS} months after its deprecation`)
  const headers = { deprecation: `@${Date.parse(since) / 1000}`, sunset: new Date(sunset).toUTCString() }
  route.onSend = [
    ...[route.onSend ?? []].flat(),
    (_request, reply, payload, done) => {
      const links = [reply.getHeader('link'), `<${link}>; rel="deprecation"`].filter(Boolean)
      reply.headers(headers).header('link', links.join(', '))
      done(null, payload)
    },
  ]
}
