import type { FastifyReply } from 'fastify'

/** Only our own style sheet and images, no frames, no scripts. */
const policyFor = (ancestors: string) =>
  `default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; frame-ancestors ${ancestors}; form-action 'self'`

/** An origin as browsers write it: nothing that could end a directive, or be a keyword or a wildcard. */
const ORIGIN = /^https?:\/\/[a-z0-9.:[\]-]+$/

/** Added for pages with a script of ours. */
const SCRIPT_POLICY = "; script-src 'self'; connect-src 'self'"

/** For images that are opened by their own address: they load, frame and run nothing, and no page frames them. */
export const IMAGE_POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const TWO_YEARS_S = 63_072_000

/**
 * NOTE: Chromium applies `form-action` to each redirect that follows a form, at the source too. No form of ours
 * redirects away from us, so `'self'` is enough.
 * `frameOrigins`: whose pages may hold this one in a frame; empty for none.
 */
export function setPageHeaders(
  reply: FastifyReply,
  options: { isSecure: boolean; hasScript: boolean; frameOrigins: readonly string[] },
): void {
  const ancestors = options.frameOrigins.filter((origin) => ORIGIN.test(origin)).join(' ')
  const policy = policyFor(ancestors === '' ? "'none'" : ancestors)
  reply.headers({
    'content-security-policy': options.hasScript ? policy + SCRIPT_POLICY : policy,
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    ...(ancestors === '' ? { 'x-frame-options': 'DENY' } : {}),
    'cross-origin-opener-policy': 'same-origin',
    'cache-control': 'no-store',
    ...(options.isSecure ? { 'strict-transport-security': `max-age=${TWO_YEARS_S}; includeSubDomains` } : {}),
  })
}
