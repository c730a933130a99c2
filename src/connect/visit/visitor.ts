import type { FastifyRequest } from 'fastify'
import { identifyVisitor } from '../../audit/actor.ts'
import { localizeSourceName } from '../../model/texts/source-names.ts'
import { UTC } from '../../model/values/dates.ts'
import { safeDisplayName } from '../../model/values/display-names.ts'
import { isSameSecret } from '../../model/values/secret.ts'
import type { Locale } from '../../model/values/text.ts'
import { hasOnlyEndedConsents } from '../../store/connections/consents.ts'
import { acrossInstances, enterInstance } from '../../store/db/instance-scope.ts'
import { deriveTokens, type TokenHash } from '../../store/keys/token-hash.ts'
import type { LinkContext } from '../../sync/links/context.ts'
import { type OpenLink, openLink } from '../../sync/links/link.ts'
import type { OpenOwnerAccess } from '../../sync/owner/owner-access.ts'
import { requesterName } from '../branding/branding.ts'
import { isFramed, type LinkCookie, readLanguage, readLinkCookies, readReturn, readZone } from '../http/cookies.ts'
import type { Texts } from '../texts/en.ts'
import { localeOfHeader, TEXTS, toLocale } from '../texts/locale.ts'

/** How long after its use a link still shows its result. */
const RESULT_SHOWN_MS = 24 * 3_600_000

/** Visit: the link of a request. */
export interface Visit {
  open: OpenLink
  token: string
  agreed: boolean
  /** `recently`: used up within a day, so that its holder may still see the result. */
  used: 'no' | 'recently' | 'long ago'
  /** From `linkNames`. */
  requester: string
  service: string
  source: string
  company: string
  /** CSRF token in each form, bound to the link. */
  formToken: string
  /** Identifies the link in URLs when several are open in this browser; not a secret. */
  ref: string | null
}

/** Owner page open in this browser. */
export interface OwnerVisit extends OpenOwnerAccess {
  token: string
  /** Names sanitized for sentences. */
  requester: string
  business: string
  /** Time zone of the receipts of this visit. */
  zone: string
  /** CSRF token in each form, bound to the page. */
  formToken: string
}

/** Visitor: client and language of a request. `visit` is null until the request's link is known. */
export interface Visitor {
  locale: Locale
  /** The owner chose this language, now or before; otherwise the link may set the initial one. */
  hasChosenLocale: boolean
  /** IANA time zone of the dates shown: the browser's, otherwise that of the owner's consent or of the instance. */
  zone: string
  /** Reported by our script; null: not yet. */
  browserZone: string | null
  /** Preferred by the browser; null: none that we support. */
  browserLocale: Locale | null
  texts: Texts
  linkCookies: LinkCookie[]
  /** Origin of the deployment. */
  origin: string
  requestId: string
  /** The page is shown in a frame of another page. */
  isFramed: boolean
  /** From `readReturn`. */
  returnsTo: string
  visit: Visit | null
  /** Owner page of the request. */
  owner: OwnerVisit | null
}

/** Language of a page: all that a view takes which only writes text. */
export type Localization = Pick<Visitor, 'locale' | 'texts'>

// Fastify's own way to type what is added to a request: `getDecorator<T>(name)` would believe any `T` at each of its uses.
declare module 'fastify' {
  interface FastifyRequest {
    visitor: Visitor
  }
}

export function isSecure(baseUrl: string): boolean {
  return baseUrl.startsWith('https:')
}

export function readVisitor(baseUrl: string, request: FastifyRequest): Visitor {
  const browserLocale = localeOfHeader(request.headers['accept-language'] ?? '')
  const chosen = toLocale(readText(request.query, 'lang')) ?? toLocale(readLanguage(request, isSecure(baseUrl)))
  const locale = chosen ?? browserLocale ?? 'en'
  const browserZone = readZone(request, isSecure(baseUrl))
  return {
    locale,
    hasChosenLocale: chosen !== null,
    zone: browserZone ?? UTC,
    browserZone,
    browserLocale,
    texts: TEXTS[locale],
    linkCookies: readLinkCookies(request, isSecure(baseUrl)),
    origin: new URL(baseUrl).origin,
    requestId: request.id,
    isFramed: isFramed(request),
    returnsTo: readReturn(request, isSecure(baseUrl)),
    visit: null,
    owner: null,
  }
}

/** Time zone fallback: browser, instance. */
function applyTimeZone(visitor: Visitor, { pages }: OpenLink): void {
  visitor.zone = visitor.browserZone ?? pages.timeZone ?? UTC
}

/** Locale fallback: link, browser, instance. */
function applyLocale(visitor: Visitor, { link, pages }: OpenLink): void {
  if (visitor.hasChosenLocale) return
  visitor.locale = link.language ?? visitor.browserLocale ?? pages.defaultLanguage ?? 'en'
  visitor.texts = TEXTS[visitor.locale]
}

/**
 * Names sanitized for sentences: `service` is the bank if the link is for one, `source` the service that leads to it.
 */
export function linkNames(open: OpenLink, locale: Locale): Pick<Visit, 'requester' | 'service' | 'source' | 'company'> {
  return {
    requester: safeDisplayName(requesterName(open)),
    service: safeDisplayName(localizeSourceName(open.service.name, locale)),
    source: safeDisplayName(localizeSourceName(open.service.source.description.name, locale)),
    company: safeDisplayName(open.company.name),
  }
}

/**
 * Enters the link named by the parameter `link`, otherwise the one opened last, and its instance scope; null when it is
 * not open in this browser.
 */
export async function enterVisit(deps: LinkContext, request: FastifyRequest): Promise<Visit | null> {
  const { visitor } = request
  const ref = readText(request.query, 'link')
  const entry =
    ref === undefined ? visitor.linkCookies[0] : visitor.linkCookies.find(({ token }) => refsOf(deps.hashToken, token).includes(ref))
  return entry ? await enterVisitOfCookie(deps, visitor, entry) : null
}

/** Enters the link of a posted form, and its instance scope; null when the form is not ours. */
export async function enterPostedVisit(deps: LinkContext, visitor: Visitor, formToken: string): Promise<Visit | null> {
  const entry = visitor.linkCookies.find(({ token }) => isFormTokenOf(deps.hashToken, `form/${token}`, formToken))
  return entry ? await enterVisitOfCookie(deps, visitor, entry) : null
}

/** Enters the link of a cookie, and its instance scope: sets the visitor's link, language and time zone. */
export async function enterVisitOfCookie(deps: LinkContext, visitor: Visitor, entry: LinkCookie): Promise<Visit | null> {
  const open = await acrossInstances(() => openLink(deps, entry.token))
  if (!open) return null
  enterInstance(open.link.instanceId)
  identifyVisitor(open.link.parentId === null ? 'owner' : 'helper', open.link.companyId)
  applyLocale(visitor, open)
  applyTimeZone(visitor, open)
  const { link } = open
  // The owner may have withdrawn the consent in another browser. A helper cannot give one.
  const isOutOfDate = entry.agreed && link.parentId === null && (await hasOnlyEndedConsents(deps.database, link.instanceId, link.id))
  visitor.visit = {
    open,
    token: entry.token,
    agreed: entry.agreed && !isOutOfDate,
    used: toUsed(link.completedAt, deps.now()),
    ...linkNames(open, visitor.locale),
    formToken: formTokenOf(deps.hashToken, `form/${entry.token}`),
    ref: visitor.linkCookies.length > 1 ? (refsOf(deps.hashToken, entry.token)[0] ?? null) : null,
  }
  return visitor.visit
}

/** Path of ours, with the link's reference where needed. */
export function pathTo(visit: Pick<Visit, 'ref'> | null, path: string, query: Record<string, string | undefined> = {}): string {
  const search = new URLSearchParams()
  if (visit?.ref) search.set('link', visit.ref)
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, value)
  return search.size === 0 ? path : `${path}?${search}`
}

/** One value of a query or a form; undefined when repeated or absent. */
export function readText(values: unknown, name: string): string | undefined {
  if (typeof values !== 'object' || values === null) return undefined
  const value: unknown = Object.getOwnPropertyDescriptor(values, name)?.value
  return typeof value === 'string' ? value : undefined
}

function toUsed(completedAt: Date | null, now: Date): Visit['used'] {
  if (completedAt === null) return 'no'
  return now.getTime() - completedAt.getTime() < RESULT_SHOWN_MS ? 'recently' : 'long ago'
}

/** Token of the forms of a page, derived from the secret that its visitor holds. */
export function formTokenOf(hashToken: TokenHash, secret: string): string {
  return deriveTokens(hashToken, secret)[0] ?? ''
}

/** A page that was open when the hash key was rotated has forms with an older token. */
export function isFormTokenOf(hashToken: TokenHash, secret: string, formToken: string): boolean {
  return deriveTokens(hashToken, secret).some((known) => isSameSecret(known, formToken))
}

function refsOf(hashToken: TokenHash, token: string): string[] {
  return deriveTokens(hashToken, `ref/${token}`).map((derived) => derived.slice(0, 10))
}
