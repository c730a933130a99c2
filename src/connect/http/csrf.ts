import type { FastifyRequest } from 'fastify'

/**
 * CSRF check by headers: whether the browser reports that a form was sent from a page of ours. Browsers without these
 * headers pass: the SameSite cookie and the form token protect them.
 * NOTE: our pages send no referrer, and then browsers send `Origin: null` even with our own forms.
 * Source: https://fetch.spec.whatwg.org/#append-a-request-origin-header
 */
export function isSameOriginRequest(request: FastifyRequest, baseUrl: string): boolean {
  const site = request.headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false
  const { origin } = request.headers
  return origin === undefined || origin === 'null' || origin === new URL(baseUrl).origin
}
