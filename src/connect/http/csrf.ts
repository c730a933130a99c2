import type { FastifyRequest } from 'fastify'

/**
 * Whether the browser says that a form was sent from a page of ours. Browsers that say nothing pass: the SameSite cookie and the form's
 * token stand behind this.
 * NOTE: our pages send no referrer, and then browsers send `Origin: null` even with our own forms.
 * Source: https://fetch.spec.whatwg.org/#append-a-request-origin-header
 */
export function isSameOriginRequest(request: FastifyRequest, baseUrl: string): boolean {
  const site = request.headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false
  const { origin } = request.headers
  return origin === undefined || origin === 'null' || origin === new URL(baseUrl).origin
}
