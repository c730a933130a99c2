import type { FastifyContextConfig } from 'fastify'
import {
  instanceSuspended,
  insufficientRole,
  insufficientScope,
  invalidToken,
  notForKeys,
  twoStepRequired,
  unauthorized,
} from '../errors/errors.ts'
import type { AccessTokens, VerifiedToken } from './access-tokens.ts'
import { type Caller, grantIdOf, type UserCaller } from './caller.ts'
import { looksLikeApiKey } from './keys/key-text.ts'
import type { KeyUses } from './keys/key-uses.ts'
import type { KeyVerifier, VerifiedKey } from './keys/key-verifier.ts'
import type { Revocations } from './revocations.ts'

type Verified = VerifiedToken | VerifiedKey

const MAX_REMEMBERED = 20_000
const SCHEME = /^bearer +/i

export interface GuardParts {
  tokens: AccessTokens
  keys: KeyVerifier
  keyUses: KeyUses
  revocations: Revocations
  now(): Date
}

/**
 * Authentication guard. A signature check takes some hundred times as long as the rest of a request, and a key takes a
 * query, so verified tokens and keys are cached; whether signing key, session and API key are still valid is checked
 * each time.
 */
export class Guard {
  readonly #parts: GuardParts
  readonly #maxRemembered: number
  /** Keyed by the whole header, so that a known one takes one lookup. */
  readonly #known = new Map<string, Verified>()

  /** `maxRemembered`: maximum number of cached tokens and keys; the oldest is evicted and verified again on its next use. */
  constructor(parts: GuardParts, maxRemembered = MAX_REMEMBERED) {
    this.#parts = parts
    this.#maxRemembered = maxRemembered
  }

  /** The caller if everything needed is cached, otherwise null: then call `identify`. */
  recognize(header: string | undefined, nowMs = this.#parts.now().getTime()): Caller | null {
    const known = header === undefined ? undefined : this.#known.get(header)
    if (!known) return null
    return this.#parts.revocations.isFresh(nowMs) && this.#counts(known, nowMs) && !this.#isSuspended(known)
      ? this.#admit(known, nowMs)
      : null
  }

  /**
   * Throws a 401 for anything but a valid token of an active session or a valid API key, and a 403 while its instance
   * is suspended. `atOnce` queries the database about both, however recently that was checked: for requests that change
   * something.
   */
  async identify(header: string | undefined, { atOnce }: { atOnce: boolean }): Promise<Caller> {
    const token = readBearer(header)
    if (header === undefined || token === null) throw unauthorized()
    const { now, revocations } = this.#parts
    const known = this.#find(header, now().getTime()) ?? (await this.#verify(header, token))
    if (!known) throw invalidToken()
    await (atOnce ? revocations.refreshNow(now) : revocations.refresh(now))
    const nowMs = now().getTime()
    if (this.#counts(known, nowMs)) {
      if (this.#isSuspended(known)) throw instanceSuspended()
      return this.#admit(known, nowMs)
    }
    this.#known.delete(header)
    throw invalidToken()
  }

  /**
   * For answers that are sent for longer than a request takes: throws as `identify` does when the caller's session or key
   * has been ended since, or its instance suspended.
   */
  async requireNotEnded(caller: Caller): Promise<void> {
    const { now, revocations } = this.#parts
    await revocations.refresh(now)
    if (revocations.hasEnded(grantIdOf(caller))) throw invalidToken()
    if (revocations.isSuspended(caller.instanceId)) throw instanceSuspended()
  }

  #admit({ caller }: Verified, nowMs: number): Caller {
    if (caller.keyId !== null) this.#parts.keyUses.note(caller, nowMs)
    return caller
  }

  #counts(known: Verified, nowMs: number): boolean {
    const { tokens, revocations } = this.#parts
    return (
      nowMs < known.refusedFromMs && (known.kid === null || tokens.isKeyKnown(known.kid)) && !revocations.hasEnded(grantIdOf(known.caller))
    )
  }

  /** Requests per minute that operators have set for an instance. */
  requestQuotaOf(instanceId: string): number | undefined {
    return this.#parts.revocations.requestQuotaOf(instanceId)
  }

  #isSuspended({ caller }: Verified): boolean {
    return this.#parts.revocations.isSuspended(caller.instanceId)
  }

  #find(header: string, nowMs: number): Verified | null {
    const known = this.#known.get(header)
    if (known && nowMs < known.refusedFromMs) return known
    this.#known.delete(header)
    return null
  }

  async #verify(header: string, token: string): Promise<Verified | null> {
    const verified = await (looksLikeApiKey(token) ? this.#parts.keys.verify(token) : this.#parts.tokens.verify(token))
    if (!verified) return null
    if (this.#known.size >= this.#maxRemembered) {
      const [oldest] = this.#known.keys()
      if (oldest !== undefined) this.#known.delete(oldest)
    }
    this.#known.set(header, verified)
    return verified
  }
}

/** Bearer token of an `Authorization` header, or null. Source: https://www.rfc-editor.org/rfc/rfc6750#section-2.1 */
export function readBearer(header: string | undefined): string | null {
  return header !== undefined && SCHEME.test(header) ? header.replace(SCHEME, '') : null
}

type RouteGate = Pick<FastifyContextConfig, 'roles' | 'scope' | 'isTwoStepSetup'>

/** Whether a caller may call a route, by the role of a user and the second step, or by the scopes of an API key. */
export function mayCall(caller: Caller, route: RouteGate): boolean {
  const { roles, scope } = route
  if (caller.keyId !== null) return scope !== undefined && scope !== 'users' && caller.scopes.has(scope)
  return roles !== undefined && roles !== 'public' && roles.includes(caller.role) && !isClosedToSetup(caller, route)
}

/**
 * Throws a 403 when the route does not accept the role of the user or the scopes of the API key, and when the user has
 * to set up a second step first.
 */
export function checkAccess(caller: Caller, route: RouteGate): void {
  if (mayCall(caller, route)) return
  if (caller.keyId === null) throw isClosedToSetup(caller, route) ? twoStepRequired() : insufficientRole()
  throw route.scope === undefined || route.scope === 'users' ? notForKeys() : insufficientScope(route.scope)
}

function isClosedToSetup(caller: UserCaller, { isTwoStepSetup }: RouteGate): boolean {
  return caller.lacksTwoStep && isTwoStepSetup !== true
}
