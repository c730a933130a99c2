import type { CookieSerializeOptions } from '@fastify/cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** HttpOnly cookie that holds the token of a session. */
interface SessionCookie {
  write(reply: FastifyReply, token: string, isSecure: boolean): void
  /**
   * Null without a cookie, and for a request from a page of another origin: `SameSite` excludes other sites, but a site
   * includes all ports of a host. Source: https://www.w3.org/TR/fetch-metadata/#sec-fetch-site-header
   */
  read(request: FastifyRequest, isSecure: boolean): string | null
  clear(request: FastifyRequest, reply: FastifyReply, isSecure: boolean): void
}

function createSessionCookie(name: string, lifeSeconds: number): SessionCookie {
  /**
   * The prefix keeps other hosts of the domain from setting the cookie.
   * NOTE: browsers accept it only with the path `/` and Secure, which plain http (the sandbox) cannot have.
   */
  const nameOf = (isSecure: boolean) => (isSecure ? `__Host-${name}` : name)
  const optionsOf = (isSecure: boolean): CookieSerializeOptions => ({ path: '/', httpOnly: true, sameSite: 'strict', secure: isSecure })
  return {
    write(reply, token, isSecure) {
      reply.setCookie(nameOf(isSecure), token, { ...optionsOf(isSecure), maxAge: lifeSeconds })
    },
    read(request, isSecure) {
      const from = request.headers['sec-fetch-site']
      if (from !== undefined && from !== 'same-origin') return null
      return request.cookies[nameOf(isSecure)] ?? null
    },
    clear(request, reply, isSecure) {
      if (request.cookies[nameOf(isSecure)] !== undefined) reply.clearCookie(nameOf(isSecure), optionsOf(isSecure))
    },
  }
}

/** Refresh token of a user, for its lifetime without use. */
export const sessionCookie = createSessionCookie('session', 7 * 24 * 3600)

/** Session token of an operator, for the longest session. */
export const operatorCookie = createSessionCookie('operator', 12 * 3600)
