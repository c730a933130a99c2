import type { Role } from '../../store/access/users.ts'
import type { RouteScope } from './keys/scopes.ts'

/** Authenticated caller, from the access token. Shared by all requests with the same token, so never modify it. */
export interface Caller {
  readonly instanceId: string
  readonly userId: string
  readonly role: Role
  readonly sessionId: string
}

/** Roles that a route accepts; `public` routes need no token. */
export type RouteRoles = 'public' | readonly Role[]

/** Who may call a route: the roles of users, and what an API key needs. Every API route declares both in its `config`. */
export type RouteAccess = { roles: 'public'; scope?: never } | { roles: readonly Role[]; scope: RouteScope }

/** All roles: reading data. */
export const readers: readonly Role[] = ['admin', 'developer', 'integration', 'viewer']
/** Roles that create links, companies and refreshes. */
export const operators: readonly Role[] = ['admin', 'developer', 'integration']
/** Roles that change settings, such as webhook subscriptions. */
export const developers: readonly Role[] = ['admin', 'developer']
/** Role that manages users. */
export const admins: readonly Role[] = ['admin']

/** Who may read published data; checked in two places, the route and the fast path. */
export const DATA_READ = { roles: readers, scope: 'data:read' } as const satisfies RouteAccess

// Fastify's own way to type what is added to a request: `getDecorator<T>(name)` would believe any `T` at each of its uses.
declare module 'fastify' {
  interface FastifyContextConfig {
    roles?: RouteRoles
    scope?: RouteScope
    /** A GET that changes something: its caller is checked like that of a POST. */
    isChange?: true
    /** A change that a paused deployment still makes: it only concerns sessions. */
    isPauseProof?: true
  }
  interface FastifyRequest {
    /** Authenticated caller; throws on a public route. */
    readonly caller: Caller
    verifiedCaller: Caller | null
  }
}
