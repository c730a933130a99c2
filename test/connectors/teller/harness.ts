import { TOKEN_SIGNING_KEY } from '../../../simulators/teller/data/signing-key.ts'
import { createTellerSimulator, type TellerSimulatorOptions } from '../../../simulators/teller/index.ts'
import type { Widget } from '../../../src/connectors/contract/authorization.ts'
import type { Grant } from '../../../src/connectors/contract/contract.ts'
import { connectorHarness, type Settings } from '../../harness/connector.ts'
import { everyAccount } from '../../harness/hosted-pages.ts'
import { completeLink, type LinkRequest, startWidget } from '../../harness/redirect.ts'

export const BANK = 'pena_valley_bank'
export const WEBHOOK_SECRET = 'webhook-canary-4471'

export const openHarness = connectorHarness('teller', {
  create: (settings: Settings<TellerSimulatorOptions>, given) =>
    createTellerSimulator({ webhookSecret: WEBHOOK_SECRET, ...settings, ...given }),
  app: {
    applicationId: 'app_canary',
    environment: 'sandbox',
    tokenSigningKey: TOKEN_SIGNING_KEY,
    webhookSecret: WEBHOOK_SECRET,
  },
  request: { institutionId: BANK },
  startMs: Date.UTC(2026, 10, 20, 15, 30),
})

export type Harness = Awaited<ReturnType<typeof openHarness>>

/** What the owner does instead of sharing everything. */
export interface LinkChoices {
  password?: string
  /** Number of accounts that are shared. */
  accounts?: number
}

/** Completes Teller Connect without a browser; returns what the glue script would send. */
export async function share(harness: Harness, { params }: Widget, wish: LinkChoices = {}): Promise<Record<string, string>> {
  const query = new URLSearchParams({
    application_id: params.applicationId ?? '',
    environment: params.environment ?? '',
    opener: 'http://localhost',
  })
  for (const [name, value] of [
    ['nonce', params.nonce],
    ['institution', params.institution],
    ['enrollment_id', params.enrollmentId],
  ] as const)
    if (value !== undefined) query.set(name, value)
  const login = await (await fetch(`${harness.url}/connect/window?${query}`)).text()
  const accounts = await post(harness, login, 'accounts', [
    ['username', 'username'],
    ['password', wish.password ?? 'password'],
  ])
  const done = await post(harness, accounts, 'finish', everyAccount(accounts).slice(0, wish.accounts))
  const news: unknown = JSON.parse(/postMessage\((\{.*\}), "http/.exec(done)?.[1] ?? 'null')
  if (!isNews(news)) throw new Error('Teller Connect did not finish')
  const { accessToken, user, enrollment, signatures } = news.enrollment
  return { accessToken, userId: user.id, enrollmentId: enrollment.id, signatures: signatures.join(' ') }
}

interface News {
  enrollment: { accessToken: string; user: { id: string }; enrollment: { id: string }; signatures: string[] }
}

function isNews(value: unknown): value is News {
  return typeof value === 'object' && value !== null && 'enrollment' in value
}

async function post(harness: Harness, markup: string, step: string, typed: [string, string][]): Promise<string> {
  const hidden = [...markup.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)].map(([, name = '', value = '']) => [
    name,
    value,
  ])
  const once = new Map(hidden.map(([name = '', value = '']) => [name, value]))
  const response = await fetch(`${harness.url}/connect/window/${step}`, { method: 'POST', body: new URLSearchParams([...once, ...typed]) })
  return await response.text()
}

/** A grant as an owner would give it. */
export async function link(harness: Harness, wish: Partial<LinkRequest> & LinkChoices = {}): Promise<Grant> {
  const { password: _password, accounts: _accounts, ...request } = wish
  const { widget, memo } = await startWidget(harness, request)
  const [grant] = await completeLink(harness, memo, await share(harness, widget, wish))
  if (!grant) throw new Error('nothing was granted')
  return grant
}
