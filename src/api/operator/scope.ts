import fastifyCookie from '@fastify/cookie'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { toNetwork } from '../../model/values/network.ts'
import { acrossInstances } from '../../store/db/instance-scope.ts'
import { tokenHasher } from '../../store/keys/token-hash.ts'
import { SYSTEM_INSTANCE_ID } from '../../sync/context/system-instance.ts'
import type { Access } from '../access/access.ts'
import { readBearer } from '../access/guard.ts'
import { forbidden } from '../errors/errors.ts'
import { addIdempotency } from '../http/idempotency.ts'
import { acceptJsonOnly } from '../http/json-body.ts'
import { refuseOtherSites } from '../http/other-sites.ts'
import { addPreconditions, isComparison } from '../http/preconditions.ts'
import { RequestLimit } from '../http/request-limits.ts'
import { dataHeaders, setPairs } from '../http/security-headers.ts'
import { operatorCookie } from '../http/session-cookie.ts'
import { queryReader } from '../lists/query-names.ts'
import type { RouteDeps } from '../routes/route-deps.ts'
import { noSession, type OperatorCaller, type OperatorGate } from './operator-caller.ts'
import { checkProof, requireProofRule } from './proof-rule.ts'
import { accountRoutes } from './routes/accounts.ts'
import { deploymentRoutes } from './routes/deployment.ts'
import { erasureRoutes } from './routes/erasures.ts'
import { instanceSignInRoutes } from './routes/identity-provider.ts'
import { instanceRoutes } from './routes/instances.ts'
import { operatorPasskeyRoutes } from './routes/passkeys.ts'
import { quotaRoutes } from './routes/quotas.ts'
import { signInRoutes } from './routes/sign-in.ts'
import { findCaller } from './sign-in.ts'

const OPERATOR_PREFIX = '/operator/api/v1'

/** Registers on `scope` what all routes of operators share, then the routes. */
export async function addOperatorRoutes(scope: FastifyInstance, deps: RouteDeps, access: Access): Promise<void> {
  acceptJsonOnly(scope)
  await scope.register(fastifyCookie)
  scope.addHook('onRoute', prepareRoute)
  addPreconditions(scope, deps.database, {
    instanceOf: () => SYSTEM_INSTANCE_ID,
    isPublic: ({ operator }) => operator === 'public',
  })
  scope.addHook('onRequest', refuseOtherSites)
  scope.addHook('onRequest', authenticationHook(deps, access))
  // NOTE not earlier: reading a body leaves the scope again.
  scope.addHook('preHandler', (_request, _reply, done) => acrossInstances(done))
  // Only once the sign-in is complete: answers of its steps hold tokens, which are not kept.
  addIdempotency(scope, {
    ...deps,
    hashToken: tokenHasher(deps.keys, ''),
    ownerOf: ({ verifiedOperator: caller }) => (caller?.step === 'open' ? { instanceId: SYSTEM_INSTANCE_ID, id: caller.operatorId } : null),
  })
  const given = { ...deps, access }
  for (const plugin of [
    signInRoutes(given),
    operatorPasskeyRoutes(given),
    accountRoutes(given),
    instanceRoutes(given),
    instanceSignInRoutes(given),
    erasureRoutes(given),
    quotaRoutes(given),
    deploymentRoutes(given),
  ])
    await scope.register(plugin, { prefix: OPERATOR_PREFIX })
}

/** Runs when a route is added, before it serves a request. */
function prepareRoute(route: RouteOptions): void {
  if (route.config?.operator === undefined) throw new Error(`${route.method} ${route.url} does not say who may call it`)
  requireProofRule(route)
  const readQuery = queryReader(route)
  route.preValidation = [
    (request, _reply, done) => {
      readQuery(request)
      done()
    },
  ]
}

/** Looks the session up with every request: operators are few, and an ended session ends at once in every process. */
function authenticationHook(deps: RouteDeps, access: Access): (request: FastifyRequest, reply: FastifyReply) => Promise<void> {
  const networks = new RequestLimit(deps.settings.requestLimits.perNetwork)
  const isSecure = deps.settings.publicUrl.startsWith('https:')
  return async (request, reply) => {
    dataHeaders(reply)
    if (!isComparison(request)) setPairs(reply, networks.count(toNetwork(request.ip), deps.now().getTime()))
    const gate = request.routeOptions.config.operator
    if (gate === 'public') return
    const token = readBearer(request.headers.authorization) ?? operatorCookie.read(request, isSecure)
    const caller = token === null ? null : await findCaller(access, token)
    if (!caller) throw noSession()
    checkStep(caller, gate)
    checkProof(caller, request.routeOptions.config, deps.now())
    request.verifiedOperator = caller
  }
}

/** Throws a 403 for a session that is at another step of the sign-in. */
function checkStep({ step }: OperatorCaller, gate: OperatorGate | undefined): void {
  if (gate === 'any' || gate === step) return
  if (step === 'open') throw forbidden('The sign-in is complete.')
  throw forbidden(step === 'setup' ? 'Set up two-step sign-in first.' : 'The second step of the sign-in is missing.')
}
