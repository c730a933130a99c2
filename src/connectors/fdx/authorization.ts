import { randomBytes } from 'node:crypto'
import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { Locale, LocalizedText } from '../../model/values/text.ts'
import { InputRefused, type RedirectAuthorization, type RedirectCompletion, type RedirectRequest } from '../contract/authorization.ts'
import { type Credentials, type Grant, type Kit, SourceError } from '../contract/contract.ts'
import { responseJson } from '../toolkit/http/answers.ts'
import { createProof, readCode } from '../toolkit/oauth/code-flow.ts'
import { checkIssuer } from '../toolkit/oauth/issuer.ts'
import { findInstitutionName } from './directory.ts'
import { type Endpoints, findEndpoints } from './endpoints.ts'
import type { Profile } from './profile.ts'
import { readSecret } from './secret.ts'
import { claimsOf, postForm, requestTokens, type TokenAnswer, toCredentials, toTokenError } from './tokens.ts'

const LANGUAGES: Record<Locale, string> = { en: 'en-CA en', 'fr-CA': 'fr-CA fr' }

const NO_BANK_CHOSEN: LocalizedText = {
  en: 'Choose your bank first. You can go back and pick it from the list.',
  'fr-CA': 'Choisissez d’abord votre institution financière. Vous pouvez revenir en arrière et la sélectionner dans la liste.',
}
const NO_ACCOUNTS: LocalizedText = {
  en: 'Your bank shared no account with us. Sign in again and choose at least one account.',
  'fr-CA': 'Votre institution n’a partagé aucun compte avec nous. Ouvrez une nouvelle session et choisissez au moins un compte.',
}

const isMemo = Compile(
  Type.Object({
    verifier: Type.String(),
    nonce: Type.String(),
    institution: Type.Union([Type.Object({ id: Type.String(), name: Type.String() }), Type.Null()]),
  }),
)
const isPushedAnswer = Compile(Type.Object({ request_uri: Type.String({ minLength: 1 }) }))

/** Whether this login has access to any account. */
export type HasAccounts = (kit: Kit, credentials: Credentials) => Promise<boolean>

/**
 * OpenID Connect code flow, always with PKCE, with a pushed request where the profile says so. A login is accepted only
 * when the bank lists accounts for it.
 * Source: https://openid.net/specs/fapi-security-profile-2_0-final.html#section-5.3.2
 */
export function openIdFlow(profile: Profile, hasAccounts: HasAccounts): RedirectAuthorization {
  return {
    step: 'redirect',
    start: (kit, request) => start(kit, profile, request),
    complete: (kit, completion) => complete(kit, profile, completion, hasAccounts),
  }
}

async function start(kit: Kit, profile: Profile, request: RedirectRequest) {
  const institution = await findInstitution(kit, profile, request)
  const { verifier, challenge } = createProof()
  const nonce = randomBytes(24).toString('base64url')
  const { scopes, parameters = {}, isPushed } = profile.authorization
  const filled = Object.entries(parameters).map(([name, text]) => [name, text.replace('{institution}', institution?.id ?? '')])
  const query: Record<string, string> = {
    response_type: 'code',
    client_id: kit.app.clientId ?? '',
    redirect_uri: request.callbackUrl,
    scope: scopes.join(' '),
    state: request.state,
    ...(scopes.includes('openid') ? { nonce } : {}),
    ...challenge,
    ui_locales: LANGUAGES[request.locale],
    ...Object.fromEntries(filled),
  }
  const endpoints = await findEndpoints(kit, profile)
  const sent = isPushed ? await push(kit, profile, endpoints, query) : query
  return { url: `${endpoints.authorize}?${new URLSearchParams(sent)}`, memo: { verifier, nonce, institution } }
}

/** Bank from the directory, or of the connection under repair. */
async function findInstitution(kit: Kit, profile: Profile, request: RedirectRequest): Promise<{ id: string; name: string } | null> {
  if (profile.institutions === undefined) return null
  const id = request.institutionId ?? (request.reconnect ? readSecret(request.reconnect).institutionId : null)
  if (id === null) throw new InputRefused(NO_BANK_CHOSEN)
  return { id, name: await findInstitutionName(kit, profile, id) }
}

/**
 * Pushed authorization request: the browser carries only a handle.
 * Source: https://www.rfc-editor.org/rfc/rfc9126#section-2
 */
async function push(kit: Kit, profile: Profile, endpoints: Endpoints, query: Record<string, string>): Promise<Record<string, string>> {
  const what = 'the pushed request'
  if (endpoints.pushed === null) throw new SourceError('badData', `${what}: the bank names no place for it`)
  const response = await postForm(kit, profile, endpoints, endpoints.pushed, query)
  if (response.status !== 201 && response.status !== 200) throw toTokenError(response, what, kit.now())
  const body = await responseJson(response, what)
  if (!isPushedAnswer.Check(body)) throw new SourceError('badData', `${what}: the answer holds no handle`)
  return { client_id: query.client_id ?? '', request_uri: body.request_uri }
}

async function complete(kit: Kit, profile: Profile, completion: RedirectCompletion, hasAccounts: HasAccounts): Promise<Grant[]> {
  const { callbackUrl, query, memo } = completion
  const code = readCode(query, 'the bank')
  if (!isMemo.Check(memo)) throw new SourceError('badData', 'the memo of this authorization holds no verifier')
  const endpoints = await findEndpoints(kit, profile)
  checkIssuer(query, { issuer: endpoints.issuer, isAlwaysSent: endpoints.sendsIssuer })
  const tokens = await requestTokens(kit, profile, endpoints, {
    grant_type: 'authorization_code',
    code,
    redirect_uri: callbackUrl,
    code_verifier: memo.verifier,
  })
  const subject = readSubject(tokens, { clientId: kit.app.clientId ?? '', nonce: memo.nonce, issuer: endpoints.issuer })
  const { institution } = memo
  const login = { refreshToken: null, subject, institutionId: institution?.id ?? null, institutionName: institution?.name ?? null }
  const credentials = toCredentials(kit, profile, tokens, login)
  if (!(await hasAccounts(kit, credentials))) throw new InputRefused(NO_ACCOUNTS)
  const name = institution?.name ?? profile.name
  return [{ credentials, entity: { id: subject, name }, reference: subject, ...(institution ? { institution } : {}) }]
}

/**
 * Subject of the login. The id_token came directly from the bank over TLS, so its signature adds nothing; its audience
 * and nonce are verified.
 * Source: https://openid.net/specs/openid-connect-core-1_0.html#IDTokenValidation
 */
function readSubject(tokens: TokenAnswer, wanted: { clientId: string; nonce: string; issuer: string | null }): string {
  if (tokens.id_token !== undefined) {
    const claims = claimsOf(tokens.id_token)
    const isOurs = claims !== null && [claims.aud].flat().includes(wanted.clientId) && claims.nonce === wanted.nonce
    if (!isOurs || (wanted.issuer !== null && claims.iss !== wanted.issuer)) {
      throw new SourceError('badData', 'the id_token was not made for this request')
    }
    if (claims.sub) return claims.sub
  }
  const subject = claimsOf(tokens.access_token)?.sub
  if (subject) return subject
  throw new SourceError('badData', 'the bank does not say whose login it is')
}
