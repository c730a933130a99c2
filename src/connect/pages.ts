import { setTimeout } from 'node:timers/promises'
import fastifyCookie from '@fastify/cookie'
import fastifyFormbody from '@fastify/formbody'
import fastifyMultipart from '@fastify/multipart'
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { toNetwork } from '../model/values/network.ts'
import { findActiveConnection } from '../store/connections/connections.ts'
import { countStep } from '../store/connections/link-progress.ts'
import { acrossInstances, withinInstance } from '../store/db/instance-scope.ts'
import type { Logging } from '../sync/context/groups.ts'
import type { LinkContext } from '../sync/links/context.ts'
import { addAssetRoutes } from './assets/assets.ts'
import { addElementRoutes } from './assets/element.ts'
import { addColoursRoute, addRequesterLogoRoute } from './branding/branding.ts'
import { addLogoRoutes } from './branding/logos.ts'
import { writeLanguage } from './http/cookies.ts'
import { Problem, type ProblemKind, toProblem } from './http/problem.ts'
import { addAccessibilityRoutes } from './routes/accessibility.ts'
import { addBooksRoutes } from './routes/books.ts'
import { addCallbackRoutes } from './routes/callback.ts'
import type { ConnectDeps } from './routes/connect-deps.ts'
import { addConsentRoutes } from './routes/consent.ts'
import { addHandOffRoutes } from './routes/hand-off.ts'
import { addHelperRoutes } from './routes/helper.ts'
import { addInstitutionRoutes } from './routes/institutions.ts'
import { addMissingBankRoutes } from './routes/missing-bank.ts'
import { addOwnerPageRoutes } from './routes/owner-page.ts'
import { addReceiptRoutes } from './routes/receipts.ts'
import { addReminderRoutes } from './routes/reminders.ts'
import { addResultRoutes } from './routes/result.ts'
import { addSourceRoutes, MAX_UPLOADED_BYTES } from './routes/source.ts'
import { addTopLevelRoutes } from './routes/top-level-window.ts'
import { toLocale } from './texts/locale.ts'
import { donePath } from './views/done.ts'
import { type Sender, sendPage } from './views/page.ts'
import { problemPage } from './views/problem.ts'
import type { VisitContext } from './visit/context.ts'
import { enterVisitOfCookie, isSecure, readText, readVisitor, type Visit } from './visit/visitor.ts'

const MAX_FORM_BYTES = 64 * 1024
/** Problems of clients that try out links, or open the pages without one. */
const UNKNOWN_LINK_PROBLEMS: readonly ProblemKind[] = ['link', 'session', 'forged']
/** Problems that count as a failure of the link. */
const SOURCE_PROBLEMS: readonly ProblemKind[] = ['silent', 'refused', 'mismatch']
/** Polls of the page for the result of a concurrent click. */
const PATIENT_TURNS = 6
const TURN_MS = 250
const PAUSED_RETRY_SECONDS = 60
/** Form fields and files, with a margin so that our own count of files reports the error. */
const MAX_PARTS = 50

/** Plugin with the business owner's pages under `/connect`, and the logos under `/logos`. */
export function connectPages(deps: ConnectDeps): FastifyPluginAsync {
  return async (app) => {
    addLogoRoutes(app, deps.sources)
    addRequesterLogoRoute(app, deps.database)
    await addElementRoutes(app)
    const sender = { assets: await addAssetRoutes(app), isSecure: isSecure(deps.baseUrl) }
    await app.register((pages) => addPages(pages, deps, sender), { prefix: '/connect' })
  }
}

async function addPages(app: FastifyInstance, deps: ConnectDeps, sender: Sender): Promise<void> {
  await app.register(fastifyCookie)
  await app.register(fastifyFormbody, { bodyLimit: MAX_FORM_BYTES })
  await app.register(fastifyMultipart, {
    throwFileSizeLimit: false,
    limits: { fileSize: MAX_UPLOADED_BYTES + 1, fieldSize: 1_000, fields: MAX_PARTS, files: MAX_PARTS, parts: 2 * MAX_PARTS },
  })
  app.removeContentTypeParser(['application/json', 'text/plain'])

  app.decorateRequest('visitor')
  app.addHook('onRequest', async (request, reply) => {
    request.visitor = readVisitor(deps.baseUrl, request)
    if (!isStatic(request.url) && (await deps.pause?.find()))
      throw new Problem('busy', { details: { retryAfterSeconds: PAUSED_RETRY_SECONDS } })
    if (toLocale(readText(request.query, 'lang')) !== null) writeLanguage(reply, request.visitor.locale, sender.isSecure)
  })
  // In no instance scope until the link or owner page is found. NOTE not earlier: reading a form leaves the scope.
  app.addHook('preHandler', (_request, _reply, done) => acrossInstances(done))
  const answer = async (problem: Problem, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    // Hooks of the whole service refuse some requests before cookies are read and the visitor is known.
    request.cookies ??= app.parseCookie(request.headers.cookie ?? '')
    request.visitor ??= readVisitor(deps.baseUrl, request)
    return await answerProblem(deps, sender, problem, request, reply)
  }
  app.setErrorHandler((error, request, reply) => answer(toProblem(error), request, reply))
  app.setNotFoundHandler((request, reply) => answer(new Problem('nowhere'), request, reply))

  addColoursRoute(app)
  addConsentRoutes(app, deps, sender)
  addInstitutionRoutes(app, deps, sender)
  addMissingBankRoutes(app, deps, sender)
  addSourceRoutes(app, deps, sender)
  addTopLevelRoutes(app, deps, sender)
  addHandOffRoutes(app, deps, sender)
  addHelperRoutes(app, deps, sender)
  addBooksRoutes(app, deps, sender)
  addCallbackRoutes(app, deps)
  addResultRoutes(app, deps, sender)
  addReminderRoutes(app, deps, sender)
  addOwnerPageRoutes(app, deps, sender)
  addReceiptRoutes(app, deps, sender)
  addAccessibilityRoutes(app, deps, sender)
}

/** Pages and files that neither read nor change anything of an owner. */
function isStatic(url: string): boolean {
  return url.startsWith('/connect/colours/') || url.startsWith('/connect/accessibility')
}

async function answerProblem(
  deps: VisitContext & Logging,
  sender: Sender,
  found: Problem,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const problem = (UNKNOWN_LINK_PROBLEMS.includes(found.kind) && deps.limits.countUnknownLink(toNetwork(request.ip), deps.now())) || found
  const result = problem.kind === 'used' || problem.kind === 'state' ? await resolveResultPath(deps, request, problem.kind) : null
  if (result !== null) return reply.redirect(result, 303)
  const fields = { requestId: request.id, problem: problem.kind, err: problem.cause }
  if (problem.kind === 'ours' || (problem.kind === 'busy' && problem.cause !== undefined))
    deps.log.error(fields, 'a page of the owner failed')
  else if (problem.kind === 'silent' || problem.kind === 'refused')
    deps.log.warn(fields, 'a source failed while an owner was connecting it')
  else deps.log.info({ requestId: request.id, problem: problem.kind }, 'problem page shown to an owner')
  if (SOURCE_PROBLEMS.includes(problem.kind)) await countFailed(deps, request)
  const { retryAfterSeconds } = problem.details
  if (retryAfterSeconds !== undefined) reply.header('retry-after', retryAfterSeconds)
  return sendPage(reply, sender, request.visitor, problemPage(request.visitor, problem, request.id))
}

/** NOTE the page is shown whether or not the failure can be counted. */
async function countFailed(deps: VisitContext & Logging, { visitor: { visit } }: FastifyRequest): Promise<void> {
  if (visit?.used !== 'no') return
  const { link } = visit.open
  await withinInstance(link.instanceId, () => countStep(deps.database, link, 'failed')).catch((error: unknown) =>
    deps.log.warn({ err: error }, 'a failure of a source is not counted in the funnel'),
  )
}

/** Result page of a link that a double click, the back button or a second tab finds used up. */
async function resolveResultPath(deps: LinkContext, request: FastifyRequest, problem: ProblemKind): Promise<string | null> {
  // With an unknown state the earlier click may still be at the source.
  for (let turn = problem === 'state' ? PATIENT_TURNS : 1; turn > 0; turn -= 1) {
    const visit = await reenterVisit(deps, request)
    if (!visit) return null
    if (visit.used === 'recently') {
      const { link, service } = visit.open
      const active = await findActiveConnection(deps.database, link.instanceId, link.companyId, service.id)
      return donePath(visit, active ? [active.id] : [], true)
    }
    if (turn > 1) await setTimeout(TURN_MS)
  }
  return null
}

async function reenterVisit(deps: LinkContext, request: FastifyRequest): Promise<Visit | null> {
  const { visitor } = request
  const entry = visitor.linkCookies.find(({ token }) => token === visitor.visit?.token)
  return entry ? await enterVisitOfCookie(deps, visitor, entry) : null
}
