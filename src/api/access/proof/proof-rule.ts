import type { FastifyContextConfig, RouteOptions } from 'fastify'
import type { ActionName } from '../../../audit/actions.ts'
import { actionsOf } from '../../../audit/rule.ts'
import { proofRequired } from '../../errors/errors.ts'
import type { Caller } from '../caller.ts'

/** How long a proof counts. Refreshing the session does not prolong it. */
export const PROOF_SECONDS = 900

/** Changes of users, of what programs sign in with, of what is sent or shown to whom, and of secrets. */
const SENSITIVE =
  /^(user|api-key|subscription|receiver|webhook-secret|source-keys|file-feed|password|two-step|passkey|sign-in|identity-provider|group-roles|scim|mcp|export-destination)\./
/** Audit actions with such a name that change none of these. */
const HARMLESS: ReadonlySet<ActionName> = new Set([
  'source-keys.tested',
  'subscription.tested',
  'receiver.changed',
  'receiver.cleared',
  'file-feed.polled',
  'mcp.called',
])

/** Throws a 403 when the route asks for a fresh proof and the user's is too old. API keys are bound by their scopes alone. */
export function checkProof(caller: Caller, { proof }: Pick<FastifyContextConfig, 'proof'>, now: Date): void {
  if (proof !== 'fresh' || caller.keyId !== null) return
  if (now.getTime() - caller.provenAtMs > PROOF_SECONDS * 1000) throw proofRequired(PROOF_SECONDS)
}

/** Throws for a route of users that makes a sensitive change, by its audit actions, and asks for no proof. */
export function requireProofRule({ method, url, config }: Pick<RouteOptions, 'method' | 'url' | 'config'>): void {
  if (config?.audit === undefined || config.roles === 'public' || config.proof !== undefined) return
  const sensitive = [...actionsOf(config.audit)].filter((action) => SENSITIVE.test(action) && !HARMLESS.has(action))
  if (sensitive.length > 0) throw new Error(`${method} ${url} does not say which proof ${sensitive.join(', ')} needs (proof/proof-rule.ts)`)
}
