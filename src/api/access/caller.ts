import type { Role } from '../../store/access/users.ts'
import type { RouteScope, Scope } from './keys/scopes.ts'

/** User who has logged in, from the access token. */
export interface UserCaller {
  readonly instanceId: string
  readonly userId: string
  readonly role: Role
  readonly sessionId: string
  readonly keyId: null
  /** When the user last proved who it is. */
  readonly provenAtMs: number
  /** The instance requires a second step that the user does not have: only what sets one up is open. */
  readonly lacksTwoStep: boolean
}

/** Program, from its API key. */
export interface KeyCaller {
  readonly instanceId: string
  readonly userId: null
  readonly keyId: string
  /** The same for all keys in a row of rotations. */
  readonly applicationId: string
  /** User who made the key, and who may be gone. */
  readonly createdBy: string
  readonly scopes: ReadonlySet<Scope>
}

/** Authenticated caller. Shared by all requests with the same token or key, so never modify it. */
export type Caller = UserCaller | KeyCaller

/** Id of the session or key: what requests are counted by, and what can be ended. */
export function grantIdOf(caller: Caller): string {
  return caller.keyId === null ? caller.sessionId : caller.keyId
}

/** Id of the user responsible for a caller: for a key, the user who created it, who may no longer exist. */
export function responsibleUserId(caller: Caller): string {
  return caller.keyId === null ? caller.userId : caller.createdBy
}

/**
 * Proof that a route asks of a user's session, beside the token. `fresh`: the user has proved within 15 minutes who it
 * is, at the login or since; `body`: the body of the request is itself such a proof.
 */
type ProofRule = 'fresh' | 'body'

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
    /** Open to a user who has to set up a second step first. */
    isTwoStepSetup?: true
    /** A proof of the last minutes that a user's session needs (`proof/proof-rule.ts`). */
    proof?: ProofRule
    /** A change that a paused deployment still makes: it only concerns sessions. */
    isPauseProof?: true
  }
  interface FastifyRequest {
    /** Authenticated caller; throws on a public route. */
    readonly caller: Caller
    /** The caller of a route that is not for API keys; throws on any other. */
    readonly user: UserCaller
    verifiedCaller: Caller | null
  }
}
