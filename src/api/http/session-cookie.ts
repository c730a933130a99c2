import type { CookieSerializeOptions } from '@fastify/cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** As long as a refresh token lives unused. */
const LIFE_S = 7 * 24 * 3600
/** Sent to nothing but logins, refreshes and logouts. */
const PATH = '/admin/api/v1/auth'

/** Keeps a refresh token in the browser where no script can read it. */
export function writeSessionCookie(reply: FastifyReply, refreshToken: string, isSecure: boolean): void {
  reply.setCookie(nameOf(isSecure), refreshToken, { ...optionsOf(isSecure), maxAge: LIFE_S })
}

/**
 * Null without a cookie, and for a request that a page of another origin started: `SameSite` keeps those of other sites away, but a site
 * is all ports of a host. Source: https://www.w3.org/TR/fetch-metadata/#sec-fetch-site-header
 */
export function readSessionCookie(request: FastifyRequest, isSecure: boolean): string | null {
  const from = request.headers['sec-fetch-site']
  if (from !== undefined && from !== 'same-origin') return null
  return request.cookies[nameOf(isSecure)] ?? null
}

export function clearSessionCookie(request: FastifyRequest, reply: FastifyReply, isSecure: boolean): void {
  if (request.cookies[nameOf(isSecure)] !== undefined) reply.clearCookie(nameOf(isSecure), optionsOf(isSecure))
}

/** NOTE: browsers take the prefix only together with Secure, which plain http (the sandbox) cannot have. */
function nameOf(isSecure: boolean): string {
  return isSecure ? '__Secure-session' : 'session'
}

function optionsOf(isSecure: boolean): CookieSerializeOptions {
  return { path: PATH, httpOnly: true, sameSite: 'strict', secure: isSecure }
}
