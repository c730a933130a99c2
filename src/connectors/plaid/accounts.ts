import type { Json } from '../../model/values/json.ts'
import type { Page, Pull, Session } from '../contract/contract.ts'
import { readAccounts } from './read.ts'
import { callPlaid, PlaidError } from './request.ts'
import { readSecret } from './secret.ts'

/**
 * Timeout: a first call for a product may wait for the bank.
 * Source: https://plaid.com/docs/api/products/liabilities/
 */
const PATIENT_MS = 90_000

/** Error codes of an item without liabilities, which is no failure. */
const WITHOUT_LIABILITIES: ReadonlySet<string> = new Set(['NO_LIABILITY_ACCOUNTS', 'PRODUCTS_NOT_SUPPORTED', 'ADDITIONAL_CONSENT_REQUIRED'])

/** All account data of one item in one page. Closed accounts are no longer listed. */
export const accountsPull: Pull = {
  name: 'accounts',
  delivers: ['Accounts'],
  fetch: fetchAccounts,
  read: readAccounts,
}

async function fetchAccounts(session: Session): Promise<Page> {
  const body = { access_token: readSecret(session.credentials).accessToken }
  const accounts = await callPlaid(session.kit, '/accounts/get', body)
  const liabilities = await fetchLiabilities(session, body)
  const item = await callPlaid(session.kit, '/item/get', body)
  const answers = { accounts: accounts.body, item: item.body, ...(liabilities ? { liabilities } : {}) }
  return { answers, next: null, listing: 'complete' }
}

async function fetchLiabilities(session: Session, body: Json): Promise<Uint8Array | null> {
  try {
    return (await callPlaid(session.kit, '/liabilities/get', body, { timeoutMs: PATIENT_MS })).body
  } catch (error) {
    if (error instanceof PlaidError && error.code !== null && WITHOUT_LIABILITIES.has(error.code)) return null
    throw error
  }
}
