import { Compile } from 'typebox/compile'
import { SourceError } from '../contract/contract.ts'
import { type CodeFlow, codeFlow } from '../toolkit/oauth/code-flow.ts'
import { secretReader } from '../toolkit/values/wire-schemas.ts'
import { listFiles } from './request.ts'
import { SecretWire, TokenWire } from './wire.ts'

/** MYOB has no scope for reading only. Source: https://developer.myob.com/api/myob-business-api/api-overview/granular_data_scopes */
const SCOPES = 'sme-company-file sme-general-ledger'

const GUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

const NO_BUSINESS = {
  en: 'This MYOB sign-in shared no business. Sign in as an administrator of the company file and pick it, then try again.',
  'fr-CA':
    'Ce compte MYOB n’a partagé aucune entreprise. Connectez-vous en tant qu’administrateur du dossier d’entreprise et choisissez-le, puis réessayez.',
}

const isToken = Compile(TokenWire)

export const secretOf = secretReader(SecretWire, 'MYOB')

/**
 * OAuth 2 authorization code flow with a client secret; `businessId` (the company file, which the administrator selects
 * at MYOB) is returned with the code. Without it, every file that the token lists is accepted. Each refresh token works
 * once, within a week. MYOB has no revocation call.
 * Source: https://apisupport.myob.com/hc/en-us/articles/360001459455
 */
const FLOW: CodeFlow<TokenWire, SecretWire> = {
  source: { source: 'MYOB' },
  authorizeUrl: (kit) => `${kit.hosts.secure}/oauth2/account/authorize`,
  scope: SCOPES,
  parameters: { prompt: 'consent' },
  tokenUrl: (kit, { query }) => {
    if (query) businessIdOf(query)
    return `${kit.hosts.secure}/oauth2/v1/authorize`
  },
  keysIn: 'form',
  form: ({ query }) => (query ? { scope: SCOPES } : {}),
  token: isToken,
  // Margin, of the token's 20 minutes.
  marginS: 60,
  secretOf,
  listBooks: async (kit, { access_token, user }, { query }) => {
    const files = await listFiles(kit, access_token, businessIdOf(query))
    const email = user?.username?.includes('@') ? user.username : null
    return { email, books: files.map(({ id, name }) => ({ id, name, secret: { businessId: id } })) }
  },
  noBooks: NO_BUSINESS,
  booksOf: ({ businessId }) => businessId,
}

export const { authorization, refreshCredentials } = codeFlow(FLOW)

function businessIdOf(query: Record<string, string>): string | null {
  const businessId = query.businessId || null
  if (businessId !== null && !GUID.test(businessId)) throw new SourceError('badData', 'MYOB came back with an unreadable business')
  return businessId
}
