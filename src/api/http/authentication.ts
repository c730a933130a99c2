import type { FastifyReply, FastifyRequest } from 'fastify'
import { toNetwork } from '../../model/values/network.ts'
import { acrossInstances, withinInstance } from '../../store/db/instance-scope.ts'
import type { Caller } from '../access/caller.ts'
import { checkAccess, type Guard } from '../access/guard.ts'
import { checkProof } from '../access/proof/proof-rule.ts'
import type { ApiSettings } from '../context/settings.ts'
import { ApiError } from '../errors/errors.ts'
import { isChange } from './pause-guard.ts'
import { isComparison } from './preconditions.ts'
import { type CallerLimits, RequestLimit } from './request-limits.ts'
import { dataHeaders, setPairs } from './security-headers.ts'

interface AuthenticationDeps {
  settings: Pick<ApiSettings, 'requestLimits'>
  now(): Date
}

/** Enters the instance scope of the caller. NOTE not earlier: reading a body leaves the scope again. */
export function enterCallerScope({ verifiedCaller }: FastifyRequest, _reply: FastifyReply, done: () => void): void {
  if (verifiedCaller) withinInstance(verifiedCaller.instanceId, done)
  else acrossInstances(done)
}

type OnRequestHook = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => void

/** Authentication hook. Nothing here is asynchronous for a read with a cached token, which is nearly every request. */
export function authenticationHook(deps: AuthenticationDeps, guard: Guard, limits: CallerLimits): OnRequestHook {
  const networks = new RequestLimit(deps.settings.requestLimits.perNetwork)

  function admit(request: FastifyRequest, reply: FastifyReply, caller: Caller): void {
    if (!isComparison(request)) setPairs(reply, limits.count(caller, deps.now().getTime()))
    request.verifiedCaller = caller
    checkAccess(caller, request.routeOptions.config)
    checkProof(caller, request.routeOptions.config, deps.now())
  }

  function refuse(request: FastifyRequest, reply: FastifyReply, error: unknown): Error {
    if (error instanceof ApiError && error.status === 401) return errorOf(() => countNetwork(request, reply)) ?? error
    return error instanceof Error ? error : new Error(String(error))
  }

  function countNetwork(request: FastifyRequest, reply: FastifyReply): void {
    setPairs(reply, networks.count(toNetwork(request.ip), deps.now().getTime()))
  }

  return (request, reply, done) => {
    dataHeaders(reply)
    if (request.routeOptions.config.roles === 'public') return done(errorOf(() => countNetwork(request, reply)))
    const { authorization } = request.headers
    // A session that has just ended must change nothing.
    const atOnce = isChange(request)
    const caller = atOnce ? null : guard.recognize(authorization)
    if (caller) return done(errorOf(() => admit(request, reply, caller)))
    guard.identify(authorization, { atOnce }).then(
      (found) => done(errorOf(() => admit(request, reply, found))),
      (error: unknown) => done(refuse(request, reply, error)),
    )
  }
}

function errorOf(work: () => void): Error | undefined {
  try {
    work()
    return undefined
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}
