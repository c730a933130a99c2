import { createPlaidSimulator, type PlaidSimulatorOptions } from '../../../simulators/plaid/index.ts'
import type { Grant } from '../../../src/connectors/contract/contract.ts'
import { connectorHarness, type Settings } from '../../harness/connector.ts'
import { runnerOf } from '../../harness/connector-calls.ts'
import { everyAccount, loginFields, openPage, type PageResponse, submitPage } from '../../harness/hosted-pages.ts'
import { completeLink, type LinkRequest, startLink } from '../../harness/redirect.ts'
import { withReceiver } from '../../harness/webhook-receiver.ts'

export const KEYS = { clientId: 'client-canary-1207', secret: 'secret-canary-8814' }
export const BANK = 'ins_900001'
export const GOOD_LOGIN = loginFields('user_good', 'pass_good')

const open = connectorHarness('plaid', {
  create: (settings: Settings<PlaidSimulatorOptions>, given) => createPlaidSimulator({ keys: KEYS, ...settings, ...given }),
  app: KEYS,
  request: { institutionId: BANK },
  startMs: Date.UTC(2026, 10, 20, 15, 30),
  moveSimulator: (simulator) => simulator.moveClock(0),
})
export const openHarness = withReceiver(open, '/plaid')

export type Harness = Awaited<ReturnType<typeof openHarness>>

/** The owner's complete flow at a bank that was selected before. */
export async function walkLink(url: string): Promise<PageResponse> {
  const accounts = await submitPage((await openPage(url)).html, 'login', GOOD_LOGIN)
  const success = await submitPage(accounts.html, 'accounts', everyAccount(accounts.html))
  return await submitPage(success.html, 'finish', [])
}

export async function link(harness: Harness, wish: Partial<LinkRequest> = {}): Promise<Grant> {
  const { url, memo } = await startLink(harness, wish)
  await walkLink(url)
  const [grant] = await completeLink(harness, memo)
  if (!grant) throw new Error('no grant')
  return grant
}

/** One run of a pull; `between` runs after each page but the last. */
export const run = runnerOf('plaid')
