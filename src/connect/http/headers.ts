import type { FastifyReply } from 'fastify'

/** Only our own style sheet and images, no frames, no scripts. */
const POLICY = "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'"

/** Added for pages with a script of ours. */
const SCRIPT_POLICY = "; script-src 'self'; connect-src 'self'"

/** For images that are opened by their own address: they load, frame and run nothing, and no page frames them. */
export const IMAGE_POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const TWO_YEARS_S = 63_072_000

/**
 * NOTE: Chromium applies `form-action` to each redirect that follows a form, at the source too. No form of ours
 * redirects away from us, so `'self'` is enough.
 */
export function setPageHeaders(reply: FastifyReply, options: { isSecure: boolean; hasScript: boolean }): void {
  reply.headers({
    'content-security-policy': options.hasScript ? POLICY + SCRIPT_POLICY : POLICY,
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'cross-origin-opener-policy': 'same-origin',
    'cache-control': 'no-store',
    ...(options.isSecure ? { 'strict-transport-security': `max-age=${TWO_YEARS_S}; includeSubDomains` } : {}),
  })
}
