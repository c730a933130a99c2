import type { FastifyInstance } from 'fastify'
import { findLivingConnection } from '../../store/connections.ts'
import { beginAuthorization } from '../../sync/authorize.ts'
import { type JarEntry, writeJar } from '../cookies.ts'
import { requirePostedForm, requireUsable, requireVisit } from '../guards.ts'
import { Problem } from '../problem.ts'
import { consentPage } from '../views/consent.ts'
import { resumePath, type Sender, sendPage } from '../views/page.ts'
import { type ConnectDeps, isSecure, pathTo, readText, type Visitor, visitBy } from '../visitor.ts'

/** The way in: the link itself, then the owner's permission. */
export function addConsentRoutes(app: FastifyInstance, deps: ConnectDeps, sender: Sender): void {
  // A link in which any part was changed, cut or swapped is answered like one that never was.
  app.get('/', async (request, reply) => {
    const { visitor } = request
    const token = readText(request.query, 'token') ?? ''
    const known = visitor.jar.find((entry) => entry.token === token)
    const entry = known ?? { token, agreed: false }
    visitor.jar = replaceEntry(visitor, entry)
    const visit = await visitBy(deps, visitor, entry)
    const named = ['serviceId', 'instanceId', 'accountId'].map((name) => readText(request.query, name)?.toLowerCase())
    const { link } = visit?.open ?? {}
    const isWhole = link && named.join() === [link.serviceId, link.instanceId, link.companyId].join()
    if (!visit || !isWhole) {
      visitor.visit = null
      throw new Problem('link')
    }
    writeJar(reply, visitor.jar, isSecure(deps))
    requireUsable(visit)
    return reply.redirect(pathTo(visit, '/connect/consent'), 303)
  })

  app.get('/consent', async (request, reply) => {
    const visit = await requireVisit(deps, request)
    const { link, service } = visit.open
    const living = await findLivingConnection(deps.database, link.instanceId, link.companyId, service.id)
    const renews = service.source.description.link === 'upload' ? null : (living?.entityName ?? null)
    return sendPage(reply, sender, request.visitor, consentPage(request.visitor, visit, renews))
  })

  app.post('/consent', async (request, reply) => {
    const visit = await requirePostedForm(deps, request)
    const agreed = readText(request.body, 'choice') === 'agree'
    writeJar(reply, replaceEntry(request.visitor, { token: visit.token, agreed }), isSecure(deps))
    if (!agreed) return reply.redirect(pathTo(visit, '/connect/problem', { kind: 'declined' }), 303)
    await beginAuthorization(deps, visit.open)
    return reply.redirect(resumePath({ ...visit, agreed }), 303)
  })
}

/** The links of this browser with `entry` first. */
function replaceEntry(visitor: Visitor, entry: JarEntry): JarEntry[] {
  return [entry, ...visitor.jar.filter(({ token }) => token !== entry.token)]
}
