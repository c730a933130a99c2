import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Status } from '../../model/statuses.ts'
import { findUnfinished } from '../../store/connections/connection-faults.ts'
import { findUnusedConsent } from '../../store/connections/consents.ts'
import { listConnectionsOfLink } from '../../store/connections/hand-offs.ts'
import { rootLinkId } from '../../store/connections/links.ts'
import type { Db } from '../../store/db/database.ts'
import { beginAuthorization } from '../../sync/authorize/authorize.ts'
import { isFramed, writeLinkCookies, writeReturn } from '../http/cookies.ts'
import { isSameOriginRequest } from '../http/csrf.ts'
import { Problem, type ProblemKind } from '../http/problem.ts'
import { donePath } from '../views/done.ts'
import { resumePath, type Sender } from '../views/page.ts'
import { sourcePath } from '../views/source.ts'
import type { VisitContext } from '../visit/context.ts'
import { requireUsable } from '../visit/guards.ts'
import { enterVisit, enterVisitOfCookie, isFormTokenOf, isSecure, pathTo, readText, type Visit } from '../visit/visitor.ts'
import type { ConnectDeps } from './connect-deps.ts'
import { findChosenBank, redirectToSource } from './source.ts'

/** Routes of an owner whose link is embedded in a frame: to the source in a top-level window, and back. */
export function addTopLevelRoutes(app: FastifyInstance, deps: ConnectDeps, sender: Sender): void {
  app.post('/outside', { config: { audit: 'authorization.started' } }, async (request, reply) => {
    const visit = await enterOutside(deps, request, reply)
    const bank = await findChosenBank(deps.database, visit, request.query)
    if (!visit.agreed || bank === 'none yet') return reply.redirect(resumePath(visit), 303)
    const { authorize } = await visit.open.service.source.load()
    if (authorize.step === 'redirect' || authorize.step === 'widget')
      return await redirectToSource(deps, sender, request, reply, visit, bank)
    await beginAuthorization(deps.database, visit.open)
    return reply.redirect(sourcePath(visit, bank), 303)
  })

  // For browsers without scripts, and for owners who do not want to wait.
  app.get('/outside', async (request, reply) => {
    const visit = await requireOpened(deps, request)
    const bank = await findChosenBank(deps.database, visit, request.query)
    const here = bank === 'none yet' ? resumePath(visit) : sourcePath(visit, bank)
    return reply.redirect((await findNextPath(deps.database, visit)) ?? here, 303)
  })

  // Polled by the page's script while the owner is at the source.
  app.get('/outside/progress', async (request, reply) => {
    reply.headers({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
    const visit = await requireOpened(deps, request)
    return reply.send({ next: await findNextPath(deps.database, visit) })
  })
}

/**
 * Enters the link of a form sent from a frame of ours into a window, which has its own cookies. The token is the
 * capability of the link; the form's own token proves that the page was ours.
 */
async function enterOutside(deps: VisitContext, request: FastifyRequest, reply: FastifyReply): Promise<Visit> {
  const { visitor } = request
  const token = readText(request.body, 'token') ?? ''
  const isOurs = isFormTokenOf(deps.hashToken, `form/${token}`, readText(request.body, 'form') ?? '')
  // NOTE a page in a frame is sent only to browsers with Fetch Metadata; without it, the origin of the form would be
  // unknown.
  const isSameOrigin = request.headers['sec-fetch-site'] === 'same-origin' && isSameOriginRequest(request, deps.baseUrl)
  if (!isOurs || isFramed(request) || !isSameOrigin) throw new Problem('forged')
  const others = visitor.linkCookies.filter((entry) => entry.token !== token)
  visitor.linkCookies = [{ token, agreed: true }, ...others]
  const visit = await enterVisitOfCookie(deps, visitor, { token, agreed: true })
  if (!visit) throw new Problem('link')
  const { link, pages } = visit.open
  deps.limits.countChange(rootLinkId(link), deps.now())
  requireUsable(visit)
  const agreed = (await findUnusedConsent(deps.database, link.instanceId, link.id)) !== null
  writeLinkCookies(reply, [{ token, agreed }, ...others], isSecure(deps.baseUrl))
  visitor.returnsTo = toReturn(readText(request.body, 'back') ?? '', pages.frameOrigins)
  writeReturn(reply, visitor.returnsTo, isSecure(deps.baseUrl))
  return { ...visit, agreed }
}

/** `window`, or the page of a listed origin to which the owner returns; empty for none. */
function toReturn(back: string, frameOrigins: readonly string[]): string {
  if (back === 'window') return back
  // Browsers drop cookies above 4,096 bytes.
  const url = encodeURIComponent(back).length > 3_500 ? null : URL.parse(back)
  return url !== null && /^https?:$/.test(url.protocol) && frameOrigins.includes(url.origin) ? back : ''
}

async function requireOpened(deps: VisitContext, request: FastifyRequest): Promise<Visit> {
  const visit = await enterVisit(deps, request)
  if (!visit) throw new Problem('session')
  return visit
}

/** Next page of the owner after the source; null while nothing has happened there. */
async function findNextPath(db: Db, visit: Visit): Promise<string | null> {
  const { link, service } = visit.open
  if (visit.used === 'recently') return donePath(visit, await listConnectionsOfLink(db, link.instanceId, link.id), false)
  if (visit.used !== 'no') return pathTo(visit, '/connect/problem', { kind: 'used' })
  const unfinished = await findUnfinished(db, link, service.id)
  if (unfinished === null || unfinished.status === Status.Authorization) return null
  return pathTo(visit, '/connect/problem', { kind: toKind(unfinished.faultCode) })
}

function toKind(faultCode: string | null): ProblemKind {
  if (faultCode === 'declined') return 'declined'
  return faultCode === 'otherEntity' ? 'mismatch' : 'refused'
}
