import { InputRefused, type RedirectAuthorization, type RedirectCompletion } from '../contract/authorization.ts'
import { type Credentials, type Grant, type Kit, SourceError } from '../contract/contract.ts'
import { postForm, readCode, readToken, type TokenSource, type Tokens, toGrants, toTokens } from '../toolkit/code-flow.ts'
import { secretReader } from '../toolkit/secrets.ts'
import { SecretWire, TokenWire } from './wire.ts'

/** MYOB has no scope for reading only. Source: https://developer.myob.com/api/myob-business-api/api-overview/granular_data_scopes */
const SCOPES = 'sme-company-file sme-general-ledger'

/** A refresh is due this long before the access token ends, of the 20 minutes that it lasts. */
const EXPIRY_MARGIN_S = 60

const GUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

const NO_BUSINESS = {
  en: 'This MYOB sign-in shared no business. Sign in as an administrator of the company file and pick it, then try again.',
  'fr-CA':
    'Ce compte MYOB n’a partagé aucune entreprise. Connectez-vous en tant qu’administrateur du dossier d’entreprise et choisissez-le, puis réessayez.',
}

/** The company files that a token opens; with `businessId` only that one. */
type ListFiles = (kit: Kit, accessToken: string, businessId: string | null) => Promise<{ id: string; name: string }[]>

interface MyobTokens extends Tokens {
  email: string | null
}

const SOURCE: TokenSource = { source: 'MYOB' }

export const secretOf = secretReader(SecretWire, 'MYOB')

/**
 * OAuth 2 authorization code with a secret; `businessId` (the company file, which the administrator picks at MYOB) comes beside the code. Where
 * it does not, there is one grant for each file that the token lists, and they share their tokens, so that only one of them can live. MYOB has no
 * call that ends an authorization. Source: https://apisupport.myob.com/hc/en-us/articles/360001459455
 */
export function authorization(listFiles: ListFiles): RedirectAuthorization {
  return {
    step: 'redirect',
    start: async (kit, { callbackUrl, state }) => {
      const query = new URLSearchParams({
        client_id: kit.app.clientId ?? '',
        redirect_uri: callbackUrl,
        response_type: 'code',
        scope: SCOPES,
        prompt: 'consent',
        state,
      })
      return { url: `${kit.hosts.secure}/oauth2/account/authorize?${query}` }
    },
    complete: (kit, completion) => complete(kit, completion, listFiles),
  }
}

async function complete(kit: Kit, { callbackUrl, query, reconnect }: RedirectCompletion, listFiles: ListFiles): Promise<Grant[]> {
  const code = readCode(query, 'MYOB')
  const businessId = query.businessId || null
  if (businessId !== null && !GUID.test(businessId)) throw new SourceError('badData', 'MYOB came back with an unreadable business')
  const tokens = await requestTokens(kit, { grant_type: 'authorization_code', code, redirect_uri: callbackUrl, scope: SCOPES })
  const files = await listFiles(kit, tokens.accessToken, businessId)
  if (files.length === 0) throw new InputRefused(NO_BUSINESS)
  const known = reconnect ? secretOf(reconnect).businessId : null
  return toGrants(files, { known, email: tokens.email, toCredentials: ({ id }) => toCredentials(tokens, id) })
}

/** Each refresh token works once, within a week. */
export async function refreshCredentials(kit: Kit, credentials: Credentials): Promise<Credentials> {
  const { refreshToken, businessId } = secretOf(credentials)
  return toCredentials(await requestTokens(kit, { grant_type: 'refresh_token', refresh_token: refreshToken }), businessId)
}

async function requestTokens(kit: Kit, form: Record<string, string>): Promise<MyobTokens> {
  const answer = readToken(TokenWire, await postForm(kit, `${kit.hosts.secure}/oauth2/v1/authorize`, form, 'form'), kit.now(), SOURCE)
  return { ...toTokens(kit, answer, EXPIRY_MARGIN_S, SOURCE), email: answer.user?.username?.includes('@') ? answer.user.username : null }
}

function toCredentials({ accessToken, refreshToken, expiresAt }: Tokens, businessId: string): Credentials {
  return { secret: { accessToken, refreshToken, businessId }, expiresAt }
}
