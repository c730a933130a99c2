import type { CookieSerializeOptions } from '@fastify/cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'

const LIFE_S = 12 * 3600
/** Sets the session’s token as an HttpOnly cookie. */
export function writeOperatorCookie(reply: FastifyReply, token: string, isSecure: boolean): void {
  reply.setCookie(nameOf(isSecure), token, { ...optionsOf(isSecure), maxAge: LIFE_S })
}

/** Null without a cookie, and for a request from a page of another origin, as `readSessionCookie`. */
export function readOperatorCookie(request: FastifyRequest, isSecure: boolean): string | null {
  const from = request.headers['sec-fetch-site']
  if (from !== undefined && from !== 'same-origin') return null
  return request.cookies[nameOf(isSecure)] ?? null
}

export function clearOperatorCookie(reply: FastifyReply, isSecure: boolean): void {
  reply.clearCookie(nameOf(isSecure), optionsOf(isSecure))
}

/** NOTE: with the path `/`, as `__Host-` demands; see `session-cookie.ts`. */
function nameOf(isSecure: boolean): string {
  return isSecure ? '__Host-operator' : 'operator'
}

function optionsOf(isSecure: boolean): CookieSerializeOptions {
  return { path: '/', httpOnly: true, sameSite: 'strict', secure: isSecure }
}
