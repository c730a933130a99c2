import { Compile } from 'typebox/compile'
import type { Kit } from '../contract/contract.ts'
import { type CodeFlow, codeFlow, revocation } from '../toolkit/oauth/code-flow.ts'
import { listConnections, secretOf } from './request.ts'
import { type SecretWire, TokenWire } from './wire.ts'

/**
 * Read-only scopes by their granular names: new apps cannot request the broad ones.
 * Source: https://developer.xero.com/documentation/guides/oauth2/scopes/
 */
const SCOPES = 'offline_access accounting.settings.read accounting.manualjournals.read'

/**
 * Requested only when the operator declares that the app has it: Xero refuses the whole request of an app without it.
 */
const JOURNALS_SCOPE = 'accounting.journals.read'

const NO_ORGANISATION = {
  en: 'This Xero sign-in shared no organisation. Sign in with a user who may connect apps to your organisation, then try again.',
  'fr-CA':
    'Ce compte Xero n’a partagé aucune organisation. Connectez-vous avec un utilisateur qui peut relier des applications à votre organisation, puis réessayez.',
}

/** Whether the operator declares that the app may read /Journals. */
export function mayReadJournals(kit: Kit): boolean {
  return kit.app.journals === 'yes'
}

const isToken = Compile(TokenWire)

/**
 * OAuth 2 authorization code flow with a client secret and PKCE. The shared organisation is read with the new token: a
 * sign-in may have connected others before, so only those of this very authorization count. Each refresh token works
 * once and expires after 60 days; Xero accepts the previous one for half an hour more, should the response be lost.
 * Source: https://developer.xero.com/documentation/guides/oauth2/auth-flow/
 */
const FLOW: CodeFlow<TokenWire, SecretWire> = {
  source: { source: 'Xero' },
  authorizeUrl: (kit) => `${kit.hosts.authorize}/identity/connect/authorize`,
  scope: (kit) => (mayReadJournals(kit) ? `${SCOPES} ${JOURNALS_SCOPE}` : SCOPES),
  hasProof: true,
  tokenUrl: (kit) => `${kit.hosts.token}/connect/token`,
  keysIn: 'header',
  token: isToken,
  marginS: 120,
  secretOf,
  listBooks: async (kit, { access_token }) => {
    const connections = await listConnections(kit, access_token, authEventOf(access_token))
    const organisations = connections.filter(({ tenantType }) => tenantType === 'ORGANISATION')
    return {
      books: organisations.map(({ id, tenantId, tenantName }) => ({ id: tenantId, name: tenantName ?? '', secret: { connectionId: id } })),
    }
  },
  noBooks: NO_ORGANISATION,
}

export const { authorization, refreshCredentials } = codeFlow(FLOW)

/** Revokes all authorizations that this person granted the app, for all organisations: only for the last of them. */
export const revoke = revocation(FLOW, { url: (kit) => `${kit.hosts.token}/connect/revocation`, ended: ['invalid_grant'] })

/**
 * The claim needs no verification: the token has just come from Xero itself.
 * Source: https://developer.xero.com/documentation/guides/oauth2/tenants/
 */
function authEventOf(accessToken: string): string | null {
  const claims = Buffer.from(accessToken.split('.')[1] ?? '', 'base64url').toString()
  return /"authentication_event_id"\s*:\s*"([0-9a-f-]{36})"/.exec(claims)?.[1] ?? null
}
