import { type KeyObject, randomUUID } from 'node:crypto'
import { errors, type JWTPayload, jwtVerify, SignJWT } from 'jose'
import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { Role } from '../../store/access/users.ts'
import type { KeyRing } from '../../store/keys/key-ring.ts'
import type { SigningKey } from '../../store/keys/keys.ts'
import type { UserCaller } from './caller.ts'

export interface TokenSettings {
  /** Token issuer, usually the public URL of the deployment. */
  issuer: string
  /** Lifetime of an access token, 1 to 1440 minutes. */
  accessTokenMinutes: number
}

/** Verified access token. */
export interface VerifiedToken {
  caller: UserCaller
  kid: string
  /** Expiry, by the clock of the verifying process. */
  refusedFromMs: number
}

/** Verified login challenge: proves a correct password, valid only for the second factor. */
export interface VerifiedChallenge {
  instanceId: string
  challengeId: string
}

const ALGORITHM = 'EdDSA'
const ACCESS_TYPE = 'at+jwt'
const ACCESS_AUDIENCE = 'api'
const CHALLENGE_TYPE = 'mfa+jwt'
const CHALLENGE_AUDIENCE = 'mfa'
/** Allowed clock skew of the issuing process. It does not extend a token's lifetime. */
const SKEW_SECONDS = 60
const MAX_LIFE_SECONDS = 24 * 3600
/** Maximum token length: ours are under 600; longer ones are not worth a signature check. */
const MAX_TOKEN = 2_048
/** Three parts of unpadded base64url. Source: https://www.rfc-editor.org/rfc/rfc7515#section-3.1 */
const SHAPE = /^[\w-]+\.[\w-]+\.[\w-]+$/
/** Lifetime of a login challenge. */
export const CHALLENGE_SECONDS = 300

const uuid = Type.String({ pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' })
const AccessClaims = Type.Object({
  sub: uuid,
  iid: uuid,
  sid: uuid,
  role: Type.Enum(['admin', 'developer', 'integration', 'viewer'] satisfies Role[]),
  iat: Type.Integer(),
  exp: Type.Integer(),
  // Absent in tokens of earlier releases.
  auth_time: Type.Optional(Type.Integer()),
  two_step_setup: Type.Optional(Type.Boolean()),
})
const accessClaims = Compile(AccessClaims)
const challengeClaims = Compile(Type.Object({ iid: uuid, jti: uuid }))

/** Issuer and verifier of both kinds of signed tokens (JWT, EdDSA only). */
export class AccessTokens {
  readonly #keys: KeyRing<SigningKey>
  readonly #settings: TokenSettings
  readonly #now: () => Date

  /** Throws `RangeError` for a lifetime outside 1 to 1440 minutes. */
  constructor(keys: KeyRing<SigningKey>, settings: TokenSettings, now: () => Date) {
    const { accessTokenMinutes } = settings
    if (!(accessTokenMinutes >= 1 && accessTokenMinutes <= MAX_LIFE_SECONDS / 60)) {
      throw new RangeError('access tokens live 1 to 1440 minutes')
    }
    this.#keys = keys
    this.#settings = settings
    this.#now = now
  }

  /** `endsAt`: earliest end, for less than the usual lifetime; null for that. */
  issue(
    { instanceId, sessionId, role, userId, provenAtMs, lacksTwoStep }: Omit<UserCaller, 'keyId'>,
    endsAt: Date | null = null,
  ): Promise<string> {
    const leftSeconds = endsAt === null ? this.#lifeSeconds : Math.floor((endsAt.getTime() - this.#now().getTime()) / 1000)
    const claims = { sub: userId, iid: instanceId, sid: sessionId, role, jti: randomUUID(), auth_time: Math.floor(provenAtMs / 1000) }
    return this.#sign(
      lacksTwoStep ? { ...claims, two_step_setup: true } : claims,
      ACCESS_TYPE,
      ACCESS_AUDIENCE,
      Math.max(1, Math.min(this.#lifeSeconds, leftSeconds)),
    )
  }

  issueChallenge(challenge: VerifiedChallenge & { userId: string }): Promise<string> {
    const { instanceId, challengeId, userId } = challenge
    return this.#sign({ sub: userId, iid: instanceId, jti: challengeId }, CHALLENGE_TYPE, CHALLENGE_AUDIENCE, CHALLENGE_SECONDS)
  }

  /** Null for anything but a valid access token of ours. */
  async verify(token: string): Promise<VerifiedToken | null> {
    const verified = await this.#verify(token, ACCESS_TYPE, ACCESS_AUDIENCE)
    if (!verified || !accessClaims.Check(verified.payload)) return null
    const claims: Static<typeof AccessClaims> = verified.payload
    if (claims.exp - claims.iat > MAX_LIFE_SECONDS) return null
    return {
      caller: Object.freeze({
        ...{ instanceId: claims.iid, userId: claims.sub, role: claims.role, sessionId: claims.sid, keyId: null },
        provenAtMs: (claims.auth_time ?? 0) * 1000,
        lacksTwoStep: claims.two_step_setup ?? false,
      }),
      kid: verified.kid,
      refusedFromMs: claims.exp * 1000,
    }
  }

  /** Null for anything but a valid challenge of ours. */
  async verifyChallenge(token: string): Promise<VerifiedChallenge | null> {
    const verified = await this.#verify(token, CHALLENGE_TYPE, CHALLENGE_AUDIENCE)
    if (!verified || !challengeClaims.Check(verified.payload)) return null
    return { instanceId: verified.payload.iid, challengeId: verified.payload.jti }
  }

  /** Whether a key is still accepted; withdrawing a key invalidates its tokens at once. */
  isKeyKnown(kid: string): boolean {
    return this.#keys.find(kid) !== undefined
  }

  get #lifeSeconds(): number {
    return Math.round(this.#settings.accessTokenMinutes * 60)
  }

  #sign(claims: JWTPayload, typ: string, audience: string, lifeSeconds: number): Promise<string> {
    const { id: kid, privateKey } = this.#keys.newest
    const issuedAt = Math.floor(this.#now().getTime() / 1000)
    return new SignJWT(claims)
      .setProtectedHeader({ alg: ALGORITHM, typ, kid })
      .setIssuer(this.#settings.issuer)
      .setAudience(audience)
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + lifeSeconds)
      .sign(privateKey)
  }

  async #verify(token: string, typ: string, audience: string): Promise<{ payload: JWTPayload; kid: string } | null> {
    if (token.length > MAX_TOKEN || !SHAPE.test(token)) return null
    try {
      const { payload, protectedHeader } = await jwtVerify(token, ({ kid }) => this.#keyOf(kid), {
        algorithms: [ALGORITHM],
        typ,
        issuer: this.#settings.issuer,
        audience,
        requiredClaims: ['sub', 'exp', 'iat', 'jti'],
        clockTolerance: SKEW_SECONDS,
        maxTokenAge: MAX_LIFE_SECONDS + SKEW_SECONDS,
        currentDate: this.#now(),
      })
      if (payload.exp === undefined || payload.exp * 1000 <= this.#now().getTime()) return null
      return { payload, kid: protectedHeader.kid ?? '' }
    } catch (error) {
      if (error instanceof errors.JOSEError) return null
      throw error
    }
  }

  #keyOf(kid: string | undefined): KeyObject {
    const key = kid === undefined ? undefined : this.#keys.find(kid)
    if (!key) throw new errors.JWKSNoMatchingKey()
    return key.publicKey
  }
}
