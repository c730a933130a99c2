import { serveSimulator } from '../../../simulators/simulator.ts'
import { TOKEN_SIGNING_KEY } from '../../../simulators/teller/data/signing-key.ts'
import { createTellerSimulator, type TellerSimulator, type TellerSimulatorOptions } from '../../../simulators/teller/index.ts'
import type { RedirectRequest, Widget } from '../../../src/connectors/contract/authorization.ts'
import type { Grant, Kit, Pull } from '../../../src/connectors/contract/contract.ts'
import { tellerConnector } from '../../../src/connectors/teller/client.ts'
import { createKit } from '../../../src/connectors/toolkit/kit.ts'
import { createEgress } from '../../../src/egress/egress.ts'
import type { Json } from '../../../src/model/values/json.ts'

export const BANK = 'pena_valley_bank'
export const WEBHOOK_SECRET = 'webhook-canary-4471'
const START = Date.UTC(2026, 10, 20, 15, 30)

/** Kit and simulator. Time stands still unless it is moved, for both at once. */
export interface Harness {
  simulator: TellerSimulator
  url: string
  kit: Kit
  moveTime(ms: number): void
  close(): Promise<void>
}

export async function openHarness(options: Partial<TellerSimulatorOptions> & { app?: Record<string, string> } = {}): Promise<Harness> {
  let time = START
  const now = () => new Date(time)
  const running = await serveSimulator((given) => createTellerSimulator({ webhookSecret: WEBHOOK_SECRET, ...options, ...given, now }), {
    ...(options.stateFile === undefined ? {} : { stateFile: options.stateFile }),
  })
  const egress = createEgress({ allowPrivate: true })
  const app = {
    applicationId: 'app_canary',
    environment: 'sandbox',
    tokenSigningKey: TOKEN_SIGNING_KEY,
    webhookSecret: WEBHOOK_SECRET,
    ...options.app,
  }
  const hosts = { api: running.url, connect: running.url, site: running.url }
  return {
    simulator: running.simulator,
    url: running.url,
    kit: createKit({ egress, app, hosts, now, allowPrivate: true }),
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
  if (tellerConnector.authorize.step !== 'widget') throw new Error('Teller connects by its widget')
  return tellerConnector.authorize
}

export function startLink(harness: Harness, wish: Partial<RedirectRequest> = {}): Promise<{ widget: Widget; memo?: Json }> {
  return widgetStep().start(harness.kit, {
    callbackUrl: 'http://127.0.0.1:1/connect/callback',
    state: 'state-1',
    locale: 'en',
    webhookUrl: 'http://127.0.0.1:1/hooks/teller',
    companyId: 'company-1',
    institutionId: BANK,
    ...wish,
  })
}

export function completeLink(harness: Harness, memo: Json | undefined, query: Record<string, string>, reconnect?: Grant): Promise<Grant[]> {
  const request = { callbackUrl: 'http://127.0.0.1:1/connect/callback', query, memo: memo ?? null }
  return widgetStep().complete(harness.kit, reconnect ? { ...request, reconnect: reconnect.credentials } : request)
}

/** What the owner may do otherwise than sharing everything. */
export interface LinkChoices {
  password?: string
  /** How many of the accounts are shared. */
  accounts?: number
}

/** Goes through the window of Teller Connect without a browser; what the glue would hand over. */
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
  const shown = [...accounts.matchAll(/name="account" value="([^"]+)"/g)].map(([, id = '']) => id)
  const done = await post(
    harness,
    accounts,
    'finish',
    shown.slice(0, wish.accounts ?? shown.length).map((id) => ['account', id]),
  )
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
export async function link(harness: Harness, wish: Partial<RedirectRequest> & LinkChoices = {}): Promise<Grant> {
  const { password: _password, accounts: _accounts, ...request } = wish
  const { widget, memo } = await startLink(harness, request)
  const [grant] = await completeLink(harness, memo, await share(harness, widget, wish))
  if (!grant) throw new Error('nothing was granted')
  return grant
}

export function pullNamed(name: string): Pull {
  const pull = tellerConnector.pulls.find((each) => each.name === name)
  if (!pull) throw new Error(`no pull ${name}`)
  return pull
}
