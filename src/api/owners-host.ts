import type { FastifyRequest, onRequestHookHandler } from 'fastify'
import { notFound } from './errors/errors.ts'

/** Of both: where sources send their webhooks, logos, public keys, the state of the process, and the script that other sites load. */
const SHARED = ['/hooks/', '/logos/', '/.well-known/', '/livez', '/readyz', '/healthz', '/connect/link/']

/**
 * Separates the owners' pages from everything else by host name, so that browsers keep their cookies, storage and
 * scripts apart: the owners' host answers 404 for all other paths. At any other host their pages are redirected, because
 * links that were sent before the setting name it.
 */
export function separateHosts(connectUrl: string): onRequestHookHandler {
  const ownersHost = new URL(connectUrl).host
  return (request, reply, done) => {
    const { url } = request
    const isOwnersPage = /^\/connect(?:[/?]|$)/.test(url)
    if (SHARED.some((prefix) => url.startsWith(prefix)) || isOwnersPage === isAt(request, ownersHost)) return done()
    if (!isOwnersPage) return done(notFound('page'))
    // Any method: a source may come back with a form.
    reply.redirect(`${connectUrl}${url}`, 308)
  }
}

function isAt({ host }: FastifyRequest, ownersHost: string): boolean {
  return host.toLowerCase() === ownersHost
}
