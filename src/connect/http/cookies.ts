import type { CookieSerializeOptions } from '@fastify/cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { toTimeZone } from '../../model/values/dates.ts'
import type { Locale } from '../../model/values/text.ts'

/** Link opened in this browser; `agreed` once the owner has consented. */
export interface LinkCookie {
  token: string
  agreed: boolean
}

/** Maximum number of links open side by side, e.g. one for the bank and one for the books. */
const MAX_LINKS = 4
const LINKS_LIFE_S = 24 * 3600
const LANGUAGE_LIFE_S = 365 * 24 * 3600

const ENTRY = /^([A-Za-z0-9_-]{43})(~?)$/

/** Links open in this browser, newest first. Invalid entries are skipped. */
export function readLinkCookies(request: FastifyRequest, isSecure: boolean): LinkCookie[] {
  const value = request.cookies[nameOf('connect', isSecure)] ?? ''
  const entries = value.split('.').flatMap((text): LinkCookie[] => {
    const [, token, mark] = ENTRY.exec(text) ?? []
    return token === undefined ? [] : [{ token, agreed: mark === '~' }]
  })
  return entries.slice(0, MAX_LINKS)
}

export function writeLinkCookies(reply: FastifyReply, entries: readonly LinkCookie[], isSecure: boolean): void {
  const value = entries.slice(0, MAX_LINKS).map(({ token, agreed }) => (agreed ? `${token}~` : token))
  reply.setCookie(nameOf('connect', isSecure), value.join('.'), { ...optionsOf(isSecure), maxAge: LINKS_LIFE_S })
}

/** Token of the owner page open in this browser; empty when there is none. */
export function readOwnerToken(request: FastifyRequest, isSecure: boolean): string {
  return request.cookies[nameOf('owner', isSecure)] ?? ''
}

export function writeOwnerToken(reply: FastifyReply, token: string, isSecure: boolean): void {
  reply.setCookie(nameOf('owner', isSecure), token, { ...optionsOf(isSecure), maxAge: LINKS_LIFE_S })
}

export function readLanguage(request: FastifyRequest, isSecure: boolean): string | undefined {
  return request.cookies[nameOf('language', isSecure)]
}

export function writeLanguage(reply: FastifyReply, locale: Locale, isSecure: boolean): void {
  reply.setCookie(nameOf('language', isSecure), locale, { ...optionsOf(isSecure), maxAge: LANGUAGE_LIFE_S })
}

/**
 * Time zone reported by our script in this browser; null for none. NOTE `assets/zone.js` writes it, under the same
 * name.
 */
export function readZone(request: FastifyRequest, isSecure: boolean): string | null {
  return toTimeZone(request.cookies[nameOf('zone', isSecure)] ?? '')
}

/** NOTE: browsers accept the prefix only together with Secure, which plain http (the sandbox) cannot have. */
function nameOf(name: string, isSecure: boolean): string {
  return isSecure ? `__Host-${name}` : name
}

function optionsOf(isSecure: boolean): CookieSerializeOptions {
  return { path: '/', httpOnly: true, sameSite: 'lax', secure: isSecure }
}
