/**
 * HTTP server of the API. The routes of a subject are in `routes/<subject>.ts` as a Fastify plugin
 *
 *     export function companyRoutes(deps: ApiDeps): FastifyPluginAsyncTypebox {
 *       return routes(deps, [getCompanyRoute, …])
 *     }
 *
 *     const getCompanyRoute = route(
 *       { method: 'GET', url: '/normalized-data/companies/:companyId', roles: readers, schema: { … } },
 *       async (deps: ApiDeps, request) => …,
 *     )
 *
 * listed in `route-table.ts`, which prefixes it with `/admin/api/v1`. A route there
 * - declares its `roles` (`access/caller.ts`); without them the server does not start;
 * - declares its `audit` (`audit/rule.ts`) if it changes something, or the server does not start; its handler calls
 *   `recordChange` (`audit/record.ts`) last in the transaction of the change;
 * - takes the caller from `request.caller`, whose `instanceId` goes into every query;
 * - has a schema with `tags`, `summary`, `operationId` and a response, from which the OpenAPI document is generated.
 *   Bodies and queries are strict: unknown properties are a 400. Only numbers and booleans in a query are converted;
 * - returns its response or throws from `errors/errors.ts`; any other error becomes a 500 without detail;
 * - for a list, uses `lists/list-query.ts` and `lists/list-reply.ts`;
 * - NOTE: returns exact decimals as serialized JSON (a `Buffer` with its content type), because the schema of a
 *   response prints numbers as doubles.
 */
import { randomUUID } from 'node:crypto'
import type { RequestListener, Server } from 'node:http'
import Fastify, { type FastifyInstance, LogController } from 'fastify'
import { auditWriter } from '../audit/record.ts'
import { requireAuditRule } from '../audit/rule.ts'
import { createAccess } from './access/access.ts'
import { recordKeyUses } from './access/keys/key-uses.ts'
import { type ApiParts, addApiRoutes } from './api-scope.ts'
import { createListener } from './context/server-tls.ts'
import { badRequest } from './errors/errors.ts'
import { handleError, sendProblem } from './errors/problem.ts'
import { logRequests, requestTimer } from './http/access-log.ts'
import { enterActorScope } from './http/audit-scope.ts'
import { withBodyDeadline } from './http/body-deadline.ts'
import { clientErrors } from './http/client-error-handler.ts'
import { limitConnections } from './http/connection-limit.ts'
import { checkForwarding } from './http/forwarding.ts'
import { pauseGuard } from './http/pause-guard.ts'
import { CallerLimits } from './http/request-limits.ts'
import { traceRequests } from './http/request-spans.ts'
import { RouteMethods } from './http/route-methods.ts'
import { baseHeaders, readHeaders, setPairs } from './http/security-headers.ts'
import { recordUsage, UsageCounter } from './http/usage.ts'
import { addMcpRoute } from './mcp/scope.ts'
import { RequestPeaks, recordRequestPeaks } from './operator/request-peaks.ts'
import { addOperatorRoutes } from './operator/scope.ts'
import { separateHosts } from './owners-host.ts'
import { HeadSetter, memoryReleaser } from './read-cache/node-internals.ts'
import { ReadFastPath } from './read-cache/read-fast-path.ts'
import { ResponseHeadWriter } from './read-cache/response-head-writer.ts'
import { documentRoutes } from './reference/route-document.ts'
import { noteChanges } from './replicas/replica-reads.ts'
import { healthRoutes } from './routes/health.ts'
import { referenceRoutes } from './routes/reference.ts'
import type { RouteDeps } from './routes/route-deps.ts'
import { signInPages } from './routes/sign-in.ts'
import { keyRoutes } from './routes/signing-keys.ts'
import { providerWebhookRoutes } from './routes/sources/provider-webhooks.ts'
import { receiverEndpoint } from './routes/webhooks/receiver-endpoint.ts'
import { compileSchemasLazily, noOwnCompilers } from './schemas/lazy-schemas.ts'
import { SCIM_PREFIX } from './scim/routes/scim-deps.ts'
import { addScimRoutes } from './scim/scope.ts'

/** Timeouts in milliseconds. A half-open request ends after the first two at most, plus `checkMs` and half a second to read the 408. */
interface Timeouts {
  /** Also the time of a TLS handshake. */
  headersMs: number
  bodyMs: number
  /** Longer than an upload may take, see `connect/http/upload-limiter.ts`. */
  uploadMs: number
  /** Time from the beginning of a stop for open requests; an upload that takes longer is aborted. */
  closeMs: number
  /** Interval of deadline checks while there are connections: Node's own half minute would be added to each deadline. */
  checkMs: number
}

const TIMEOUTS: Timeouts = { headersMs: 8_000, bodyMs: 8_000, uploadMs: 310_000, closeMs: 10_000, checkMs: 1_000 }
const CONNECTION_TIMEOUT_MS = 60_000
/** Longer than common proxies keep a reusable connection. */
const KEEP_ALIVE_MS = 72_000
const MAX_HEADER_BYTES = 16_384
const MAX_HEADERS = 100
const MAX_BODY_BYTES = 262_144

/**
 * Builds the server; the caller adds what else is served on the same address (connect pages, portal), then listens.
 * Closing it first completes requests in flight.
 */
export function createApi(deps: RouteDeps, timeouts: Timeouts = TIMEOUTS): FastifyInstance {
  const access = createAccess({ ...deps, mail: deps.sync.mail })
  const limits = new CallerLimits(deps.settings.requestLimits, (instanceId) => access.guard.requestQuotaOf(instanceId))
  const timeOf = requestTimer(deps.metrics)
  const headers = readHeaders(deps.settings.publicUrl)
  const headWriter = new ResponseHeadWriter({ headers, keepAliveMs: KEEP_ALIVE_MS, headSetter: new HeadSetter(deps.log) })
  const fastPath = new ReadFastPath({ guard: access.guard, limits, timeOf, headWriter, log: deps.log, now: deps.now })
  const app = createServer(deps, fastPath, timeouts)
  const methods = new RouteMethods(app)
  const everyHeader = baseHeaders(deps.settings.publicUrl)
  app.decorateRequest('verifiedOperator', null)
  app.decorateRequest('operator', {
    getter() {
      if (this.verifiedOperator === null) throw new Error('a public route asked which operator is calling')
      return this.verifiedOperator
    },
  })
  app.decorateRequest('verifiedCaller', null)
  app.decorateRequest('caller', {
    getter() {
      if (this.verifiedCaller === null) throw new Error('a public route asked who is calling')
      return this.verifiedCaller
    },
  })
  app.decorateRequest('user', {
    getter() {
      if (this.caller.keyId !== null) throw new Error('a route for users was called with an API key')
      return this.caller
    },
  })
  app.addHook('onRequest', (request, reply, done) => {
    setPairs(reply, everyHeader)
    reply.header('x-request-id', request.id)
    // PostgreSQL cannot store this character, in any parameter.
    done(request.url.includes('%00') ? badRequest('The address holds a character that is not allowed.') : undefined)
  })
  if (deps.settings.connectUrl !== null) app.addHook('onRequest', separateHosts(deps.settings.connectUrl))
  app.addHook('onRequest', checkForwarding(deps.settings, deps.log, deps.now))
  app.addHook('onRequest', pauseGuard(deps.pause))
  app.addHook('onRoute', requireAuditRule)
  app.addHook('preHandler', enterActorScope(auditWriter(access)))
  app.addHook('preClose', async () => {
    fastPath.close()
    setTimeout(() => app.server.closeAllConnections(), timeouts.closeMs).unref()
  })
  logRequests(app, deps.log, timeOf)
  traceRequests(app)
  app.setErrorHandler(handleError)
  app.setNotFoundHandler(methods.answerUnrouted)
  noteChanges(app, deps.replicas)
  const usage = new UsageCounter(deps.database)
  recordUsage(app, usage)
  recordRequestPeaks(app, new RequestPeaks(deps.database, limits, deps.now))
  recordKeyUses(app, access.keyUses)
  limitConnections(app.server, { ...deps, maxConnections: deps.settings.maxConnections })
  addPlugins(app, deps, { access, limits, fastPath, usage, releaseMemory: memoryReleaser(deps.log) }, methods)
  return app
}

function createServer(deps: RouteDeps, fastPath: ReadFastPath, timeouts: Timeouts): FastifyInstance {
  const { settings } = deps
  const headers = baseHeaders(settings.publicUrl)
  const errors = clientErrors(headers)
  const app = Fastify({
    loggerInstance: deps.log,
    logController: new LogController({ disableRequestLogging: true }),
    childLoggerFactory: (logger) => logger,
    genReqId: () => randomUUID(),
    trustProxy: settings.trustedProxies.length > 0 ? [...settings.trustedProxies] : false,
    bodyLimit: MAX_BODY_BYTES,
    // A process that is stopping still answers on its open connections, so that a restart fails nobody.
    return503OnClosing: false,
    serverFactory: (handler) =>
      listenFor(deps, withBodyDeadline(listenerOf(handler, fastPath, settings.connectUrl), timeouts.bodyMs, errors), timeouts),
    schemaController: noOwnCompilers,
    clientErrorHandler: errors.handle,
    frameworkErrors: (_error, _request, reply) => {
      setPairs(reply, headers)
      sendProblem(reply, badRequest('The address cannot be read.'))
    },
  })
  compileSchemasLazily(app)
  return app
}

/** At the owners' host every request takes the router, which answers nothing but their pages. */
function listenerOf(handler: RequestListener, fastPath: ReadFastPath, connectUrl: string | null): RequestListener {
  const reads = fastPath.listener(handler)
  if (connectUrl === null) return reads
  const { host } = new URL(connectUrl)
  return (request, response) => (request.headers.host?.toLowerCase() === host ? handler(request, response) : reads(request, response))
}

function listenFor(
  { tls = null, log }: Pick<RouteDeps, 'tls' | 'log'>,
  listener: RequestListener,
  { headersMs, uploadMs, checkMs }: Timeouts,
): Server {
  const server = createListener(
    tls,
    {
      headersTimeout: headersMs,
      requestTimeout: uploadMs,
      connectionsCheckingInterval: checkMs,
      keepAliveTimeout: KEEP_ALIVE_MS,
      maxHeaderSize: MAX_HEADER_BYTES,
    },
    listener,
    log,
  )
  server.maxHeadersCount = MAX_HEADERS
  return server.setTimeout(CONNECTION_TIMEOUT_MS)
}

function addPlugins(app: FastifyInstance, deps: RouteDeps, parts: ApiParts, methods: RouteMethods): void {
  documentRoutes(app, deps.settings)
  app.register(healthRoutes(deps))
  app.register(keyRoutes(deps))
  app.register(referenceRoutes())
  app.register(providerWebhookRoutes(deps))
  app.register(receiverEndpoint(deps))
  app.register(signInPages(deps, parts.access))
  app.register(async (scope) => addApiRoutes(scope, deps, parts))
  app.register(async (scope) => addMcpRoute(scope, deps, parts))
  app.register(async (scope) => addOperatorRoutes(scope, deps, parts.access))
  app.register(async (scope) => addScimRoutes(scope, deps, { ...parts, methods }), { prefix: SCIM_PREFIX })
}
