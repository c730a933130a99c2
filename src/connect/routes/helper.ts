import type { FastifyInstance } from 'fastify'
import { answerHandOff, findIncomingHandOff } from '../../sync/links/hand-off.ts'
import { writeLinkCookies } from '../http/cookies.ts'
import { ownLoginPath } from '../views/hand-off.ts'
import { helperDeclinedPage, helperPage } from '../views/helper.ts'
import { resumePath, type Sender, sendPage } from '../views/page.ts'
import { requirePostedVisit, requireVisit } from '../visit/guards.ts'
import { isSecure, pathTo, readText } from '../visit/visitor.ts'
import type { ConnectDeps } from './connect-deps.ts'

/** Pages of the helper to whom a link was handed. */
export function addHelperRoutes(app: FastifyInstance, deps: ConnectDeps, sender: Sender): void {
  app.get('/helping', async (request, reply) => {
    const visit = await requireVisit(deps, request)
    if (visit.open.link.parentId === null) return reply.redirect(resumePath(visit), 303)
    const isDeclined = readText(request.query, 'declined') !== undefined
    const page = isDeclined ? helperDeclinedPage(request.visitor, visit) : helperPage(request.visitor, visit)
    return sendPage(reply, sender, request.visitor, page)
  })

  app.post('/helping', { config: { audit: ['hand-off.accepted', 'hand-off.declined'] } }, async (request, reply) => {
    const visit = await requirePostedVisit(deps, request)
    const { link } = visit.open
    if (link.parentId === null) return reply.redirect(resumePath(visit), 303)
    const isDeclined = readText(request.body, 'choice') === 'cannot'
    await answerHandOff(deps.database, link, isDeclined)
    if (isDeclined) return reply.redirect(pathTo(visit, '/connect/helping', { declined: 'yes' }), 303)
    const entries = request.visitor.linkCookies.map((entry) => (entry.token === visit.token ? { ...entry, agreed: true } : entry))
    writeLinkCookies(reply, entries, isSecure(deps.baseUrl))
    const handed = await findIncomingHandOff(deps.database, deps.sealer, link)
    const next = handed?.institutionId ? ownLoginPath(visit, handed.institutionId) : resumePath({ ...visit, agreed: true })
    return reply.redirect(next, 303)
  })
}
