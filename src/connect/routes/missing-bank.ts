import type { FastifyInstance, FastifyRequest } from 'fastify'
import { isUuid } from '../../model/values/uuid.ts'
import { findInstitutionRequest } from '../../store/sources/institutions.ts'
import { missingBankId, recordMissingBank } from '../../sync/links/missing-bank.ts'
import { findStatementsService, issueStatementsLink } from '../../sync/links/statements-link.ts'
import { writeLinkCookies } from '../http/cookies.ts'
import { Problem } from '../http/problem.ts'
import { bankNotedPage, type MissingBank, missingBankPage } from '../views/missing-bank.ts'
import { choosesBank, resumePath, type Sender, sendPage } from '../views/page.ts'
import { countVisit } from '../visit/count-visit.ts'
import { requirePostedVisit, requireVisit } from '../visit/guards.ts'
import { enterVisitOfCookie, isSecure, pathTo, readText } from '../visit/visitor.ts'
import type { ConnectDeps } from './connect-deps.ts'

const LONGEST = 200

/** Missing bank: note it, or upload statements instead. */
export function addMissingBankRoutes(app: FastifyInstance, deps: ConnectDeps, sender: Sender): void {
  const canUpload = () => findStatementsService(deps.sources) !== null

  app.get('/institutions/missing', async (request, reply) => {
    const visit = await requireVisit(deps, request)
    if (!visit.agreed || !choosesBank(visit)) return reply.redirect(resumePath(visit), 303)
    const typed = { name: '', country: visit.open.company.country, website: '' }
    return sendPage(
      reply,
      sender,
      request.visitor,
      missingBankPage(request.visitor, visit, { typed, canUpload: canUpload(), problems: [] }),
    )
  })

  app.post('/institutions/missing', { config: { audit: 'institution.requested' } }, async (request, reply) => {
    const visit = await requirePostedVisit(deps, request)
    if (!visit.agreed || !choosesBank(visit)) return reply.redirect(resumePath(visit), 303)
    const typed = readMissingBank(request)
    if (typed.name === '') {
      const problems = [{ field: 'name', text: request.visitor.texts.missing.nameNeeded }]
      return sendPage(reply, sender, request.visitor, missingBankPage(request.visitor, visit, { typed, canUpload: canUpload(), problems }))
    }
    const id = await recordMissingBank(deps.database, visit.open, typed)
    return reply.redirect(pathTo(visit, '/connect/institutions/noted', { request: id }), 303)
  })

  app.get('/institutions/noted', async (request, reply) => {
    const visit = await requireVisit(deps, request)
    const id = readText(request.query, 'request') ?? ''
    const noted = isUuid(id) ? await findInstitutionRequest(deps.database, visit.open.link.instanceId, id) : null
    if (!noted || noted.id !== missingBankId(visit.open.link, noted.name))
      return reply.redirect(pathTo(visit, '/connect/institutions'), 303)
    return sendPage(reply, sender, request.visitor, bankNotedPage(request.visitor, visit, { noted, canUpload: canUpload() }))
  })

  // The owner continues with a separate link for files, with its own consent.
  app.post('/institutions/statements', { config: { audit: 'link.created' } }, async (request, reply) => {
    const { visitor } = request
    const visit = await requirePostedVisit(deps, request)
    const token = await issueStatementsLink(deps, visit)
    if (token === null) throw new Problem('off')
    const known = visitor.linkCookies.find((entry) => entry.token === token)
    visitor.linkCookies = [known ?? { token, agreed: false }, ...visitor.linkCookies.filter((entry) => entry.token !== token)]
    writeLinkCookies(reply, visitor.linkCookies, isSecure(deps.baseUrl))
    const next = await enterVisitOfCookie(deps, visitor, visitor.linkCookies[0] ?? { token, agreed: false })
    if (!next) return reply.redirect(pathTo(null, '/connect/consent'), 303)
    await countVisit(deps.database, visitor, next)
    return reply.redirect(resumePath(next), 303)
  })
}

function readMissingBank({ body }: FastifyRequest): MissingBank {
  return {
    name: (readText(body, 'name') ?? '').toWellFormed().replaceAll('\0', '').trim().slice(0, LONGEST),
    country: /^(CA|US)$/.exec(readText(body, 'country') ?? '')?.[0] ?? '',
    website: (readText(body, 'website') ?? '').toWellFormed().replaceAll('\0', '').trim().slice(0, LONGEST),
  }
}
