import type * as OpenId from 'openid-client'
import { isPlainAllowed } from '../../../egress/allowed-hosts.ts'
import { EgressError } from '../../../egress/egress-error.ts'
import type { IdentityProvider } from '../../../store/access/identity-providers.ts'
import { openText } from '../../../store/keys/sealed-json.ts'
import type { SealContext } from '../../../store/keys/sealing.ts'
import type { Access } from '../access.ts'
import { SignInFault } from './faults.ts'
import { fetchBy, TIMEOUT_MS } from './network.ts'

export type ProviderAccess = Pick<Access, 'sealer' | 'providers' | 'now'>

/** Opened provider: its own description of itself, and the library to use it with. */
export interface OpenProvider {
  library: typeof OpenId
  config: OpenId.Configuration
}

/** Difference between the provider's clock and ours that is tolerated. */
const TOLERATED_SKEW_SECONDS = 60

/** Loads the library, which a process without a provider does not need. */
async function loadLibrary(): Promise<typeof OpenId> {
  return await import('openid-client')
}

/**
 * Reads the provider's discovery document each time, so that changed keys and addresses take effect at once. Signatures
 * of ID tokens are always verified. Throws a `SignInFault`, and a `SealError` if the secret cannot be decrypted.
 */
export async function openProvider(access: ProviderAccess, provider: IdentityProvider): Promise<OpenProvider> {
  const library = await loadLibrary()
  const { allowInsecureRequests, clockSkew, clockTolerance, customFetch, enableNonRepudiationChecks } = library
  const fetchThere = fetchBy(access.providers)
  const isHttpAllowed = access.providers.allowPrivate && isPlainAllowed()
  // Outside of the `try`: a lacking key is a fault of this deployment, not of the provider.
  const secret = openText(access.sealer, secretContext(provider), provider.sealedSecret)
  try {
    const found = await library.discovery(new URL(provider.issuer), provider.clientId, undefined, library.None(), {
      [customFetch]: fetchThere,
      timeout: TIMEOUT_MS / 1000,
      execute: isHttpAllowed ? [allowInsecureRequests] : [],
    })
    const server = found.serverMetadata()
    // The library tolerates `https://host` for `https://host/`; tokens, and logouts with them, are compared exactly.
    if (server.issuer !== provider.issuer) throw new SignInFault('misconfigured', 'the provider writes its issuer in another way')
    const metadata = {
      [clockSkew]: Math.round((access.now().getTime() - Date.now()) / 1000),
      [clockTolerance]: TOLERATED_SKEW_SECONDS,
    }
    const config = new library.Configuration(server, provider.clientId, metadata, secretBy(library, server, secret))
    config[library.customFetch] = fetchThere
    config.timeout = TIMEOUT_MS / 1000
    enableNonRepudiationChecks(config)
    if (isHttpAllowed) allowInsecureRequests(config)
    return { library, config }
  } catch (error) {
    throw toFault(error)
  }
}

export function secretContext({ instanceId, id }: Pick<IdentityProvider, 'instanceId' | 'id'>): SealContext {
  return { instanceId, table: 'identity_providers', rowId: id, column: 'client_secret' }
}

/** Source: https://openid.net/specs/openid-connect-discovery-1_0.html#ProviderMetadata (the default is client_secret_basic) */
function secretBy(library: typeof OpenId, server: OpenId.ServerMetadata, secret: string): OpenId.ClientAuth {
  const methods = server.token_endpoint_auth_methods_supported
  return methods === undefined || methods.includes('client_secret_basic') || !methods.includes('client_secret_post')
    ? library.ClientSecretBasic(secret)
    : library.ClientSecretPost(secret)
}

/** OAuth errors for which the operator of the settings is responsible. Source: https://www.rfc-editor.org/rfc/rfc6749#section-5.2 */
const SETTINGS_ERRORS = new Set([
  'invalid_client',
  'unauthorized_client',
  'unsupported_grant_type',
  'invalid_scope',
  'redirect_uri_mismatch',
])

/** What an error of the library means to a sign-in. */
export function toFault(error: unknown): SignInFault {
  if (error instanceof SignInFault) return error
  const cause = error instanceof Error ? error.cause : undefined
  if (isNetworkError(error) || isNetworkError(cause)) return new SignInFault('unavailable', 'the provider cannot be reached', error)
  const status = readStatus(error) ?? readStatus(cause)
  if (status !== null && (status >= 500 || status === 429)) return new SignInFault('unavailable', `the provider answered ${status}`)
  const code = oauthErrorOf(error)
  if (code !== null && SETTINGS_ERRORS.has(code)) return new SignInFault('misconfigured', `the provider answered ${code}`)
  if (code !== null) return new SignInFault('refused', `the provider answered ${code}`)
  return new SignInFault('invalidAnswer', error instanceof Error ? error.message.slice(0, 200) : 'the provider gave no valid answer')
}

/**
 * Whether the provider refuses a refresh token: by `invalid_grant`, or by a bare 400, as Glewlwyd does.
 * Source: https://www.rfc-editor.org/rfc/rfc6749#section-5.2
 */
export function isRefusal(error: unknown): boolean {
  const code = oauthErrorOf(error)
  if (code !== null) return code === 'invalid_grant'
  return error instanceof Error && !(error instanceof SignInFault) && (readStatus(error) ?? readStatus(error.cause)) === 400
}

/** The code of an OAuth error, such as `invalid_grant`; null for another failure. */
function oauthErrorOf(error: unknown): string | null {
  const code = error instanceof Error && 'error' in error ? error.error : null
  return typeof code === 'string' && /^[\w.-]{1,60}$/.test(code) ? code : null
}

function isNetworkError(error: unknown): boolean {
  return error instanceof EgressError || (error instanceof Error && (error.name === 'TimeoutError' || error.name === 'AbortError'))
}

function readStatus(error: unknown): number | null {
  if (error instanceof Response) return error.status
  if (!(error instanceof Error)) return null
  if ('status' in error && typeof error.status === 'number') return error.status
  return 'response' in error && error.response instanceof Response ? error.response.status : null
}
