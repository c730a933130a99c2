import type { ActionName } from './actions.ts'

/**
 * Audit rule of a route that changes something: the possible actions of a request, or why it records none. `except`:
 * actions that are recorded nevertheless, in special cases.
 */
export type AuditRule = ActionName | readonly ActionName[] | { none: string; except?: readonly ActionName[] }

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Required of every route that changes something; without it the server does not start. */
    audit?: AuditRule
  }
}

const CHANGING = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])

/** Throws for a route that changes something and does not say which entry that makes. */
export function requireAuditRule(route: {
  method: string | readonly string[]
  url: string
  config?: { audit?: AuditRule; isChange?: true } | undefined
}): void {
  const changes = [route.method].flat().some((method) => CHANGING.has(method)) || route.config?.isChange === true
  if (changes && route.config?.audit === undefined)
    throw new Error(`${[route.method].flat().join(', ')} ${route.url} does not say which audit entry it makes (src/audit/rule.ts)`)
}

export function actionsOf(rule: AuditRule): ReadonlySet<ActionName> {
  if (typeof rule === 'string') return new Set([rule])
  return new Set('none' in rule ? rule.except : rule)
}
