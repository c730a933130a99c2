import { type Connector, type Credentials, type Kit, SourceError } from '../contract/contract.ts'
import { ACCOUNTS, accountsPull, listKnown } from './accounts.ts'
import { stripeSession } from './authorization.ts'
import { toFingerprint } from './fingerprint.ts'
import { keepFresh } from './fresh.ts'
import { toBankAccount, toBankTransaction } from './map.ts'
import { callStripe, StripeError } from './request.ts'
import { transactionsPull } from './transactions.ts'
import { readStripeWebhook } from './webhook.ts'
import { StripeAccount, StripeTransaction } from './wire.ts'

export const stripeConnector: Connector = {
  authorize: stripeSession,
  checkApp,
  pulls: [accountsPull, transactionsPull],
  entities: {
    Accounts: { wire: StripeAccount, map: toBankAccount },
    Transactions: { wire: StripeTransaction, map: toBankTransaction },
  },
  reidentify: { account: toFingerprint, renumbersTransactions: true },
  disconnect,
  readWebhook: readStripeWebhook,
  subscribe: keepFresh,
}

/**
 * Checks the app keys with the calls that linking needs, since a restricted key may lack access to the account itself.
 * Keys of test mode and of live mode cannot be mixed.
 * Source: https://docs.stripe.com/keys
 */
async function checkApp(kit: Kit): Promise<void> {
  const { secretKey = '', publishableKey = '' } = kit.app
  const [secretMode, publishableMode] = [secretKey, publishableKey].map((key) => /^[a-z]+_(live|test)_/.exec(key)?.[1])
  if (secretMode !== publishableMode) {
    throw new SourceError('unavailable', 'one key is of live mode and the other of test mode', { isClientRefused: true })
  }
  await callStripe(kit, { path: '/v1/customers', parameters: { limit: '1' } })
}

/**
 * Disconnects each account of the bank.
 * Source: https://docs.stripe.com/api/financial_connections/accounts/disconnect
 */
async function disconnect(kit: Kit, credentials: Credentials): Promise<void> {
  const accounts = await listKnown({ kit, credentials, entityId: '', nextFile: async () => null })
  for (const { id, status } of accounts) {
    if (status === 'disconnected') continue
    try {
      await callStripe(kit, { method: 'POST', path: `${ACCOUNTS}/${encodeURIComponent(id)}/disconnect` })
    } catch (error) {
      // Already revoked: nothing is left to disconnect.
      if (!(error instanceof StripeError && (error.status === 404 || error.code === 'account_disconnected'))) throw error
    }
  }
}
