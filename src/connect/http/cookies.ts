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

/**
 * Cookies in the frame of another site: kept for this site within that one alone (CHIPS), so that they work where
 * cookies of third parties are blocked. Source: https://developer.mozilla.org/docs/Web/Privacy/Guides/Privacy_sandbox/Partitioned_cookies
 */
const FRAME_OPTIONS: CookieSerializeOptions = { path: '/', httpOnly: true, sameSite: 'none', secure: true, partitioned: true }

const ENTRY = /^([A-Za-z0-9_-]{43})(~?)$/

/** Links open in this browser, newest first. Invalid entries are skipped. */
export function readLinkCookies(request: FastifyRequest, isSecure: boolean): LinkCookie[] {
  const own = parseEntries(request.cookies[nameOf('connect', isSecure)] ?? '')
  const framed = parseEntries(request.cookies[nameOf('frame', isSecure)] ?? '')
  // A frame whose page is of our site is sent both.
  const [first, second] = isFramed(request) ? [framed, own] : [own, framed]
  const others = second.filter(({ token }) => first.every((entry) => entry.token !== token))
  return [...first, ...others].slice(0, MAX_LINKS)
}

function parseEntries(value: string): LinkCookie[] {
  return value.split('.').flatMap((text): LinkCookie[] => {
    const [, token, mark] = ENTRY.exec(text) ?? []
    return token === undefined ? [] : [{ token, agreed: mark === '~' }]
  })
}

/** Whether the browser reports that the page is for a frame. NOTE a page that is not secure has no such header. */
export function isFramed(request: FastifyRequest): boolean {
  return request.headers['sec-fetch-dest'] === 'iframe'
}

/** NOTE a frame has cookies of its own: those of the site itself do not reach it. */
export function writeLinkCookies(reply: FastifyReply, entries: readonly LinkCookie[], isSecure: boolean): void {
  const value = entries.slice(0, MAX_LINKS).map(({ token, agreed }) => (agreed ? `${token}~` : token))
  const framed = isFramed(reply.request)
  const options = framed ? FRAME_OPTIONS : optionsOf(isSecure)
  reply.setCookie(nameOf(framed ? 'frame' : 'connect', isSecure), value.join('.'), { ...options, maxAge: LINKS_LIFE_S })
}

/**
 * Where an owner who came from a frame returns to at the end: `window` closes the window that the frame opened, an
 * address is that of the page around it. Empty: neither.
 */
export function readReturn(request: FastifyRequest, isSecure: boolean): string {
  return request.cookies[nameOf('return', isSecure)] ?? ''
}

export function writeReturn(reply: FastifyReply, to: string, isSecure: boolean): void {
  reply.setCookie(nameOf('return', isSecure), to, { ...optionsOf(isSecure), maxAge: to === '' ? 0 : LINKS_LIFE_S })
}

/** Token of the owner page open in this browser; empty when there is none. */
export function readOwnerToken(request: FastifyRequest, isSecure: boolean): string {
  return request.cookies[nameOf('owner', isSecure)] ?? ''
}

export function writeOwnerToken(reply: FastifyReply, token: string, isSecure: boolean): void {
  reply.setCookie(nameOf('owner', isSecure), token, { ...optionsOf(isSecure), maxAge: LINKS_LIFE_S })
}

export function readLanguage(request: FastifyRequest, isSecure: boolean): string | undefined {
  const names = isFramed(request) ? ['frame-language', 'language'] : ['language', 'frame-language']
  return names.map((name) => request.cookies[nameOf(name, isSecure)]).find((value) => value !== undefined)
}

export function writeLanguage(reply: FastifyReply, locale: Locale, isSecure: boolean): void {
  const framed = isFramed(reply.request)
  const options = framed ? FRAME_OPTIONS : optionsOf(isSecure)
  reply.setCookie(nameOf(framed ? 'frame-language' : 'language', isSecure), locale, { ...options, maxAge: LANGUAGE_LIFE_S })
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
