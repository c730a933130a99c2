import { createFinicitySimulator, type FinicitySimulatorOptions } from '../../../simulators/finicity/index.ts'
import type { Grant } from '../../../src/connectors/contract/contract.ts'
import { finicityConnector } from '../../../src/connectors/finicity/client.ts'
import { connectorHarness, type Settings } from '../../harness/connector.ts'
import { runnerOf } from '../../harness/connector-calls.ts'
import { everyAccount, loginFields, openPage, type PageResponse, submitPage } from '../../harness/hosted-pages.ts'
import { completeLink, type LinkRequest, startLink } from '../../harness/redirect.ts'
import { withReceiver } from '../../harness/webhook-receiver.ts'

export const KEYS = { appKey: 'app-key-canary-3315', partnerId: 'partner-canary-7712', partnerSecret: 'secret-canary-9024' }
export const BANK = '102106'

const open = connectorHarness('finicity', {
  create: (settings: Settings<FinicitySimulatorOptions>, given) =>
    createFinicitySimulator({ institutionCount: 60, keys: KEYS, ...settings, ...given }),
  app: { ...KEYS, customerType: 'testing' },
  request: { institutionId: BANK },
  startMs: Date.UTC(2026, 10, 20, 15, 30),
})
export const openHarness = withReceiver(open, '/hooks/finicity', (query) => finicityConnector.answerHandshake?.(query))

export type Harness = Awaited<ReturnType<typeof openHarness>>

export const login = (username = 'profile_02', password = 'finbank') => loginFields(username, password)

/** The owner's complete flow at a bank that was selected before. */
export async function walkLink(url: string, username?: string): Promise<PageResponse> {
  const accounts = await submitPage((await openPage(url)).html, 'login', login(username))
  return await submitPage(accounts.html, 'accounts', everyAccount(accounts.html))
}

export async function link(harness: Harness, wish: Partial<LinkRequest> & { username?: string } = {}): Promise<Grant> {
  const { username, ...request } = wish
  const { url, memo } = await startLink(harness, request)
  await walkLink(url, username)
  const [grant] = await completeLink(harness, memo)
  if (!grant) throw new Error('no grant')
  return grant
}

/** Id of the login of a grant. */
export function loginOf({ credentials }: Grant): number {
  return Number(Object(credentials.secret).institutionLoginId)
}

export function accountWithRole(harness: Harness, grant: Grant, role: string): number {
  const account = harness.simulator.state.logins[String(loginOf(grant))]?.accounts.find((each) => each.role === role)
  if (!account) throw new Error(`no account ${role}`)
  return account.id
}

export const run = runnerOf('finicity')
