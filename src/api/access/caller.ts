import type { Role } from '../../store/access/users.ts'

/** Authenticated caller, from the access token. Shared by all requests with the same token, so never modify it. */
export interface Caller {
  readonly instanceId: string
  readonly userId: string
  readonly role: Role
  readonly sessionId: string
}

/** Roles that a route accepts; `public` routes need no token. Every API route declares them in its `config`. */
export type RouteRoles = 'public' | readonly Role[]

/** All roles: reading data. */
export const readers: RouteRoles = ['admin', 'developer', 'integration', 'viewer']
/** Roles that create links, companies and refreshes. */
export const operators: RouteRoles = ['admin', 'developer', 'integration']
/** Roles that change settings, such as webhook subscriptions. */
export const developers: RouteRoles = ['admin', 'developer']
/** Role that manages users. */
export const admins: RouteRoles = ['admin']

// Fastify's own way to type what is added to a request: `getDecorator<T>(name)` would believe any `T` at each of its uses.
declare module 'fastify' {
  interface FastifyContextConfig {
    roles?: RouteRoles
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
