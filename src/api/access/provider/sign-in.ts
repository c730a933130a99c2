import { findIdentityProvider, type IdentityProvider, noteTry } from '../../../store/access/identity-providers.ts'
import { addProviderSession } from '../../../store/access/provider-sessions.ts'
import { noteProof } from '../../../store/access/sessions.ts'
import { lockPasswordHash, type User } from '../../../store/access/users.ts'
import { type Db, inTransaction } from '../../../store/db/database.ts'
import { acrossInstances, withinInstance } from '../../../store/db/instance-scope.ts'
import { isSuspended } from '../../../store/operators/suspensions.ts'
import { type Access, audit } from '../access.ts'
import type { Client } from '../account/client.ts'
import { startSession } from '../login/login.ts'
import { endReplacedSession, hashesOfRefreshToken, type IssuedTokens } from '../sessions.ts'
import { checkAuthentication, toPerson } from './claims.ts'
import { exchange, readClaims, type Tokens } from './exchange.ts'
import { SignInFault } from './faults.ts'
import { makeNoPassword, settleMember } from './members.ts'
import { type OpenProvider, openProvider } from './provider-client.ts'
import { canEndSessions, sealTokens } from './session-tokens.ts'
import { type SignInState, signState } from './sign-in-state.ts'

/**
 * Path of the redirect URI, below the public URL. Each instance has its own, so that no code of one provider arrives as
 * the answer of another (mix-up attack).
 * Source: https://www.rfc-editor.org/rfc/rfc9700#section-4.4.2.2
 */
export function callbackPathOf(instanceId: string): string {
  return `/sign-in/${instanceId}/callback`
}

/** Lifetime of a session that can neither be checked at the provider nor ended by it. */
const UNCHECKED_SESSION_MS = 300_000

export interface SignInRequest {
  instanceId: string
  returnTo: string
  isFresh: boolean
  loginHint: string | undefined
  /** Refresh token of the session that the browser has, which the new one replaces. */
  present: string | null
}

/** Address of the provider for a browser, and the cookie that the answer needs. Throws a `SignInFault`. */
export async function beginSignIn(access: Access, request: SignInRequest): Promise<{ address: string; cookie: string }> {
  const provider = await getProvider(access, request.instanceId)
  const { library, config } = await openProvider(access, provider)
  const state: SignInState = {
    ...{ instanceId: provider.instanceId, version: provider.version, returnTo: request.returnTo, isFresh: request.isFresh },
    ...{ state: library.randomState(), nonce: library.randomNonce(), verifier: library.randomPKCECodeVerifier() },
    begunAtMs: access.now().getTime(),
    replaces:
      request.present === null ? [] : hashesOfRefreshToken(access, request.present).map((hash) => Buffer.from(hash).toString('base64url')),
  }
  const address = library.buildAuthorizationUrl(config, {
    ...provider.parameters,
    redirect_uri: `${access.settings.issuer}${callbackPathOf(provider.instanceId)}`,
    scope: provider.scopes.join(' '),
    state: state.state,
    nonce: state.nonce,
    code_challenge: await library.calculatePKCECodeChallenge(state.verifier),
    code_challenge_method: 'S256',
    ...(provider.acceptedAcr.length > 0 ? { acr_values: provider.acceptedAcr.join(' ') } : {}),
    ...(request.isFresh ? { prompt: 'login', max_age: '0' } : {}),
    ...(request.loginHint === undefined ? {} : { login_hint: request.loginHint }),
  })
  return { address: address.href, cookie: signState(access, state) }
}

/**
 * Ends a sign-in: exchanges the code of the callback for tokens, checks them, and opens a session. Throws a
 * `SignInFault`; the audit of the instance names its code.
 */
export async function completeSignIn(access: Access, begun: SignInState, callback: URL, client: Client): Promise<IssuedTokens> {
  return await withinInstance(begun.instanceId, async () => {
    try {
      const tokens = await complete(access, begun, callback, client)
      const replaced = begun.replaces.map((hash) => Buffer.from(hash, 'base64url'))
      if (replaced.length > 0) await acrossInstances(() => endReplacedSession(access, replaced))
      return tokens
    } catch (error) {
      if (!(error instanceof SignInFault)) throw error
      access.log.warn({ instanceId: begun.instanceId, code: error.code, reason: error.message }, 'sign-in with a provider failed')
      const details = { reason: error.code }
      await inTransaction(access.database, (db) =>
        audit(access, db, { instanceId: begun.instanceId, action: 'login.failed', userId: null, subject: null, details }),
      )
      throw error
    }
  })
}

async function complete(access: Access, begun: SignInState, callback: URL, client: Client): Promise<IssuedTokens> {
  const provider = await getProvider(access, begun.instanceId)
  // The answer of one provider must never be checked by the settings of another.
  if (provider.version !== begun.version) throw new SignInFault('expired', 'the settings were changed meanwhile')
  const open = await openProvider(access, provider)
  const tokens = await exchange(open, begun, callback)
  const claims = await readClaims(open, provider, tokens)
  checkAuthentication(claims, provider)
  const person = toPerson(claims, provider)
  const noPassword = await makeNoPassword(access)
  const user = await inTransaction(access.database, (db) => settleMember(access, db, provider, person, noPassword))
  return await openProviderSession(access, open, { provider, tokens, user, client })
}

async function openProviderSession(
  access: Access,
  { config }: OpenProvider,
  { provider, tokens, user, client }: { provider: IdentityProvider; tokens: Tokens; user: User; client: Client },
): Promise<IssuedTokens> {
  const { instanceId, issuer } = provider
  const claims = tokens.claims()
  const refreshToken = tokens.refresh_token ?? null
  const isEndless = refreshToken === null && !canEndSessions(config.serverMetadata())
  const admit = async (db: Db): Promise<void> => {
    if ((await lockPasswordHash(db, instanceId, user.id)) === null) throw new SignInFault('disabled', 'the member has just been disabled')
  }
  return await startSession(access, user, client, 'provider', admit, {
    lifeMs: isEndless ? UNCHECKED_SESSION_MS : null,
    also: async (db, sessionId) => {
      const key = { instanceId, sessionId }
      await noteProof(db, instanceId, sessionId, provenAtOf(claims?.auth_time, access.now()))
      // Before the audit, as when the settings are saved.
      if (user.role === 'admin') await noteTry(db, instanceId, provider.version, access.now())
      await addProviderSession(db, {
        ...{ ...key, issuer, subject: claims?.sub ?? '' },
        providerSessionId: typeof claims?.sid === 'string' ? claims.sid : null,
        sealedTokens: sealTokens(access, key, { refreshToken, idToken: tokens.id_token ?? null }),
        checkedAt: refreshToken === null ? null : access.now(),
      })
    },
  })
}

/**
 * Time of the person's last authentication at the provider, on which the fresh proof depends. A provider that does not
 * report it may have accepted anyone at a browser that it remembers.
 */
function provenAtOf(authTime: number | undefined, now: Date): Date {
  return new Date(authTime === undefined ? 0 : Math.min(authTime * 1000, now.getTime()))
}

/** Throws a `SignInFault` without a provider, and while the instance is suspended. */
async function getProvider(access: Access, instanceId: string): Promise<IdentityProvider> {
  const provider = await findIdentityProvider(access.database, instanceId)
  if (!provider) throw new SignInFault('notSet', 'the instance has no identity provider')
  if (await isSuspended(access.database, instanceId)) throw new SignInFault('suspended', 'the instance is suspended')
  return provider
}
