import type { FastifyContextConfig, RouteOptions } from 'fastify'
import type { ActionName } from '../../audit/actions.ts'
import { actionsOf } from '../../audit/rule.ts'
import { PROOF_SECONDS } from '../access/proof/proof-rule.ts'
import { proofRequired } from '../errors/errors.ts'
import type { OperatorCaller } from './operator-caller.ts'

/** Changes of operators, and of how the users of an instance sign in; what stops, takes away or deletes an instance's data. */
const SENSITIVE = /^(operator|user)\.|^instance\.(passwords-allowed|suspended|exported|erasure-requested)$/
/** Audit actions with such a name that change none of these. */
const HARMLESS: ReadonlySet<ActionName> = new Set(['operator.signed-out', 'operator.refused'])

/** Throws a 403 when the route asks for a fresh proof and that of an open session is too old. */
export function checkProof({ step, provenAt }: OperatorCaller, { proof }: FastifyContextConfig, now: Date): void {
  if (proof !== 'fresh' || step !== 'open') return
  if (now.getTime() - (provenAt?.getTime() ?? 0) > PROOF_SECONDS * 1000) throw proofRequired(PROOF_SECONDS)
}

/** Throws for a route of open sessions that makes a sensitive change, by its audit actions, and asks for no proof. */
export function requireProofRule({ method, url, config }: Pick<RouteOptions, 'method' | 'url' | 'config'>): void {
  const isForOpen = config?.operator === 'open' || config?.operator === 'any'
  if (config?.audit === undefined || !isForOpen || config.proof !== undefined) return
  const sensitive = [...actionsOf(config.audit)].filter((action) => SENSITIVE.test(action) && !HARMLESS.has(action))
  if (sensitive.length > 0)
    throw new Error(`${method} ${url} does not say which proof ${sensitive.join(', ')} needs (operator/proof-rule.ts)`)
}
