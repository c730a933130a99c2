import type { Role } from '../../store/access/users.ts'

/** Who is calling, as the access token says it. The same object for every request with the same token, so never change it. */
export interface Caller {
  readonly instanceId: string
  readonly userId: string
  readonly role: Role
  readonly sessionId: string
}

/** Which roles a route takes; `public` routes need no token. Every route of the API says so in its `config`. */
export type RouteRoles = 'public' | readonly Role[]

/** Everybody who is logged in: reading data. */
export const readers: RouteRoles = ['admin', 'developer', 'integration', 'viewer']
/** Those who make links, companies and refreshes. */
export const operators: RouteRoles = ['admin', 'developer', 'integration']
/** Those who change settings, such as webhook subscriptions. */
export const developers: RouteRoles = ['admin', 'developer']
/** Those who decide about users. */
export const admins: RouteRoles = ['admin']

declare module 'fastify' {
  interface FastifyContextConfig {
    roles?: RouteRoles
    /** A GET that changes something: who calls is checked like for a POST. */
    isChange?: true
  }
  interface FastifyRequest {
    /** Who is calling; asking on a public route throws. */
    readonly caller: Caller
    verifiedCaller: Caller | null
  }
}
