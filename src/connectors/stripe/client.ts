import type { Connector, Credentials, Kit } from '../contract.ts'
import { ACCOUNTS, accountsPull, listKnown } from './accounts.ts'
import { toFingerprint } from './fingerprint.ts'
import { keepFresh } from './fresh.ts'
import { stripeSession } from './link.ts'
import { toBankAccount, toBankTransaction } from './map.ts'
import { callStripe, StripeError } from './request.ts'
import { transactionsPull } from './transactions.ts'
import { readStripeWebhook } from './webhook.ts'
import { StripeAccount, StripeTransaction } from './wire.ts'

export const stripeConnector: Connector = {
  authorize: stripeSession,
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

/** Disconnects each account of the bank. Source: https://docs.stripe.com/api/financial_connections/accounts/disconnect */
async function disconnect(kit: Kit, credentials: Credentials): Promise<void> {
  const accounts = await listKnown({ kit, credentials, entityId: '', nextFile: async () => null })
  for (const { id, status } of accounts) {
    if (status === 'disconnected') continue
    try {
      await callStripe(kit, { method: 'POST', path: `${ACCOUNTS}/${encodeURIComponent(id)}/disconnect` })
    } catch (error) {
      // Who is already gone need not leave.
      if (!(error instanceof StripeError && (error.status === 404 || error.code === 'account_disconnected'))) throw error
    }
  }
}
