import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { type Kit, SourceError } from '../contract/contract.ts'
import { responseJson } from '../toolkit/http/answers.ts'
import { identityOf } from './client-proof.ts'
import { toOwnFault } from './errors.ts'
import type { Profile } from './profile.ts'

export interface Endpoints {
  authorize: string
  token: string
  /** Endpoint of pushed requests; null where the server has none. */
  pushed: string | null
  revoke: string | null
  /** Issuer of tokens and audience of assertions; null where only URLs are known. */
  issuer: string | null
  /** Whether each answer of the authorization endpoint names the issuer. Source: https://www.rfc-editor.org/rfc/rfc9207#section-3 */
  sendsIssuer: boolean
}

const Discovered = Compile(
  Type.Object({
    issuer: Type.String(),
    authorization_endpoint: Type.String(),
    token_endpoint: Type.String(),
    pushed_authorization_request_endpoint: Type.Optional(Type.String()),
    revocation_endpoint: Type.Optional(Type.String()),
    authorization_response_iss_parameter_supported: Type.Optional(Type.Boolean()),
    mtls_endpoint_aliases: Type.Optional(
      Type.Object({
        token_endpoint: Type.Optional(Type.String()),
        pushed_authorization_request_endpoint: Type.Optional(Type.String()),
        revocation_endpoint: Type.Optional(Type.String()),
      }),
    ),
  }),
)

/**
 * Endpoints: from the profile, or from the issuer's discovery document.
 * Source: https://openid.net/specs/openid-connect-discovery-1_0.html#ProviderConfig
 */
export async function findEndpoints(kit: Kit, profile: Profile): Promise<Endpoints> {
  const issuer = kit.hosts.issuer ?? ''
  const { endpoints } = profile.authorization
  if (endpoints === 'discovery') return await discover(kit, profile, issuer)
  const { authorize, token, pushed, revoke } = endpoints
  const at = (path: string | undefined) => (path === undefined ? null : `${issuer}${path}`)
  return {
    authorize: `${issuer}${authorize}`,
    token: `${issuer}${token}`,
    pushed: at(pushed),
    revoke: at(revoke),
    issuer: null,
    sendsIssuer: false,
  }
}

async function discover(kit: Kit, profile: Profile, issuer: string): Promise<Endpoints> {
  const what = 'the configuration of the issuer'
  const response = await kit.http({ url: `${issuer}/.well-known/openid-configuration`, headers: { accept: 'application/json' } })
  if (response.status !== 200) throw toOwnFault(response, what, kit.now())
  const found = await responseJson(response, what)
  if (!Discovered.Check(found)) throw new SourceError('badData', `${what}: it lacks the endpoints`)
  if (found.issuer.replace(/\/$/, '') !== issuer) throw new SourceError('badData', `${what}: it is that of another issuer`)
  // Clients with a certificate use the server's mutual TLS endpoint aliases.
  // Source: https://www.rfc-editor.org/rfc/rfc8705#section-5
  const aliases = identityOf(kit, profile).identity ? found.mtls_endpoint_aliases : undefined
  const addresses = {
    authorize: found.authorization_endpoint,
    token: aliases?.token_endpoint ?? found.token_endpoint,
    pushed: aliases?.pushed_authorization_request_endpoint ?? found.pushed_authorization_request_endpoint ?? null,
    revoke: aliases?.revocation_endpoint ?? found.revocation_endpoint ?? null,
  }
  const isOpen = Object.values(addresses).some((address) => address !== null && !isTrusted(address, issuer))
  if (isOpen) throw new SourceError('badData', `${what}: it sends secrets over an open line`)
  return { ...addresses, issuer: found.issuer, sendsIssuer: found.authorization_response_iss_parameter_supported === true }
}

/** Whether a URL uses TLS, or has the very origin that the operator configured. */
function isTrusted(address: string, issuer: string): boolean {
  const url = URL.parse(address)
  return url !== null && (url.protocol === 'https:' || url.origin === new URL(issuer).origin)
}
