import type { CookieSerializeOptions } from '@fastify/cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** Lifetime of an unused refresh token. */
const LIFE_S = 7 * 24 * 3600
/** Sets the refresh token as an HttpOnly cookie. */
export function writeSessionCookie(reply: FastifyReply, refreshToken: string, isSecure: boolean): void {
  reply.setCookie(nameOf(isSecure), refreshToken, { ...optionsOf(isSecure), maxAge: LIFE_S })
}

/**
 * Null without a cookie, and for a request from a page of another origin: `SameSite` excludes other sites, but a site
 * includes all ports of a host. Source: https://www.w3.org/TR/fetch-metadata/#sec-fetch-site-header
 */
export function readSessionCookie(request: FastifyRequest, isSecure: boolean): string | null {
  const from = request.headers['sec-fetch-site']
  if (from !== undefined && from !== 'same-origin') return null
  return request.cookies[nameOf(isSecure)] ?? null
}

export function clearSessionCookie(request: FastifyRequest, reply: FastifyReply, isSecure: boolean): void {
  if (request.cookies[nameOf(isSecure)] !== undefined) reply.clearCookie(nameOf(isSecure), optionsOf(isSecure))
}

/**
 * The prefix keeps other hosts of the domain from setting the cookie.
 * NOTE: browsers accept it only with the path `/` and Secure, which plain http (the sandbox) cannot have.
 */
function nameOf(isSecure: boolean): string {
  return isSecure ? '__Host-session' : 'session'
}

function optionsOf(isSecure: boolean): CookieSerializeOptions {
  return { path: '/', httpOnly: true, sameSite: 'strict', secure: isSecure }
}
