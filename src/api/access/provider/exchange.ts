import type { IDToken } from 'openid-client'
import type { IdentityProvider } from '../../../store/access/identity-providers.ts'
import { type Claims, mayHoldGroups } from './claims.ts'
import { SignInFault } from './faults.ts'
import { type OpenProvider, toFault } from './provider-client.ts'
import type { SignInState } from './sign-in-state.ts'

/** How long ago the person may have proven who they are, where a fresh proof is asked for. */
const FRESH_SECONDS = 120

/** Tokens of a sign-in. */
export type Tokens = Awaited<ReturnType<OpenProvider['library']['authorizationCodeGrant']>>

/**
 * Throws a `SignInFault` for an answer without the state, with another issuer, or with an ID token that is not for us,
 * now, and this sign-in.
 */
export async function exchange({ library, config }: OpenProvider, begun: SignInState, callback: URL): Promise<Tokens> {
  const checks = {
    pkceCodeVerifier: begun.verifier,
    expectedState: begun.state,
    expectedNonce: begun.nonce,
    idTokenExpected: true,
    ...(begun.isFresh ? { maxAge: FRESH_SECONDS } : {}),
  }
  return await library.authorizationCodeGrant(config, callback, checks).catch((error: unknown) => {
    throw toFault(error)
  })
}

/** Claims of the ID token, and of the user info endpoint where the address or the groups are missing. Throws a `SignInFault`. */
export async function readClaims(
  { library, config }: OpenProvider,
  { clientId, groupsClaim }: Pick<IdentityProvider, 'clientId' | 'groupsClaim'>,
  tokens: Pick<Tokens, 'access_token' | 'claims'>,
  subject?: string,
): Promise<Claims> {
  const claims: IDToken | undefined = tokens.claims()
  const sub = claims?.sub ?? subject
  if (sub === undefined) throw new SignInFault('invalidAnswer', 'there is no ID token')
  if (claims?.azp !== undefined && claims.azp !== clientId) throw new SignInFault('invalidAnswer', 'azp is another client')
  const isMissing = claims?.email === undefined || (groupsClaim !== null && !mayHoldGroups(claims, groupsClaim))
  if (!isMissing || config.serverMetadata().userinfo_endpoint === undefined) return { sub, ...claims }
  const info = await library.fetchUserInfo(config, tokens.access_token, sub).catch((error: unknown) => {
    throw toFault(error)
  })
  return { ...info, ...claims, ...emailOf(claims ?? {}, info), sub }
}

/** Address and whether it is verified, from the same place: what one says of its address is not true of another. */
function emailOf(claims: Claims, info: Claims): Claims {
  if (claims.email === undefined) return { email: info.email, email_verified: info.email_verified }
  return { email: claims.email, email_verified: claims.email_verified ?? (info.email === claims.email ? info.email_verified : undefined) }
}
