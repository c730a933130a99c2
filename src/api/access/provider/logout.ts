import { createRemoteJWKSet, customFetch, errors, type JWTPayload, jwtVerify } from 'jose'
import { EgressError } from '../../../egress/egress-error.ts'
import { findIdentityProvider, type IdentityProvider } from '../../../store/access/identity-providers.ts'
import { consumeLogoutToken, type FoundProviderSession, listSessionsOfSubject } from '../../../store/access/provider-sessions.ts'
import { endSession } from '../../../store/access/sessions.ts'
import { inTransaction } from '../../../store/db/database.ts'
import { type Access, audit, hashSecret } from '../access.ts'
import { SignInFault } from './faults.ts'
import { fetchBy } from './network.ts'
import { openProvider } from './provider-client.ts'
import { openTokens } from './session-tokens.ts'

/** Source: https://openid.net/specs/openid-connect-backchannel-1_0.html#LogoutToken */
const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout'
/** Asymmetric ones only: with others the client secret, or nobody, would have signed. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']
const TYPES = new Set(['logout+jwt', 'jwt', 'application/logout+jwt'])
const MAX_TOKEN = 16_384
const SKEW_SECONDS = 60
/** Age of a logout token; a later one might repeat an old one whose `jti` is forgotten. */
const MAX_AGE_SECONDS = 300
const KEEP_MS = 2 * MAX_AGE_SECONDS * 1000
/** A longer hint would make an address that servers refuse. */
const MAX_HINT = 4_000

/** Thrown for a logout token that is not valid; nothing was ended. The message goes to the provider. */
export class LogoutRefused extends Error {
  override readonly name = 'LogoutRefused'
}

type Verifier = ReturnType<typeof createRemoteJWKSet>

/**
 * Keys of providers, fetched again when a token names an unknown key, at most twice a minute. One cache per process.
 */
export class LogoutKeys {
  readonly #known = new Map<string, { version: string; keys: Verifier; untilMs: number }>()

  /** Throws a `SignInFault` while the provider cannot be reached. */
  async of(access: Access, provider: IdentityProvider): Promise<Verifier> {
    const nowMs = access.now().getTime()
    const known = this.#known.get(provider.instanceId)
    if (known?.version === provider.version && nowMs < known.untilMs) return known.keys
    const { jwks_uri: address } = (await openProvider(access, provider)).config.serverMetadata()
    if (address === undefined) throw new SignInFault('invalidAnswer', 'the provider names no keys')
    const fetchThere = fetchBy(access.providers)
    const keys = createRemoteJWKSet(new URL(address), {
      [customFetch]: (url, options) =>
        fetchThere(String(url), { ...options, body: undefined, headers: Object.fromEntries(options.headers) }),
    })
    this.#known.set(provider.instanceId, { version: provider.version, keys, untilMs: nowMs + 3_600_000 })
    return keys
  }
}

/**
 * Back-channel logout: ends the sessions that a logout token of the provider names, by its session or by the person.
 * Throws a `LogoutRefused`, and a `SignInFault` while the keys cannot be fetched.
 * Source: https://openid.net/specs/openid-connect-backchannel-1_0.html#Validation
 */
export async function endByProvider(access: Access, keys: LogoutKeys, instanceId: string, token: string): Promise<number> {
  const provider = await findIdentityProvider(access.database, instanceId)
  if (!provider) throw new LogoutRefused('there is no such client')
  const claims = await verify(access, keys, provider, token)
  const { jti, sub = null } = claims
  const providerSessionId = typeof claims.sid === 'string' ? claims.sid : null
  if (jti === undefined || (sub === null && providerSessionId === null)) throw new LogoutRefused('jti, and sub or sid, are needed')
  return await inTransaction(access.database, async (db) => {
    const now = access.now()
    const hash = hashSecret(access, 'logout token', `${provider.issuer}\0${jti}`)
    if (!(await consumeLogoutToken(db, instanceId, hash, new Date(now.getTime() + KEEP_MS)))) throw new LogoutRefused('jti was used before')
    const sessions = await listSessionsOfSubject(db, instanceId, provider.issuer, { subject: sub, providerSessionId })
    for (const { sessionId } of sessions) await endSession(db, instanceId, sessionId, 'logout at the provider', now)
    for (const { sessionId, userId } of sessions) {
      const entry = { instanceId, userId, subject: `session/${sessionId}`, details: { reason: 'logout at the provider' } }
      await audit(access, db, { ...entry, action: 'session.ended-by-provider' })
    }
    return sessions.length
  })
}

async function verify(access: Access, keys: LogoutKeys, provider: IdentityProvider, token: string): Promise<JWTPayload> {
  if (token.length > MAX_TOKEN) throw new LogoutRefused('the token is too long')
  const verifier = await keys.of(access, provider)
  try {
    const { payload, protectedHeader } = await jwtVerify(token, verifier, {
      algorithms: ALGORITHMS,
      issuer: provider.issuer,
      audience: provider.clientId,
      requiredClaims: ['iat', 'jti', 'events'],
      clockTolerance: SKEW_SECONDS,
      maxTokenAge: MAX_AGE_SECONDS,
      currentDate: access.now(),
    })
    if (protectedHeader.typ !== undefined && !TYPES.has(protectedHeader.typ.toLowerCase())) throw new LogoutRefused('typ is not logout+jwt')
    // An ID token has one; a logout token must not, so that none can stand for the other.
    if ('nonce' in payload) throw new LogoutRefused('nonce must not be there')
    if (!isLogout(payload.events)) throw new LogoutRefused('events names no logout')
    return payload
  } catch (error) {
    if (isFetchError(error)) throw new SignInFault('unavailable', 'the keys cannot be fetched')
    if (error instanceof errors.JOSEError) throw new LogoutRefused('the token is not valid')
    throw error
  }
}

/** An answer with another status than 200 is a generic error of the library. */
function isFetchError(error: unknown): boolean {
  return (
    error instanceof EgressError ||
    error instanceof errors.JWKSTimeout ||
    (error instanceof errors.JOSEError && error.code === 'ERR_JOSE_GENERIC')
  )
}

function isLogout(events: unknown): boolean {
  if (typeof events !== 'object' || events === null || !(LOGOUT_EVENT in events)) return false
  const event = events[LOGOUT_EVENT]
  return typeof event === 'object' && event !== null
}

/**
 * Address at which the person is logged out of the provider, too; null where the provider has no such page or cannot be
 * reached.
 * Source: https://openid.net/specs/openid-connect-rpinitiated-1_0.html
 */
export async function findLogoutAddress(access: Access, session: FoundProviderSession): Promise<string | null> {
  const provider = await findIdentityProvider(access.database, session.instanceId)
  if (provider?.issuer !== session.issuer) return null
  try {
    const { library, config } = await openProvider(access, provider)
    if (config.serverMetadata().end_session_endpoint === undefined) return null
    const { idToken } = openTokens(access, session, session.sealedTokens)
    const hint = idToken !== null && idToken.length <= MAX_HINT ? { id_token_hint: idToken } : {}
    return library.buildEndSessionUrl(config, { ...hint, post_logout_redirect_uri: `${access.settings.issuer}/portal/` }).href
  } catch (error) {
    if (!(error instanceof SignInFault)) throw error
    access.log.warn({ instanceId: session.instanceId, code: error.code }, 'the logout page of a provider is not known')
    return null
  }
}
