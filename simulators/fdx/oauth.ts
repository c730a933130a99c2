import { createHash } from 'node:crypto'
import type { TLSSocket } from 'node:tls'
import Provider, { type ClientMetadata, type Configuration, interactionPolicy } from 'oidc-provider'
import { createStorageAdapter } from './api/token-store.ts'
import type { Style } from './data/profiles.ts'
import { sandboxSigningKey } from './data/sandbox-client.ts'
import type { FdxState } from './state.ts'
import { errorPage } from './window/pages.ts'

/** The only registered client. */
export interface SimulatedClient {
  id: string
  secret: string
  /** Public keys, for a client that signs assertions. */
  keys: readonly object[]
  /** Subject of the certificate, for a client that uses mutual TLS. */
  subjectDn: string
}

/** Lifetime of access tokens and id_tokens. */
const TOKEN_SECONDS = 900

/** Audience of self-contained (JWT) access tokens. */
const AUDIENCE = 'urn:countinghouse:simulated-fdx'

/**
 * The bank's OpenID provider, configured by the style.
 * Source: https://github.com/panva/node-oidc-provider/blob/main/docs/README.md
 */
export function openProvider(style: Style, issuer: string, client: SimulatedClient, state: FdxState, save: () => void): Provider {
  const provider = new Provider(issuer, {
    adapter: createStorageAdapter(state, save),
    clients: [toMetadata(style, client)],
    // Akoya accepts the secret as Basic or in the form.
    clientAuthMethods: style.client.startsWith('client_secret') ? ['client_secret_basic', 'client_secret_post'] : [style.client],
    ...(style.client === 'private_key_jwt' ? { enabledJWA: { clientAuthSigningAlgValues: ['PS256', 'ES256', 'ES384', 'EdDSA'] } } : {}),
    cookies: { keys: ['made-up banks need no better key'] },
    // The same after each start, so that earlier tokens stay valid; different for each bank.
    jwks: { keys: [signingKeyOf(style)] },
    scopes: ['openid', 'offline_access', ...style.scopes],
    claims: { openid: ['sub'] },
    // The access token grants all data; no client requests claims.
    conformIdTokenClaims: false,
    extraParams: style.institutions ? [style.institutions.parameter] : [],
    pkce: { required: () => true },
    routes: {
      authorization: style.routes.authorization,
      token: style.routes.token,
      revocation: style.routes.revocation,
      pushed_authorization_request: style.routes.pushed,
    },
    ttl: {
      AccessToken: TOKEN_SECONDS,
      AuthorizationCode: 60,
      ClientCredentials: TOKEN_SECONDS,
      Grant: style.refreshDays * 86_400,
      // A JWT is validated against the moved clock, so it is issued by that clock.
      IdToken: () => TOKEN_SECONDS + Math.floor(state.clockMs / 1000),
      Interaction: 3_600,
      RefreshToken: style.refreshDays * 86_400,
      Session: 3_600,
    },
    issueRefreshToken: async () => true,
    expiresWithSession: async () => false,
    rotateRefreshToken: style.rotates,
    interactions: {
      policy: promptEachTime(),
      url: (_ctx, interaction) => `${new URL(issuer).pathname.replace(/\/$/, '')}/interaction/${interaction.uid}`,
    },
    // Only what the owner agreed to this time.
    loadExistingGrant: async (ctx) => {
      const grantId = ctx.oidc.result?.consent?.grantId
      return grantId === undefined ? undefined : await ctx.oidc.provider.Grant.find(grantId)
    },
    findAccount: async (_ctx, subject) => ({ accountId: subject, claims: async () => ({ sub: subject }) }),
    // Offset of the clock when the token was issued; JWTs are not stored, so they carry it.
    extraTokenClaims: async () => (style.bearer === 'jwt' ? { moved_ms: state.clockMs } : undefined),
    renderError: async (ctx, out) => {
      ctx.type = 'html'
      ctx.body = errorPage(style.name, out.error)
    },
    features: featuresOf(style),
  } satisfies Configuration)
  // The callback address of this deployment is not known in advance; a real bank has it registered.
  provider.Client.prototype.redirectUriAllowed = (uri: string) => URL.canParse(uri)
  return provider
}

function featuresOf(style: Style): NonNullable<Configuration['features']> {
  return {
    devInteractions: { enabled: false },
    rpInitiatedLogout: { enabled: false },
    userinfo: { enabled: false },
    revocation: { enabled: true, allowedPolicy: async (_ctx, client, token) => token.clientId === client.clientId },
    clientCredentials: { enabled: style.institutions !== null },
    pushedAuthorizationRequests: { enabled: true, requirePushedAuthorizationRequests: style.needsPushed },
    ...(style.client === 'tls_client_auth' ? { mTLS: mutualTls() } : {}),
    ...(style.bearer === 'jwt' ? { resourceIndicators: selfContained(style) } : {}),
  }
}

/** The owner selects accounts each time, even if no requested scope is missing. */
function promptEachTime(): interactionPolicy.DefaultPolicy {
  const { base, Check } = interactionPolicy
  const policy = base()
  policy
    .get('consent')
    ?.checks.add(new Check('accounts_not_chosen', 'the owner has to choose accounts', (ctx) => ctx.oidc.result?.consent === undefined))
  return policy
}

function selfContained(style: Style): NonNullable<Configuration['features']>['resourceIndicators'] {
  return {
    enabled: true,
    defaultResource: () => AUDIENCE,
    useGrantedResource: () => true,
    getResourceServerInfo: () => ({
      scope: style.scopes.join(' '),
      audience: AUDIENCE,
      accessTokenFormat: 'jwt',
      accessTokenTTL: TOKEN_SECONDS,
      jwt: { sign: { alg: 'ES256' } },
    }),
  }
}

/** Uses the certificate of the connection itself. Source: https://www.rfc-editor.org/rfc/rfc8705 */
function mutualTls(): NonNullable<Configuration['features']>['mTLS'] {
  const shown = (socket: unknown) => (socket as TLSSocket).getPeerX509Certificate?.()
  return {
    enabled: true,
    tlsClientAuth: true,
    certificateBoundAccessTokens: true,
    getCertificate: (ctx) => shown(ctx.req.socket)?.toString(),
    certificateAuthorized: (ctx) => (ctx.req.socket as TLSSocket).authorized,
    certificateSubjectMatches: (ctx, property, expected) =>
      property === 'tls_client_auth_subject_dn' && shown(ctx.req.socket)?.subject === expected,
  }
}

function toMetadata(style: Style, client: SimulatedClient): ClientMetadata {
  return {
    client_id: client.id,
    redirect_uris: ['https://countinghouse.example/connect/callback'],
    response_types: ['code'],
    grant_types: ['authorization_code', 'refresh_token', ...(style.institutions ? ['client_credentials'] : [])],
    token_endpoint_auth_method: style.client,
    id_token_signed_response_alg: 'ES256',
    ...(style.client.startsWith('client_secret') ? { client_secret: client.secret } : {}),
    ...(style.client === 'private_key_jwt' ? { jwks: { keys: [...client.keys] } } : {}),
    ...(style.client === 'tls_client_auth'
      ? { tls_client_auth_subject_dn: client.subjectDn, tls_client_certificate_bound_access_tokens: true }
      : {}),
  }
}

/** Public key of the sandbox's client. */
export function sandboxPublicKey(): object {
  const { d: _secret, ...key } = sandboxSigningKey()
  return key
}

function signingKeyOf(style: Style): { kty: string; kid: string; use: 'sig'; alg: string } {
  return {
    ...sandboxSigningKey(`the bank ${style.key}`),
    kid: createHash('sha256').update(style.key).digest('hex').slice(0, 8),
    use: 'sig',
    alg: 'ES256',
  }
}
