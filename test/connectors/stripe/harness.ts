import { createStripeSimulator, type StripeSimulatorOptions } from '../../../simulators/stripe/index.ts'
import type { Widget } from '../../../src/connectors/contract/authorization.ts'
import type { Grant } from '../../../src/connectors/contract/contract.ts'
import { connectorHarness, type Settings } from '../../harness/connector.ts'
import { everyAccount } from '../../harness/hosted-pages.ts'
import { completeLink, type LinkRequest, startWidget } from '../../harness/redirect.ts'

export const BANK = 'Cañon Valley Bank'
export const SECRET_KEY = 'sk_test_canary4471'
export const WEBHOOK_SECRET = 'whsec_canary8812'

export const openHarness = connectorHarness('stripe', {
  create: (settings: Settings<StripeSimulatorOptions>, given) =>
    createStripeSimulator({ secretKey: SECRET_KEY, webhookSecret: WEBHOOK_SECRET, ...settings, ...given }),
  app: { secretKey: SECRET_KEY, publishableKey: 'pk_test_canary', webhookSecret: WEBHOOK_SECRET },
  startMs: Date.UTC(2026, 10, 20, 15, 30),
})

export type Harness = Awaited<ReturnType<typeof openHarness>>

/** What the owner does instead of linking everything. */
export interface LinkChoices {
  bank?: string
  /** Number of accounts that are linked. */
  accounts?: number
}

/** Completes Stripe's window without a browser. */
export async function linkAtStripe(harness: Harness, { params }: Widget, wish: LinkChoices = {}): Promise<void> {
  const fields = {
    client_secret: params.clientSecret ?? '',
    locale: params.locale ?? '',
    opener: 'http://localhost',
    institution: wish.bank ?? BANK,
  }
  const post = async (step: string, typed: [string, string][]) => {
    const body = new URLSearchParams([...Object.entries(fields), ...typed])
    return await (await fetch(`${harness.url}/window/${step}`, { method: 'POST', body })).text()
  }
  const accounts = await post('accounts', [
    ['username', 'test'],
    ['password', 'test'],
  ])
  await post('finish', everyAccount(accounts).slice(0, wish.accounts))
}

/** A grant as an owner would give it. */
export async function link(harness: Harness, wish: Partial<LinkRequest> & LinkChoices = {}): Promise<Grant> {
  const { bank: _bank, accounts: _accounts, ...request } = wish
  const { widget, memo } = await startWidget(harness, request)
  await linkAtStripe(harness, widget, wish)
  const [grant] = await completeLink(harness, memo, { done: 'yes' })
  if (!grant) throw new Error('nothing was granted')
  return grant
}
