import type { FastifyInstance } from 'fastify'
import { isFault, restingStatus, Status } from '../../model/statuses.ts'
import { type Connection, findConnection, listTimeline } from '../../store/connections.ts'
import { findPublication } from '../../store/publications.ts'
import { findService } from '../../sync/catalogue.ts'
import { isProblemKind, Problem } from '../problem.ts'
import { type ConnectionView, donePage, donePath, type Progress } from '../views/done.ts'
import { resumePath, type Sender, sendPage } from '../views/page.ts'
import { problemPage } from '../views/problem.ts'
import { type ConnectDeps, findVisit, readText, type Visit } from '../visitor.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const MOST_CONNECTIONS = 20

/** What came of it. */
export function addResultRoutes(app: FastifyInstance, deps: ConnectDeps, sender: Sender): void {
  app.get('/done', async (request, reply) => {
    const visit = await findVisit(deps, request)
    if (!visit) throw new Problem('session')
    if (visit.used === 'no') return reply.redirect(resumePath(visit), 303)
    if (visit.used === 'long ago') throw new Problem('used')
    const ids = (readText(request.query, 'connections') ?? '').split('.').filter((id) => UUID.test(id))
    const connections = await listConnectionViews(deps, visit, ids.slice(0, MOST_CONNECTIONS))
    const isAgain = connections.length === 0 || readText(request.query, 'again') !== undefined
    const address = donePath(visit, ids.slice(0, MOST_CONNECTIONS), isAgain)
    return sendPage(reply, sender, request.visitor, donePage(request.visitor, visit, { connections, isAgain, address }))
  })

  app.get('/problem', async (request, reply) => {
    const kind = readText(request.query, 'kind')
    const visit = await findVisit(deps, request)
    if (!isProblemKind(kind)) throw new Problem('nowhere')
    const reference = /^[\w-]{1,64}$/.exec(readText(request.query, 'reference') ?? '')?.[0] ?? request.id
    const shown = visit === null && kind !== 'link' && kind !== 'nowhere' ? 'session' : kind
    return sendPage(reply, sender, request.visitor, problemPage(request.visitor, { kind: shown, details: {} }, reference))
  })
}

/** Those of the named connections that belong to the link's business and source. */
async function listConnectionViews(deps: ConnectDeps, visit: Visit, ids: readonly string[]): Promise<ConnectionView[]> {
  const { link, service } = visit.open
  const found = await Promise.all(ids.map((id) => findConnection(deps.database, link.instanceId, id)))
  const own = found.filter((one) => one?.companyId === link.companyId && one.connectorKey === service.source.description.key)
  return await Promise.all(own.flatMap((one) => (one ? [toView(deps, visit, one)] : [])))
}

async function toView(deps: ConnectDeps, visit: Visit, connection: Connection): Promise<ConnectionView> {
  const { instanceId, companyId, serviceId, connectorKey } = connection
  const service = await findService(deps, deps.database, instanceId, serviceId)
  const publication = await findPublication(deps.database, { instanceId, companyId, serviceId })
  const timeline = await listTimeline(deps.database, instanceId, connection.id)
  const progress = toProgress(connection)
  const isUpload = visit.open.service.source.description.link === 'upload'
  return {
    // Files have no name of their own but the one that we have for them, in the owner's language.
    serviceName: isUpload ? visit.source : (service?.name ?? ''),
    entityName: isUpload ? '' : (connection.entityName ?? ''),
    institutionId: service?.institutionId ?? null,
    connectorKey,
    progress,
    connectedAt: timeline.findLast(({ toStatus, fromStatus }) => toStatus === Status.Authorized || toStatus === fromStatus)?.at ?? null,
    readyAt: progress === 'ready' ? connection.publishedAt : null,
    accounts: publication?.accounts ?? 0,
    transactions: publication?.transactions ?? 0,
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
