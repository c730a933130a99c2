import type { RouteOptions } from 'fastify'

declare module 'fastify' {
  interface FastifyContextConfig {
    deprecated?: Deprecation
  }
}

/** Operation that will be removed. Days as `YYYY-MM-DD`, UTC. */
interface Deprecation {
  /** Day from which it should no longer be used. */
  since: string
  /** Day from which it may be gone: at least twelve months after `since`. */
  sunset: string
  /** Address that names the replacement. */
  link: string
}

const MONTHS = 12

/**
 * Adds the headers `Deprecation`, `Sunset` and `Link` to every response of a deprecated operation; throws if the notice
 * is too short, or a day is invalid. Source: https://www.rfc-editor.org/rfc/rfc9745,
 * https://www.rfc-editor.org/rfc/rfc8594
 */
export function announceDeprecation(route: RouteOptions): void {
  const deprecated = route.config?.deprecated
  if (deprecated === undefined) return
  const { since, sunset, link } = deprecated
  const [begin, end] = [startOf(since), startOf(sunset)]
  const earliest = new Date(begin)
  earliest.setUTCMonth(earliest.getUTCMonth() + MONTHS)
  if (end < earliest) throw new Error(`${route.method} ${route.url} ends earlier than ${MONTHS} months after its deprecation`)
  const headers = { deprecation: `@${begin.getTime() / 1000}`, sunset: end.toUTCString() }
  route.onSend = [
    ...[route.onSend ?? []].flat(),
    (_request, reply, payload, done) => {
      const links = [reply.getHeader('link'), `<${link}>; rel="deprecation"`].filter(Boolean)
      reply.headers(headers).header('link', links.join(', '))
      done(null, payload)
    },
  ]
}

/** Throws `RangeError` for a day that does not exist: `Date` interprets 30 February as 1 or 2 March. */
function startOf(day: string): Date {
  const start = new Date(day)
  if (Number.isNaN(start.getTime()) || start.toISOString().slice(0, 10) !== day) throw new RangeError(`no such day: ${day}`)
  return start
}
