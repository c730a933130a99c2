import type { FastifyInstance } from 'fastify'
import { recordChange } from '../../audit/record.ts'
import { findActiveConnection } from '../../store/connections/connections.ts'
import { findUnusedConsent } from '../../store/connections/consents.ts'
import { noteOpened } from '../../store/connections/links.ts'
import { type Database, type Db, inTransaction } from '../../store/db/database.ts'
import { beginAuthorization } from '../../sync/authorize/authorize.ts'
import { declineLink } from '../../sync/authorize/decline.ts'
import type { Clock } from '../../sync/context/groups.ts'
import { type LinkCookie, writeLinkCookies, writeReturn } from '../http/cookies.ts'
import { Problem } from '../http/problem.ts'
import { consentPage } from '../views/consent.ts'
import { termsOf, toConsentTexts } from '../views/consent-terms.ts'
import { OWNER_PAGE_PATH } from '../views/owner-page.ts'
import { type Page, resumePath, type Sender, sendPage } from '../views/page.ts'
import { countVisit } from '../visit/count-visit.ts'
import { requirePostedVisit, requireUsable, requireVisit } from '../visit/guards.ts'
import { enterOwnerVisitByCookie } from '../visit/owner-visit.ts'
import { enterVisitOfCookie, isSecure, pathTo, readText, type Visit, type Visitor } from '../visit/visitor.ts'
import type { ConnectDeps } from './connect-deps.ts'
import { resumePathOf } from './resume.ts'

/** Entry: opening the link, then the owner's consent. */
export function addConsentRoutes(app: FastifyInstance, deps: ConnectDeps, sender: Sender): void {
  // A link with any part changed, truncated or swapped gets the response of an unknown link.
  app.get('/', { config: { audit: 'link.opened' } }, async (request, reply) => {
    const { visitor } = request
    const token = readText(request.query, 'token') ?? ''
    const before = { ...visitor }
    const known = visitor.linkCookies.find((entry) => entry.token === token)
    const entry = known ?? { token, agreed: false }
    visitor.linkCookies = withCookieFirst(visitor, entry)
    const visit = await enterVisitOfCookie(deps, visitor, entry)
    const named = ['serviceId', 'instanceId', 'accountId'].map((name) => readText(request.query, name)?.toLowerCase())
    const { link } = visit?.open ?? {}
    const isWhole = link && named.join() === [link.serviceId, link.instanceId, link.companyId].join()
    const isTheirs = visit?.used === 'no' || (visit?.used === 'recently' && known !== undefined)
    if (!visit || !isWhole || !isTheirs) {
      const owner = isWhole ? await enterOwnerVisitByCookie(deps, request) : null
      if (owner && link && isSameCompany(owner.access, link)) return reply.redirect(OWNER_PAGE_PATH, 303)
      // The holder of a completed link that was not used in this browser gets the response of an unknown link.
      Object.assign(visitor, before)
      throw new Problem('link')
    }
    const hasAgreed = entry.agreed || (known === undefined && (await findUnusedConsent(deps.database, link.instanceId, link.id)) !== null)
    visitor.linkCookies = withCookieFirst(visitor, { token, agreed: hasAgreed })
    writeLinkCookies(reply, visitor.linkCookies, isSecure(deps.baseUrl))
    // Who opens a link at top level did not come from a frame, whatever came before.
    if (visitor.returnsTo !== '' && !visitor.isFramed) writeReturn(reply, '', isSecure(deps.baseUrl))
    requireUsable(visit)
    await openFirst(deps.database, visitor, visit)
    return reply.redirect(await resumePathOf(deps.database, deps, { ...visit, agreed: hasAgreed }), 303)
  })

  app.get('/consent', async (request, reply) => {
    const visit = await requireVisit(deps, request)
    if (isHelper(visit)) return reply.redirect(resumePath(visit), 303)
    return sendPage(reply, sender, request.visitor, await termsPage(deps.database, deps, request.visitor, visit, false))
  })

  app.post('/consent', { config: { audit: ['consent.given', 'consent.declined'] } }, async (request, reply) => {
    const visit = await requirePostedVisit(deps, request)
    if (isHelper(visit)) return reply.redirect(resumePath(visit), 303)
    const agreed = readText(request.body, 'choice') === 'agree'
    const givenAt = deps.now()
    const { zone } = request.visitor
    const { texts, hash } = toConsentTexts(visit.open, zone, await findRenewed(deps.database, visit), givenAt)
    const isAsRead = readText(request.body, 'terms') === hash.toString('hex')
    if (agreed && !isAsRead)
      return sendPage(reply, sender, request.visitor, await termsPage(deps.database, deps, request.visitor, visit, true))
    const language = readText(request.body, 'language') === 'fr-CA' ? 'fr-CA' : 'en'
    const read = { texts, textHash: hash, language, givenAt, timeZone: zone } as const
    if (agreed) await beginAuthorization(deps.database, visit.open, read)
    else if (!(await declineLink(deps.database, deps.sources, visit.open, isAsRead ? read : null, givenAt))) throw new Problem('used')
    // The cookie follows the ledger.
    writeLinkCookies(reply, withCookieFirst(request.visitor, { token: visit.token, agreed }), isSecure(deps.baseUrl))
    if (!agreed) return reply.redirect(pathTo(visit, '/connect/problem', { kind: 'declined' }), 303)
    return reply.redirect(resumePath({ ...visit, agreed }), 303)
  })
}

/** The first time that a link is opened makes an entry, and is counted. */
async function openFirst(database: Database, visitor: Visitor, visit: Visit): Promise<void> {
  const { instanceId, id } = visit.open.link
  await inTransaction(database, async (db) => {
    if (await noteOpened(db, instanceId, id)) await recordChange(db, { instanceId, action: 'link.opened', subject: `link/${id}` })
    await countVisit(db, visitor, visit)
  })
}

async function termsPage(db: Db, clock: Clock, visitor: Visitor, visit: Visit, hasChanged: boolean): Promise<Page> {
  const renews = await findRenewed(db, visit)
  const now = clock.now()
  const { hash } = toConsentTexts(visit.open, visitor.zone, renews, now)
  return consentPage(visitor, visit, { terms: termsOf(visit.open, visitor, renews, now), hash: hash.toString('hex'), hasChanged })
}

/** A helper has nothing to agree to. */
function isHelper(visit: Visit): boolean {
  return visit.open.link.parentId !== null
}

/** Existing connection that this link renews. */
async function findRenewed(db: Db, { open }: Visit): Promise<string | null> {
  const { link, service } = open
  if (service.source.description.link === 'upload') return null
  const active = await findActiveConnection(db, link.instanceId, link.companyId, service.id)
  return active?.entityName ?? null
}

function isSameCompany(one: CompanyKey, other: CompanyKey): boolean {
  return one.instanceId === other.instanceId && one.companyId === other.companyId
}

interface CompanyKey {
  instanceId: string
  companyId: string
}

/** Link cookies of this browser with `entry` first. */
function withCookieFirst(visitor: Visitor, entry: LinkCookie): LinkCookie[] {
  return [entry, ...visitor.linkCookies.filter(({ token }) => token !== entry.token)]
}
