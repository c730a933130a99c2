import { Compile } from 'typebox/compile'
import { type CodeFlow, codeFlow, revocation } from '../toolkit/oauth/code-flow.ts'
import { secretReader } from '../toolkit/values/wire-schemas.ts'
import { listBusinesses } from './request.ts'
import { SecretWire, TokenWire } from './wire.ts'

/**
 * Read-only scopes. FreshBooks refuses the whole consent when one of these is not enabled in the app's settings; the
 * scope of the chart is not published.
 * Source: https://www.freshbooks.com/api/scopes
 */
const SCOPES = ['user:profile:read', 'user:business:read', 'user:journal_entries:read', 'user:reports:read']

const NO_BUSINESS = {
  en: 'This FreshBooks sign-in belongs to no business. Sign in as the owner or accountant of the business, then try again.',
  'fr-CA':
    'Ce compte FreshBooks n’est lié à aucune entreprise. Connectez-vous en tant que propriétaire ou comptable de l’entreprise, puis réessayez.',
}

const isToken = Compile(TokenWire)

export const secretOf = secretReader(SecretWire, 'FreshBooks')

/**
 * OAuth 2 authorization code flow with a client secret and PKCE. The sign-in covers every business of the person. Each
 * refresh token works once; the new pair invalidates the old one, the access token included.
 * Source: https://www.freshbooks.com/api/authentication and
 * https://auth.freshbooks.com/.well-known/oauth-authorization-server
 */
const FLOW: CodeFlow<TokenWire, SecretWire> = {
  source: { source: 'FreshBooks' },
  authorizeUrl: (kit) => `${kit.hosts.authorize}/oauth/authorize/`,
  scope: SCOPES.join(' '),
  hasProof: true,
  tokenUrl: (kit) => `${kit.hosts.api}/auth/oauth/token`,
  keysIn: 'json',
  token: isToken,
  marginS: 120,
  // A refresh has been seen to repeat the `created_at` of the first token, so the lifetime does not count from now.
  issuedAt: ({ created_at }) => created_at,
  secretOf,
  listBooks: (kit, { access_token }) => listBusinesses(kit, access_token),
  noBooks: NO_BUSINESS,
  booksOf: ({ businessUuid }) => businessUuid,
}

export const { authorization, refreshCredentials } = codeFlow(FLOW)

/** Revokes the authorization at FreshBooks. Source: https://www.freshbooks.com/api/authentication */
export const revoke = revocation(FLOW, { url: (kit) => `${kit.hosts.api}/auth/oauth/revoke` })
