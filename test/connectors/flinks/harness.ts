import { createFlinksSimulator, type FlinksSimulatorOptions } from '../../../simulators/flinks/index.ts'
import type { Grant } from '../../../src/connectors/contract/contract.ts'
import { connectorHarness, type Settings } from '../../harness/connector.ts'
import { runnerOf } from '../../harness/connector-calls.ts'
import { loginFields, openPage, type PageResponse, queryOf, submitPage } from '../../harness/hosted-pages.ts'
import { completeLink, type LinkRequest, startLink } from '../../harness/redirect.ts'
import { withReceiver } from '../../harness/webhook-receiver.ts'

export const KEYS = { customerId: 'customer-canary-4471', secretKey: 'secret-canary-2290' }
export const WEBHOOK_KEY = 'webhook-key-canary-8810'
export const BANK = '3'

const open = connectorHarness('flinks', {
  create: (settings: Settings<FlinksSimulatorOptions>, given) =>
    createFlinksSimulator({ institutionCount: 40, keys: KEYS, ...settings, ...given }),
  app: { ...KEYS, webhookKey: WEBHOOK_KEY },
  request: { institutionId: BANK },
  startMs: Date.UTC(2026, 10, 20, 15, 30),
})
export const openHarness = withReceiver(open, '/hooks/flinks')

export type Harness = Awaited<ReturnType<typeof openHarness>>

export const login = (username = 'Greatday', password = 'Everyday') => loginFields(username, password)

/** The owner's complete flow at a bank that was selected before. */
export async function walkLink(url: string, username?: string): Promise<PageResponse> {
  const question = await submitPage((await openPage(url)).html, 'login', login(username))
  return await submitPage(question.html, 'code', [['code', 'Montréal']])
}

export async function link(harness: Harness, wish: Partial<LinkRequest> & { username?: string } = {}): Promise<Grant> {
  const { username, ...request } = wish
  const { url, memo } = await startLink(harness, request)
  const { leftFor } = await walkLink(url, username)
  const [grant] = await completeLink(harness, memo, queryOf(leftFor))
  if (!grant) throw new Error('no grant')
  return grant
}

export function accountWithRole(harness: Harness, grant: Grant, role: string): string {
  const account = harness.simulator.state.logins[grant.reference ?? '']?.accounts.find((each) => each.role === role)
  if (!account) throw new Error(`no account ${role}`)
  return account.id
}

export const run = runnerOf('flinks')
