import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Sources } from '../../connectors/sources.ts'
import { isFault, restingStatus, Status } from '../../model/statuses.ts'
import { isUuid } from '../../model/values/uuid.ts'
import { findAuthorizedAt } from '../../store/connections/connection-timeline.ts'
import { type Connection, findConnection } from '../../store/connections/connections.ts'
import { countStep } from '../../store/connections/link-progress.ts'
import { rootLinkId } from '../../store/connections/links.ts'
import type { Db } from '../../store/db/database.ts'
import { countReadSoFar } from '../../store/owners/owner-connections.ts'
import { findPublication } from '../../store/records/publications.ts'
import { listFileNotes } from '../../sync/authorize/file-notes.ts'
import { issueFollowUpLink } from '../../sync/authorize/follow-up-link.ts'
import type { Catalogue, Store, Vault } from '../../sync/context/groups.ts'
import { addressOfUsedLink } from '../../sync/owner/owner-access.ts'
import { findService } from '../../sync/sources/catalogue.ts'
import { writeLinkCookies } from '../http/cookies.ts'
import { isProblemKind, Problem } from '../http/problem.ts'
import { type ConnectionView, describeProgress, donePage, donePath, isMoving, type Progress, type Result } from '../views/done.ts'
import { helperDonePage } from '../views/helper.ts'
import { choosesBank, resumePath, type Sender, sendPage } from '../views/page.ts'
import { problemPage } from '../views/problem.ts'
import { countVisit } from '../visit/count-visit.ts'
import { requireCompletedVisit } from '../visit/guards.ts'
import { enterVisit, enterVisitOfCookie, isSecure, readText, type Visit, type Visitor } from '../visit/visitor.ts'
import type { ConnectDeps } from './connect-deps.ts'
import { noteHeldBanks } from './held-bank.ts'

const MAX_CONNECTIONS = 20

/** Result pages. */
export function addResultRoutes(app: FastifyInstance, deps: ConnectDeps, sender: Sender): void {
  app.get('/done', { config: { audit: 'owner-page.address-issued' } }, async (request, reply) => {
    const visit = await enterVisit(deps, request)
    if (!visit) throw new Problem('session')
    if (visit.used === 'no') return reply.redirect(resumePath(visit), 303)
    if (visit.used === 'long ago') throw new Problem('used')
    const connections = await listConnectionViews(deps.database, deps.sources, visit, readIds(request.query))
    if (visit.open.link.parentId !== null) {
      const notes = connections.flatMap((one) => one.notes)
      return sendPage(reply, sender, request.visitor, helperDonePage(request.visitor, visit, notes))
    }
    return sendPage(
      reply,
      sender,
      request.visitor,
      donePage(request.visitor, visit, await describeResult(deps, request, visit, connections)),
    )
  })

  // Polled by the page's script while the first read is in progress.
  app.get('/done/progress', async (request, reply) => {
    reply.headers({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
    const visit = await enterVisit(deps, request)
    if (visit?.used !== 'recently' || visit.open.link.parentId !== null) return reply.code(409).send({})
    const connections = await listConnectionViews(deps.database, deps.sources, visit, readIds(request.query))
    return reply.send({ isMoving: isMoving(connections), connections: connections.map((one) => describeProgress(request.visitor, one)) })
  })

  // Another bank under the same consent: creates a link on the owner's behalf, the same one for repeated requests.
  app.post('/another', { config: { audit: ['link.created', 'consent.given', 'authorization.started'] } }, async (request, reply) => {
    const visit = await requireCompletedVisit(deps, request)
    if (visit.open.link.parentId !== null || !choosesBank(visit)) throw new Problem('nowhere')
    const next = await issueFollowUpLink(deps, visit)
    const { visitor } = request
    const entry = { token: next.token, agreed: next.agreed }
    visitor.linkCookies = [entry, ...visitor.linkCookies.filter(({ token }) => token !== next.token)]
    writeLinkCookies(reply, visitor.linkCookies, isSecure(deps.baseUrl))
    const other = await enterVisitOfCookie(deps, visitor, entry)
    if (!other) return reply.redirect('/connect/done', 303)
    await countVisit(deps.database, visitor, other)
    if (next.agreed) await countStep(deps.database, other.open.link, 'agreed')
    return reply.redirect(resumePath(other), 303)
  })

  app.get('/problem', async (request, reply) => {
    const kind = readText(request.query, 'kind')
    const visit = await enterVisit(deps, request)
    if (!isProblemKind(kind)) throw new Problem('nowhere')
    const reference = /^[\w-]{1,64}$/.exec(readText(request.query, 'reference') ?? '')?.[0] ?? request.id
    const shown = visit === null && kind !== 'link' && kind !== 'nowhere' ? 'session' : kind
    return sendPage(reply, sender, request.visitor, problemPage(request.visitor, { kind: shown, details: {} }, reference))
  })
}

async function describeResult(
  deps: ConnectDeps,
  { visitor, query }: FastifyRequest,
  visit: Visit,
  connections: readonly ConnectionView[],
): Promise<Result> {
  const isAgain = connections.length === 0 || readText(query, 'again') !== undefined
  const ids = connections.map(({ id }) => id)
  return {
    connections,
    isAgain,
    heldBanks: await noteHeldBanks(deps.database, deps.sources, visitor, visit, ids),
    address: donePath(visit, readIds(query), isAgain),
    ownerPagePath: await findOwnerPagePath(deps, visitor, visit),
    mayBeReminded: deps.mail !== undefined,
  }
}

function readIds(query: unknown): string[] {
  const ids = (readText(query, 'connections') ?? '').split('.').filter((id) => isUuid(id))
  return ids.slice(0, MAX_CONNECTIONS)
}

async function findOwnerPagePath(deps: Store & Vault & Catalogue, visitor: Visitor, visit: Visit): Promise<string | null> {
  const address = await addressOfUsedLink(deps, visit.open.link, visit.token, visitor.locale)
  return address && `${new URL(address).pathname}${new URL(address).search}`
}

/** Views of those connections that belong to the link's business and source. */
async function listConnectionViews(db: Db, sources: Sources, visit: Visit, ids: readonly string[]): Promise<ConnectionView[]> {
  const { link, service } = visit.open
  const found = await Promise.all(ids.map((id) => findConnection(db, link.instanceId, id)))
  const own = found.filter((one) => one?.companyId === link.companyId && one.connectorKey === service.source.description.key)
  return await Promise.all(own.flatMap((one) => (one ? [toView(db, sources, visit, one)] : [])))
}

async function toView(db: Db, sources: Sources, visit: Visit, connection: Connection): Promise<ConnectionView> {
  const { instanceId, companyId, serviceId, connectorKey } = connection
  const service = await findService(db, sources, instanceId, serviceId)
  const publication = await findPublication(db, { instanceId, companyId, serviceId })
  const progress = toProgress(connection)
  const run = progress === 'reading' ? await countReadSoFar(db, connection) : null
  const isUpload = visit.open.service.source.description.link === 'upload'
  return {
    // Uploaded files have only our own name, in the owner's language.
    id: connection.id,
    serviceName: isUpload ? visit.source : (service?.name ?? ''),
    entityName: isUpload ? '' : (connection.entityName ?? ''),
    institutionId: service?.institutionId ?? null,
    connectorKey,
    progress,
    connectedAt: await findAuthorizedAt(db, instanceId, connection.id),
    readingSince: run?.since ?? null,
    readyAt: progress === 'ready' ? connection.publishedAt : null,
    readSoFar: run?.records ?? 0,
    accounts: publication?.accounts ?? 0,
    transactions: publication?.transactions ?? 0,
    notes: isUpload ? await listFileNotes(db, connection, rootLinkId(visit.open.link)) : [],
  }
}

function toProgress({ status, category }: Connection): Progress {
  if (status === restingStatus(category)) return 'ready'
  if (status === Status.Disconnected) return 'ended'
  if (status === Status.Suspended) return 'paused'
  if (status === Status.Deauthorized) return 'renewal'
  if (status === Status.Authorization || status === Status.Authorized || status === Status.WaitingForWebhook) return 'waiting'
  return isFault(status) ? 'retrying' : 'reading'
}
