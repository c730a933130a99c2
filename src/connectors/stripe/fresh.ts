import type { Session } from '../contract/contract.ts'
import { ACCOUNTS, listKnown } from './accounts.ts'
import { callStripe, StripeError } from './request.ts'
import type { KnownAccount } from './wire.ts'

/** Balances younger than this are not refreshed; each refresh is billed. */
const FRESH_SECONDS = 20 * 3_600

/**
 * Subscribes each account once to daily transaction refreshes, and requests a new balance where the last one is old.
 * Stripe announces the results by webhook.
 * Source: https://docs.stripe.com/financial-connections/transactions#subscribe and …/balances#refresh
 */
export async function keepFresh(session: Session): Promise<void> {
  const active = (await listKnown(session)).filter(({ status }) => status === 'active')
  for (const account of active) {
    const may = (permission: string) => account.permissions?.includes(permission) ?? false
    const isSubscribed = account.subscriptions?.includes('transactions') ?? false
    if (may('transactions') && !isSubscribed) await change(session, account, 'subscribe', 'transactions')
    if (may('balances') && isStale(account, session.kit.now())) await change(session, account, 'refresh', 'balance')
  }
}

function isStale({ balance_refresh: refresh }: KnownAccount, now: Date): boolean {
  const seconds = now.getTime() / 1000
  if (refresh?.status === 'pending') return false
  if ((refresh?.next_refresh_available_at ?? 0) > seconds) return false
  return seconds - (refresh?.last_attempted_at ?? 0) > FRESH_SECONDS
}

/** An account that became inactive in the meantime does not fail the others. */
async function change({ kit }: Session, account: KnownAccount, what: 'subscribe' | 'refresh', feature: string): Promise<void> {
  try {
    const path = `${ACCOUNTS}/${encodeURIComponent(account.id)}/${what}`
    await callStripe(kit, { method: 'POST', path, parameters: { features: [feature] } })
  } catch (error) {
    if (!(error instanceof StripeError && error.status === 400)) throw error
  }
}
