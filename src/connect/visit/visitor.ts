import { timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { UTC } from '../../model/values/dates.ts'
import { safeDisplayName } from '../../model/values/display-names.ts'
import type { Locale } from '../../model/values/text.ts'
import { hasOnlyEndedConsents } from '../../store/connections/consents.ts'
import { acrossInstances, enterInstance } from '../../store/db/instance-scope.ts'
import type { TokenHash } from '../../sync/context/groups.ts'
import type { LinkContext } from '../../sync/links/context.ts'
import { type OpenLink, openLink } from '../../sync/links/link.ts'
import { requesterName } from '../branding/branding.ts'
import { type LinkCookie, readLanguage, readLinkCookies, readZone } from '../http/cookies.ts'
import type { Texts } from '../texts/en.ts'
import { localeOfHeader, TEXTS, toLocale } from '../texts/locale.ts'
import type { OwnerVisit } from './owner-visit.ts'

/** For this long after its use a link shows what it led to. */
const RESULT_SHOWN_MS = 24 * 3_600_000

/** The link that a request is about. */
export interface Visit {
  open: OpenLink
  token: string
  agreed: boolean
  /** `recently`: used up within a day, so that whoever holds it may still see what came of it. */
  used: 'no' | 'recently' | 'long ago'
  /** As `linkNames` gives them. */
  requester: string
  service: string
  source: string
  company: string
  /** Goes into each form: says which link it is about and that the form is ours. */
  formToken: string
  /** Names the link in addresses where this browser has opened several; not a secret. */
  ref: string | null
}

/** Who is asking, and in which language. `visit` is null until the request was found to be about a link. */
export interface Visitor {
  locale: Locale
  /** The owner switched to this language, now or before; otherwise the link may say in which it begins. */
  hasChosenLocale: boolean
  /** Whose days and times are shown, as the IANA database names it: the browser's, else the one of the owner's permission or of the instance. */
  zone: string
  /** As a script of ours told it; null: none ran yet. */
  browserZone: string | null
  /** What the browser prefers; null: nothing that we speak. */
  browserLocale: Locale | null
  texts: Texts
  linkCookies: LinkCookie[]
  requestId: string
  visit: Visit | null
  /** The owner's own page that the request is about. */
  owner: OwnerVisit | null
}

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
    requestId: request.id,
    visit: null,
    owner: null,
  }
}

/** The days of the browser; where it did not tell, those of the instance. */
function applyTimeZone(visitor: Visitor, { pages }: OpenLink): void {
  visitor.zone = visitor.browserZone ?? pages.timeZone ?? UTC
}

/** What an owner who chose no language reads: the link's, else what the browser prefers, else the one of the instance. */
function applyLocale(visitor: Visitor, { link, pages }: OpenLink): void {
  if (visitor.hasChosenLocale) return
  visitor.locale = link.language ?? visitor.browserLocale ?? pages.defaultLanguage ?? 'en'
  visitor.texts = TEXTS[visitor.locale]
}

/** Names as they may stand in a sentence: `service` is the bank where the link is for one, `source` what leads to it. */
export function linkNames(open: OpenLink, locale: Locale): Pick<Visit, 'requester' | 'service' | 'source' | 'company'> {
  const { statements } = TEXTS[locale].layout
  const isUpload = open.service.source.description.link === 'upload'
  return {
    requester: safeDisplayName(requesterName(open)),
    service: isUpload ? statements : safeDisplayName(open.service.name),
    source: isUpload ? statements : safeDisplayName(open.service.source.description.name),
    company: safeDisplayName(open.company.name),
  }
}

/** The link that the address names by `link`, else the one opened last; null when it is not open in this browser. */
export async function enterVisit(deps: LinkContext, request: FastifyRequest): Promise<Visit | null> {
  const { visitor } = request
  const ref = readText(request.query, 'link')
  const entry = ref === undefined ? visitor.linkCookies[0] : visitor.linkCookies.find(({ token }) => refOf(deps.hashToken, token) === ref)
  return entry ? await enterVisitOfCookie(deps, visitor, entry) : null
}

/** The link whose form was sent; null when the form is none of ours. */
export async function enterPostedVisit(deps: LinkContext, visitor: Visitor, formToken: string): Promise<Visit | null> {
  const entry = visitor.linkCookies.find(({ token }) => isSameSecret(formTokenOf(deps.hashToken, token), formToken))
  return entry ? await enterVisitOfCookie(deps, visitor, entry) : null
}

export async function enterVisitOfCookie(deps: LinkContext, visitor: Visitor, entry: LinkCookie): Promise<Visit | null> {
  const open = await acrossInstances(() => openLink(deps, entry.token))
  if (!open) return null
  enterInstance(open.link.instanceId)
  applyLocale(visitor, open)
  applyTimeZone(visitor, open)
  const { link } = open
  // In another browser the owner may have taken it back. To whomever it was passed on, it is not theirs to give.
  const isOutOfDate = entry.agreed && link.parentId === null && (await hasOnlyEndedConsents(deps.database, link.instanceId, link.id))
  visitor.visit = {
    open,
    token: entry.token,
    agreed: entry.agreed && !isOutOfDate,
    used: toUsed(link.completedAt, deps.now()),
    ...linkNames(open, visitor.locale),
    formToken: formTokenOf(deps.hashToken, entry.token),
    ref: visitor.linkCookies.length > 1 ? refOf(deps.hashToken, entry.token) : null,
  }
  return visitor.visit
}

/** An address of ours, with the link named where that is needed. */
export function pathTo(visit: Visit | null, path: string, query: Record<string, string | undefined> = {}): string {
  const search = new URLSearchParams()
  if (visit?.ref) search.set('link', visit.ref)
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, value)
  return search.size === 0 ? path : `${path}?${search}`
}

/** One value of a query or a form; a repeated or absent one is none. */
export function readText(values: unknown, name: string): string | undefined {
  if (typeof values !== 'object' || values === null) return undefined
  const value: unknown = Object.getOwnPropertyDescriptor(values, name)?.value
  return typeof value === 'string' ? value : undefined
}

function toUsed(completedAt: Date | null, now: Date): Visit['used'] {
  if (completedAt === null) return 'no'
  return now.getTime() - completedAt.getTime() < RESULT_SHOWN_MS ? 'recently' : 'long ago'
}

function formTokenOf(hashToken: TokenHash, token: string): string {
  return Buffer.from(hashToken(`form/${token}`)).toString('base64url')
}

function refOf(hashToken: TokenHash, token: string): string {
  return Buffer.from(hashToken(`ref/${token}`))
    .toString('base64url')
    .slice(0, 10)
}

export function isSameSecret(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}
