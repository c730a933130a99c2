import type { OperatorSession } from '../../store/operators/operator-sessions.ts'

/** Operator who is calling. */
export type OperatorCaller = Pick<OperatorSession, 'id' | 'operatorId' | 'operatorName' | 'email' | 'step' | 'provenAt'>

/**
 * Who may call a route of operators: `public` needs no session, `setup` and `second` one at that step of the sign-in,
 * `any` one at any step, `open` one whose second factor was verified.
 */
export type OperatorGate = 'public' | 'any' | OperatorCaller['step']

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
