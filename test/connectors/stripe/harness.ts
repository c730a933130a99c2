import { serveSimulator } from '../../../simulators/simulator.ts'
import { createStripeSimulator, type StripeSimulator, type StripeSimulatorOptions } from '../../../simulators/stripe/index.ts'
import type { RedirectRequest, Widget } from '../../../src/connectors/contract/authorization.ts'
import type { Grant, Kit, Pull } from '../../../src/connectors/contract/contract.ts'
import { stripeConnector } from '../../../src/connectors/stripe/client.ts'
import { createKit } from '../../../src/connectors/toolkit/kit.ts'
import { createEgress } from '../../../src/egress/egress.ts'
import type { Json } from '../../../src/model/values/json.ts'

export const BANK = 'Cañon Valley Bank'
export const SECRET_KEY = 'sk_test_canary4471'
export const WEBHOOK_SECRET = 'whsec_canary8812'
const START = Date.UTC(2026, 10, 20, 15, 30)

/** Kit and simulator. Time stands still unless it is moved, for both at once. */
export interface Harness {
  simulator: StripeSimulator
  url: string
  kit: Kit
  moveTime(ms: number): void
  close(): Promise<void>
}

export async function openHarness(options: Partial<StripeSimulatorOptions> & { app?: Record<string, string> } = {}): Promise<Harness> {
  let time = START
  const now = () => new Date(time)
  const given = { secretKey: SECRET_KEY, webhookSecret: WEBHOOK_SECRET, ...options }
  const running = await serveSimulator((served) => createStripeSimulator({ ...given, ...served, now }), {
    ...(options.stateFile === undefined ? {} : { stateFile: options.stateFile }),
  })
  const egress = createEgress({ allowPrivate: true })
  const app = { secretKey: SECRET_KEY, publishableKey: 'pk_test_canary', webhookSecret: WEBHOOK_SECRET, ...options.app }
  return {
    simulator: running.simulator,
    url: running.url,
    kit: createKit({ egress, app, hosts: { api: running.url, js: running.url }, now, allowPrivate: true }),
    moveTime: (ms) => {
      time += ms
    },
    close: async () => {
      await running.close()
      await egress.close()
    },
  }
}

export function widgetStep() {
  if (stripeConnector.authorize.step !== 'widget') throw new Error('Stripe connects by its widget')
  return stripeConnector.authorize
}

export function startLink(harness: Harness, wish: Partial<RedirectRequest> = {}): Promise<{ widget: Widget; memo?: Json }> {
  return widgetStep().start(harness.kit, {
    callbackUrl: 'http://127.0.0.1:1/connect/callback',
    state: 'state-1',
    locale: 'en',
    webhookUrl: 'http://127.0.0.1:1/hooks/stripe',
    companyId: 'company-1',
    ...wish,
  })
}

export function completeLink(harness: Harness, memo: Json | undefined, query: Record<string, string> = { done: 'yes' }): Promise<Grant[]> {
  return widgetStep().complete(harness.kit, { callbackUrl: 'http://127.0.0.1:1/connect/callback', query, memo: memo ?? null })
}

/** What the owner may do otherwise than linking everything. */
export interface LinkChoices {
  bank?: string
  /** How many of the accounts are linked. */
  accounts?: number
}

/** Goes through Stripe's window without a browser. */
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
  const shown = [...accounts.matchAll(/name="account" value="([^"]+)"/g)].map(([, id = '']) => id)
  await post(
    'finish',
    shown.slice(0, wish.accounts ?? shown.length).map((id): [string, string] => ['account', id]),
  )
}

/** A grant as an owner would give it. */
export async function link(harness: Harness, wish: Partial<RedirectRequest> & LinkChoices = {}): Promise<Grant> {
  const { bank: _bank, accounts: _accounts, ...request } = wish
  const { widget, memo } = await startLink(harness, request)
  await linkAtStripe(harness, widget, wish)
  const [grant] = await completeLink(harness, memo)
  if (!grant) throw new Error('nothing was granted')
  return grant
}

export function pullNamed(name: string): Pull {
  const pull = stripeConnector.pulls.find((each) => each.name === name)
  if (!pull) throw new Error(`no pull ${name}`)
  return pull
}
