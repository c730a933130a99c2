import { Compile } from 'typebox/compile'
import { InputRefused } from '../contract/authorization.ts'
import { type CodeFlow, codeFlow } from '../toolkit/oauth/code-flow.ts'
import { secretReader } from '../toolkit/values/wire-schemas.ts'
import { readIdentity } from './request.ts'
import { SecretWire, TokenWire } from './wire.ts'

/** "Tax, Accounting & Users": the level that opens the ledger. Source: https://dev.freeagent.com/docs/introduction#about-access-levels */
const LEDGER_LEVEL = 7

const NO_COMPANY = {
  en: 'This FreeAgent sign-in belongs to no company. Sign in as the owner or accountant of the company, then try again.',
  'fr-CA':
    'Ce compte FreeAgent n’est lié à aucune entreprise. Connectez-vous en tant que propriétaire ou comptable de l’entreprise, puis réessayez.',
}

const TOO_LOW = {
  en: 'This FreeAgent user may not see the accounts. Sign in as a user with the access level “Tax, Accounting & Users” or higher.',
  'fr-CA':
    'Cet utilisateur FreeAgent n’a pas accès à la comptabilité. Connectez-vous avec un utilisateur dont le niveau d’accès est « Tax, Accounting & Users » ou plus élevé.',
}

const isToken = Compile(TokenWire)

export const secretOf = secretReader(SecretWire, 'FreeAgent')

/**
 * OAuth 2 authorization code flow with a client secret, without scopes: the token has the person's permissions. One
 * token covers one company. Refresh tokens last about 20 years; a refresh may return a new one. FreeAgent has no
 * revocation call.
 * Source: https://dev.freeagent.com/docs/oauth
 */
const FLOW: CodeFlow<TokenWire, SecretWire> = {
  source: { source: 'FreeAgent' },
  authorizeUrl: (kit) => `${kit.hosts.api}/v2/approve_app`,
  tokenUrl: (kit) => `${kit.hosts.api}/v2/token_endpoint`,
  keysIn: 'header',
  token: isToken,
  marginS: 120,
  secretOf,
  listBooks: async (kit, { access_token }) => {
    const { company, email, level } = await readIdentity(kit, access_token)
    if (company !== null && level !== null && level < LEDGER_LEVEL) throw new InputRefused(TOO_LOW)
    return { books: company === null ? [] : [company], email }
  },
  noBooks: NO_COMPANY,
}

export const { authorization, refreshCredentials } = codeFlow(FLOW)
