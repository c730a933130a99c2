import type { FastifyRequest } from 'fastify'
import { type Actor, type AuditWriter, withinActor } from '../../audit/actor.ts'
import { actionsOf } from '../../audit/rule.ts'
import { toNetwork } from '../../model/values/network.ts'

/**
 * Actor scope hook: handlers of routes with an audit rule act on behalf of their caller. NOTE not before `preHandler`:
 * reading a body leaves the scope again.
 */
export function enterActorScope(writer: AuditWriter): (request: FastifyRequest, reply: unknown, done: () => void) => void {
  return (request, _reply, done) => {
    const rule = request.routeOptions.config.audit
    if (rule === undefined) done()
    else withinActor({ writer, actor: actorOf(request), actions: actionsOf(rule) }, done)
  }
}

function actorOf({ verifiedCaller, verifiedOperator, ip, id: requestId }: FastifyRequest): Actor {
  const network = toNetwork(ip)
  if (verifiedOperator !== null) return { kind: 'operator', id: verifiedOperator.operatorId, network, requestId }
  if (verifiedCaller === null) return { kind: 'visitor', id: null, network, requestId }
  const { userId, keyId } = verifiedCaller
  return keyId === null ? { kind: 'user', id: userId, network, requestId } : { kind: 'key', id: keyId, network, requestId }
}
