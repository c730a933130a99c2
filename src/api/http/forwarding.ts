import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyBaseLogger, onRequestHookHandler } from 'fastify'
import { rangeMatcher } from '../../model/values/network.ts'
import type { ApiSettings } from '../context/settings.ts'
import { forbidden } from '../errors/errors.ts'

const WARNING_EVERY_MS = 3_600_000
/** Called by machines of the operator inside the network, without TLS. */
const OPERATION = /^\/(healthz|livez|readyz|metrics)(\?|$)/
/** Called by programs, which would follow a redirect with their token in the clear again. */
const FOR_PROGRAMS = /^\/(admin\/api|hooks|receiver)(\/|\?|$)/

/**
 * Checks the headers of proxies. When the public URL is https, a request that reached a trusted proxy over plain HTTP
 * is redirected to https, or rejected where programs call. Headers of an untrusted proxy are logged, once an hour at
 * most: without `TRUSTED_PROXIES` all clients behind it share one network's limits.
 */
export function checkForwarding(settings: ApiSettings, log: FastifyBaseLogger, now: () => Date): onRequestHookHandler {
  const isTrusted = rangeMatcher(settings.trustedProxies)
  const isSecure = settings.publicUrl.startsWith('https:')
  let warnedAt = Number.NEGATIVE_INFINITY
  return (request, reply, done) => {
    const { headers, method, url } = request
    if (!isProxied(headers)) return done()
    const peer = request.socket.remoteAddress ?? ''
    if (!isTrusted(peer)) {
      const at = now().getTime()
      if (at - warnedAt >= WARNING_EVERY_MS) {
        warnedAt = at
        log.warn({ peer }, warningFor(settings.trustedProxies))
      }
      return done()
    }
    if (!isSecure || !isForwarded(headers) || request.protocol !== 'http' || OPERATION.test(url)) return done()
    const isPage = (method === 'GET' || method === 'HEAD') && !FOR_PROGRAMS.test(url)
    if (!isPage) return done(forbidden('This address answers over https only.'))
    reply.redirect(`${settings.publicUrl}${url}`, 308)
  }
}

/** Headers that proxies and content delivery networks add to what they pass on. */
const OF_PROXIES = /^(x-forwarded(-.+)?|forwarded|via|x-real-ip|x-(original|cluster)-.+|x-client-ip|true-client-ip|cf-.+|fastly-client-ip)$/

/** Whether a request has any proxy header. */
export function isProxied(headers: IncomingHttpHeaders): boolean {
  return Object.keys(headers).some((name) => OF_PROXIES.test(name))
}

/** Whether a proxy reports the client or the scheme. */
function isForwarded(headers: IncomingHttpHeaders): boolean {
  return headers['x-forwarded-for'] !== undefined || headers['x-forwarded-proto'] !== undefined || headers.forwarded !== undefined
}

function warningFor(trusted: readonly string[]): string {
  const fault =
    trusted.length === 0
      ? 'requests come through a proxy, and none is trusted'
      : 'requests come through a proxy that TRUSTED_PROXIES does not name'
  return `${fault}: all its clients count as one network; if this peer is your proxy, name it in TRUSTED_PROXIES`
}
