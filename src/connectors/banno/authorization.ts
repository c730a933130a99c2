import { type Static, type TSchema, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { Check } from 'typebox/value'
import { parseJsonOrNull } from '../../model/values/json.ts'
import { type Credentials, type Kit, SourceError } from '../contract/contract.ts'
import { responseJson } from '../toolkit/http/answers.ts'
import { type CodeCompletion, type CodeFlow, codeFlow } from '../toolkit/oauth/code-flow.ts'
import { postForm, type TokenSource, toTokenError, wordOf } from '../toolkit/oauth/token-requests.ts'
import { BASE, callJson, secretOf, toSourceError } from './request.ts'
import { AccountsWire, ClaimsWire, PersonWire, type SecretWire, TokenWire } from './wire.ts'

/**
 * Read-only scopes.
 * Source: https://jackhenry.dev/open-api-docs/authentication-framework/overview/OpenIDConnectOAuth/
 */
const SCOPES = [
  'openid',
  'profile',
  'https://api.banno.com/consumer/auth/offline_access',
  'https://api.banno.com/consumer/auth/accounts.readonly',
  'https://api.banno.com/consumer/auth/transactions.detail.readonly',
].join(' ')

const NO_ACCOUNTS = {
  en: 'This sign-in shows no account. Sign in with a user who sees your business’s accounts, then try again.',
  'fr-CA':
    'Cette session ne donne accès à aucun compte. Ouvrez-la avec un utilisateur qui voit les comptes de l’entreprise, puis réessayez.',
}

const SOURCE: TokenSource = { source: 'Banno' }

const isToken = Compile(TokenWire)
const Discovery = Type.Object({ revocation_endpoint: Type.Optional(Type.String()) })

/**
 * OpenID Connect authorization code flow with a client secret and PKCE. One sign-in is one connection. A refresh token
 * that is not replaced remains valid.
 */
const FLOW: CodeFlow<TokenWire, SecretWire> = {
  source: SOURCE,
  authorizeUrl: (kit) => `${kit.hosts.bank}${BASE}/oidc/auth`,
  scope: SCOPES,
  parameters: ({ locale }) => ({ ui_locales: locale }),
  hasProof: true,
  hasNonce: true,
  tokenUrl: (kit) => `${kit.hosts.bank}${BASE}/oidc/token`,
  keysIn: 'encodedHeader',
  token: isToken,
  // Access tokens expire after ten minutes.
  marginS: 60,
  mayLackRefreshToken: true,
  secretOf,
  listBooks,
  noBooks: NO_ACCOUNTS,
}

export const { authorization, refreshCredentials } = codeFlow(FLOW)

/**
 * Entity of a person, identified by the ID token, which came directly from the bank; the accounts are read with the new
 * token.
 */
async function listBooks(kit: Kit, tokens: TokenWire, { nonce }: CodeCompletion) {
  const userId = subjectOf(kit, tokens, nonce)
  const person = expect(PersonWire, await callJson(kit, tokens.access_token, '/oidc/me', 'who the person is'), 'Banno named no person')
  if (person.sub !== userId) throw new SourceError('badData', 'Banno named two persons for one authorization')
  const seen = await callJson(kit, tokens.access_token, `/users/${encodeURIComponent(userId)}/accounts`, 'the list of accounts')
  const { accounts } = expect(AccountsWire, seen, 'Banno answered no list of accounts')
  const name = person.name?.trim() || new URL(kit.hosts.bank ?? '').hostname
  return { books: accounts.length === 0 ? [] : [{ id: userId, name, reference: null }], email: person.email || null }
}

/**
 * Revokes the tokens, where the bank's discovery document has an endpoint for it.
 * Source: https://www.rfc-editor.org/rfc/rfc7009
 */
export async function disconnect(kit: Kit, credentials: Credentials): Promise<void> {
  const found = await kit.http({ url: `${kit.hosts.bank}${BASE}/oidc/.well-known/openid-configuration` })
  if (found.status !== 200) throw toSourceError(found, 'the discovery document', kit.now())
  const document = await responseJson(found, 'the discovery document')
  const address = Check(Discovery, document) ? document.revocation_endpoint : undefined
  // NOTE a token is sent to no other host than the bank's own.
  if (address === undefined || new URL(address).origin !== new URL(kit.hosts.bank ?? '').origin) return
  const response = await postForm(
    kit,
    address,
    { token: secretOf(credentials).refreshToken, token_type_hint: 'refresh_token' },
    'encodedHeader',
  )
  if (response.status !== 200 && wordOf(response) !== 'invalid_grant') throw toTokenError(response, 'the revocation', kit.now(), SOURCE)
}

/**
 * Subject of the ID token. The token came over TLS directly from the bank, so its signature need not be verified; its
 * audience and nonce must be.
 * Source: https://openid.net/specs/openid-connect-core-1_0.html#IDTokenValidation
 */
function subjectOf(kit: Kit, tokens: TokenWire, nonce: string): string {
  const part = (tokens.id_token ?? '').split('.')[1] ?? ''
  const claims = expect(ClaimsWire, parseJsonOrNull(Buffer.from(part, 'base64url').toString()), 'Banno answered without an identity token')
  if (![claims.aud].flat().includes(kit.app.clientId ?? '')) throw new SourceError('badData', 'the identity token is for another app')
  if (claims.nonce !== nonce) throw new SourceError('badData', 'the identity token answers another request')
  return claims.sub
}

function expect<T extends TSchema>(schema: T, value: unknown, otherwise: string): Static<T> {
  if (!Check(schema, value)) throw new SourceError('badData', otherwise)
  return value
}
