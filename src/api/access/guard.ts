import { insufficientRole, invalidToken, unauthorized } from '../errors/errors.ts'
import type { AccessTokens, VerifiedToken } from './access-tokens.ts'
import type { Caller, RouteRoles } from './caller.ts'
import type { Revocations } from './revocations.ts'

/** Maximum number of cached tokens; the oldest is evicted and verified again on its next use. */
const MAX_REMEMBERED = 20_000
const SCHEME = /^bearer +/i

/**
 * Authentication guard. A signature check takes some hundred times as long as the rest of a request, so verified tokens
 * are cached until they expire; whether key and session are still valid is checked each time.
 */
export class Guard {
  readonly #tokens: AccessTokens
  readonly #revocations: Revocations
  readonly #now: () => Date
  /** By the whole header, so that a known one takes one lookup. */
  readonly #known = new Map<string, VerifiedToken>()

  constructor(tokens: AccessTokens, revocations: Revocations, now: () => Date) {
    this.#tokens = tokens
    this.#revocations = revocations
    this.#now = now
  }

  /** The caller if everything needed is cached, otherwise null: then call `identify`. */
  recognize(header: string | undefined, nowMs = this.#now().getTime()): Caller | null {
    const known = header === undefined ? undefined : this.#known.get(header)
    if (!known) return null
    return this.#revocations.isFresh(nowMs) && this.#counts(known, nowMs) ? known.caller : null
  }

  /**
   * Throws a 401 for anything but a valid token of an active session. `atOnce` queries the database whether the session
   * has ended, however recently that was checked: for requests that change something.
   */
  async identify(header: string | undefined, { atOnce }: { atOnce: boolean }): Promise<Caller> {
    if (readBearer(header) === null) throw unauthorized()
    const known = header === undefined ? null : (this.#known.get(header) ?? (await this.#verify(header)))
    if (!known) throw invalidToken()
    await (atOnce ? this.#revocations.refreshNow(this.#now) : this.#revocations.refresh(this.#now))
    if (this.#counts(known, this.#now().getTime())) return known.caller
    if (header !== undefined) this.#known.delete(header)
    throw invalidToken()
  }

  #counts(known: VerifiedToken, nowMs: number): boolean {
    return nowMs < known.refusedFromMs && this.#tokens.isKeyKnown(known.kid) && !this.#revocations.hasEnded(known.caller.sessionId)
  }

  async #verify(header: string): Promise<VerifiedToken | null> {
    const token = readBearer(header)
    const verified = token === null ? null : await this.#tokens.verify(token)
    if (!verified) return null
    if (this.#known.size >= MAX_REMEMBERED) {
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

export function hasRole(caller: Caller, roles: RouteRoles | undefined): boolean {
  return roles !== undefined && roles !== 'public' && roles.includes(caller.role)
}

/** Throws a 403 when the route does not accept the caller's role. */
export function checkRole(caller: Caller, roles: RouteRoles | undefined): void {
  if (!hasRole(caller, roles)) throw insufficientRole()
}
