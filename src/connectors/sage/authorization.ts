import { Compile } from 'typebox/compile'
import { type CodeFlow, codeFlow, revocation } from '../toolkit/oauth/code-flow.ts'
import { secretReader } from '../toolkit/values/wire-schemas.ts'
import { listBusinesses } from './request.ts'
import { SecretWire, TokenWire } from './wire.ts'

/** Languages of Sage's own pages. */
const LOCALES = { en: 'en-CA', 'fr-CA': 'fr-CA' } as const

const NO_BUSINESS = {
  en: 'This Sage sign-in opens no business. Sign in as the owner or accountant of the business, then try again.',
  'fr-CA':
    'Ce compte Sage ne donne accès à aucune entreprise. Connectez-vous en tant que propriétaire ou comptable de l’entreprise, puis réessayez.',
}

const isToken = Compile(TokenWire)

export const secretOf = secretReader(SecretWire, 'Sage')

/**
 * OAuth 2 authorization code with a secret and PKCE. The sign-in opens every business of the person. Each refresh token
 * works once, within 31 days. Source: https://developer.sage.com/accounting/guides/authenticating/authentication/
 */
const FLOW: CodeFlow<TokenWire, SecretWire> = {
  source: { source: 'Sage' },
  authorizeUrl: (kit) => `${kit.hosts.authorize}/oauth2/auth/central`,
  // The other scope, `full_access`, permits writing.
  scope: 'readonly',
  parameters: ({ locale }) => ({ filter: 'apiv3.1', locale: LOCALES[locale] }),
  hasProof: true,
  tokenUrl: (kit) => `${kit.hosts.token}/token`,
  keysIn: 'form',
  token: isToken,
  // Access tokens last five minutes.
  marginS: 15,
  secretOf,
  listBooks: (kit, { access_token }) => listBusinesses(kit, access_token),
  noBooks: NO_BUSINESS,
  booksOf: ({ businessId }) => businessId,
}

export const { authorization, refreshCredentials } = codeFlow(FLOW)

/** Revokes the refresh token; the access token stays valid for its five minutes. */
export const revoke = revocation(FLOW, { url: (kit) => `${kit.hosts.token}/revoke` })
