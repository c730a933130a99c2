/** Groups of operations that an API key may be given, in the order in which they are shown. */
export const SCOPES = [
  'companies:read',
  'companies:write',
  'links:write',
  'connections:read',
  'connections:write',
  'data:read',
  'consents:read',
  'file-feeds:read',
  'file-feeds:write',
  'webhooks:read',
  'webhooks:write',
  'sources:read',
  'sources:write',
  'settings:read',
  'settings:write',
  'operations:read',
  'operations:write',
  'audit:read',
  'scim',
] as const
export type Scope = (typeof SCOPES)[number]

/**
 * Scope that a route requires of an API key. `users`: no key is accepted, whatever its scopes, because the route
 * changes permissions or concerns the caller’s own account.
 */
export type RouteScope = Scope | 'users'

const known = new Set<string>(SCOPES)

export function isScope(text: string): text is Scope {
  return known.has(text)
}
