import type { OperatorSession } from '../../store/operators/operator-sessions.ts'
import { type ApiError, unauthorized } from '../errors/errors.ts'

/** Operator who is calling. */
export type OperatorCaller = Pick<OperatorSession, 'id' | 'operatorId' | 'operatorName' | 'email' | 'step' | 'provenAt'>

/**
 * Who may call a route of operators: `public` needs no session, `setup` and `second` one at that step of the sign-in,
 * `any` one at any step, `open` one whose second factor was verified.
 */
export type OperatorGate = 'public' | 'any' | OperatorCaller['step']

/** A 401 for a request without a session, or with one that has ended. */
export function noSession(): ApiError {
  return unauthorized('A valid session of an operator is needed.')
}

declare module 'fastify' {
  interface FastifyContextConfig {
    operator?: OperatorGate
  }
  interface FastifyRequest {
    /** Operator who is calling; throws on a public route. */
    readonly operator: OperatorCaller
    verifiedOperator: OperatorCaller | null
  }
}
