import type { Fields } from '../../kit/http/json-body.ts'
import type { Context } from '../context.ts'
import { getVerificationKey } from '../webhooks.ts'
import { getAuth } from './auth.ts'
import { missingField, PlaidFailure } from './failures.ts'
import { getInstitution, listInstitutions, searchInstitutions } from './institutions.ts'
import { exchangePublicToken, getAccounts, getItem, getLiabilities, removeItem, updateItemWebhook } from './items.ts'
import { createLinkToken, getLinkToken } from './link.ts'
import { createPublicToken, fireItemWebhook, resetItemLogin } from './sandbox.ts'
import { syncTransactions } from './sync.ts'
import { getTransactions } from './transactions.ts'

/** Operations by path; each returns its answer without the request id. */
export const OPERATIONS: Readonly<Record<string, (context: Context, body: Fields) => Fields>> = {
  '/link/token/create': createLinkToken,
  '/link/token/get': getLinkToken,
  '/item/public_token/exchange': exchangePublicToken,
  '/item/get': getItem,
  '/item/remove': removeItem,
  '/item/webhook/update': updateItemWebhook,
  '/accounts/get': getAccounts,
  '/accounts/balance/get': getAccounts,
  '/auth/get': getAuth,
  '/liabilities/get': getLiabilities,
  '/transactions/get': getTransactions,
  '/transactions/sync': syncTransactions,
  '/institutions/get': listInstitutions,
  '/institutions/get_by_id': getInstitution,
  '/institutions/search': searchInstitutions,
  '/webhook_verification_key/get': (context, body) => getVerificationKey(context, context.save, body),
  '/sandbox/public_token/create': createPublicToken,
  '/sandbox/item/fire_webhook': fireItemWebhook,
  '/sandbox/item/reset_login': resetItemLogin,
}

export interface ApiKeys {
  clientId: string
  secret: string
}

/** Keys are sent in headers or in the body; if none are expected, any pair is accepted. */
export function checkKeys(headers: Readonly<Record<string, unknown>>, body: Fields, expected: ApiKeys | undefined): void {
  const clientId = headers['plaid-client-id'] ?? body.client_id
  const secret = headers['plaid-secret'] ?? body.secret
  if (typeof clientId !== 'string' || clientId === '') throw missingField('client_id')
  if (typeof secret !== 'string' || secret === '') throw missingField('secret')
  if (expected && (expected.clientId !== clientId || expected.secret !== secret)) {
    throw new PlaidFailure(400, 'INVALID_INPUT', 'INVALID_API_KEYS', 'invalid client_id or secret provided')
  }
}
