import { createServer } from 'node:http'
import { createFinicitySimulator, type FinicitySimulator, type FinicitySimulatorOptions } from '../../../simulators/finicity/index.ts'
import { serveSimulator } from '../../../simulators/simulator.ts'
import type { RedirectRequest } from '../../../src/connectors/contract/authorization.ts'
import type { Answers, Grant, HttpRequest, HttpResponse, Kit, Session, SourceItem } from '../../../src/connectors/contract/contract.ts'
import type { WebhookRequest } from '../../../src/connectors/contract/hints.ts'
import { finicityConnector } from '../../../src/connectors/finicity/client.ts'
import { createKit } from '../../../src/connectors/toolkit/kit.ts'
import { createEgress } from '../../../src/egress/egress.ts'
import type { Json } from '../../../src/model/values/json.ts'

export const KEYS = { appKey: 'app-key-canary-3315', partnerId: 'partner-canary-7712', partnerSecret: 'secret-canary-9024' }
export const CALLBACK = 'http://127.0.0.1:1/connect/callback'
export const BANK = '102106'
const START = Date.UTC(2026, 10, 20, 15, 30)

/** Kit, simulator and a listener for webhooks. Time stands still unless it is moved. */
export interface Harness {
  simulator: FinicitySimulator
  kit: Kit
  webhookUrl: string
  received: WebhookRequest[]
  /** Every call of the connector with its answer, oldest first. */
  exchanges: { request: HttpRequest; response: HttpResponse }[]
  moveTime(ms: number): void
  close(): Promise<void>
}

export async function openHarness(options: Partial<FinicitySimulatorOptions> & { app?: Record<string, string> } = {}): Promise<Harness> {
  let time = START
  const now = () => new Date(time)
  const received: WebhookRequest[] = []
  const listener = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const query = Object.fromEntries(new URL(request.url ?? '/', 'http://x').searchParams)
      const told = request.method === 'GET' ? finicityConnector.answerHandshake?.(query) : null
      const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
      if (request.method === 'POST') received.push({ headers, body: Buffer.concat(chunks) })
      response.end(told ?? '')
    })
  })
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  const address = listener.address()
  const webhookUrl = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/hooks/finicity`
  const { app, ...rest } = options
  const running = await serveSimulator((given) => createFinicitySimulator({ institutionCount: 60, keys: KEYS, ...rest, ...given, now }))
  const egress = createEgress({ allowPrivate: true })
  const kit = createKit({ egress, app: { ...KEYS, customerType: 'testing', ...app }, hosts: { api: running.url }, now, allowPrivate: true })
  const exchanges: Harness['exchanges'] = []
  const http: Kit['http'] = async (request) => {
    const response = await kit.http(request)
    exchanges.push({ request, response })
    return response
  }
  return {
    simulator: running.simulator,
    kit: { ...kit, http },
    webhookUrl,
    received,
    exchanges,
    moveTime: (ms) => {
      time += ms
    },
    close: async () => {
      await running.close()
      await egress.close()
      listener.closeAllConnections()
      await new Promise((resolve) => listener.close(resolve))
    },
  }
}

export function redirectStep() {
  if (finicityConnector.authorize.step !== 'redirect') throw new Error('Finicity connects by redirect')
  return finicityConnector.authorize
}

export type LinkOptions = Partial<Omit<RedirectRequest, 'institutionId'>> & { institutionId?: string | null }

export function startLink(harness: Harness, wish: LinkOptions = {}): Promise<{ url: string; memo?: Json; match?: string }> {
  const { institutionId = BANK, ...rest } = wish
  return redirectStep().start(harness.kit, {
    callbackUrl: CALLBACK,
    state: 'state-1',
    locale: 'en',
    webhookUrl: harness.webhookUrl,
    companyId: 'company-1',
    ...(institutionId === null ? {} : { institutionId }),
    ...rest,
  })
}

export function completeLink(harness: Harness, memo: Json | undefined, reconnect?: Grant): Promise<Grant[]> {
  const request = { callbackUrl: CALLBACK, query: {}, memo: memo ?? null }
  return redirectStep().complete(harness.kit, reconnect ? { ...request, reconnect: reconnect.credentials } : request)
}

/** What the owner's browser shows after a form: a page of Data Connect, or the address it is sent away to. */
export interface PageResponse {
  html: string
  status: number
  leftFor: string | null
}

export async function openPage(url: string): Promise<PageResponse> {
  const response = await fetch(url, { redirect: 'manual' })
  return { html: await response.text(), status: response.status, leftFor: null }
}

/** Posts the form whose action ends in `name`, as the page offers it, and follows the redirect within the provider's pages. */
export async function submit(html: string, name: string, values: [string, string][]): Promise<PageResponse> {
  const action = new RegExp(`<form method="post" action="([^"]+/${name})"`).exec(html)?.[1]
  if (action === undefined) throw new Error(`the page has no form "${name}"`)
  const response = await fetch(action, { method: 'POST', body: new URLSearchParams(values), redirect: 'manual' })
  const location = response.headers.get('location')
  await response.arrayBuffer()
  if (location === null) throw new Error(`form "${name}" answered ${response.status}`)
  return location.startsWith(new URL(action).origin) ? await openPage(location) : { html: '', status: response.status, leftFor: location }
}

export function login(username = 'profile_02', password = 'finbank'): [string, string][] {
  return [
    ['username', username],
    ['password', password],
  ]
}

export function everyAccount(html: string): [string, string][] {
  return [...html.matchAll(/name="account" value="(\w+)"/g)].map((match) => ['account', match[1] ?? ''])
}

/** The whole way of the owner at a bank that was chosen before. */
export async function walkLink(url: string, username?: string): Promise<PageResponse> {
  const accounts = await submit((await openPage(url)).html, 'login', login(username))
  return await submit(accounts.html, 'accounts', everyAccount(accounts.html))
}

export async function link(harness: Harness, wish: LinkOptions & { username?: string } = {}): Promise<Grant> {
  const { username, ...request } = wish
  const { url, memo } = await startLink(harness, request)
  await walkLink(url, username)
  const [grant] = await completeLink(harness, memo)
  if (!grant) throw new Error('no grant')
  return grant
}

/** The number of the login that a grant stands for. */
export function loginOf(grant: Grant): number {
  const { secret } = grant.credentials
  return Number(typeof secret === 'object' && secret && !Array.isArray(secret) ? secret.institutionLoginId : Number.NaN)
}

export function accountWithRole(harness: Harness, grant: Grant, role: string): number {
  const account = harness.simulator.state.logins[String(loginOf(grant))]?.accounts.find((each) => each.role === role)
  if (!account) throw new Error(`no account ${role}`)
  return account.id
}

export interface Run {
  pages: Answers[]
  items: SourceItem[]
  resume: Json | null
  listing: string
}

export async function run(session: Session, name: string, from: Json | null = null): Promise<Run> {
  const pull = finicityConnector.pulls.find((each) => each.name === name)
  if (!pull) throw new Error(`no pull ${name}`)
  const pages: Answers[] = []
  for (let cursor = from; ; ) {
    const page = await pull.fetch(session, cursor)
    pages.push(page.answers)
    cursor = page.next
    if (cursor !== null) continue
    return { pages, items: pages.flatMap((answers) => [...pull.read(answers)]), resume: page.resume ?? null, listing: page.listing }
  }
}

/** What a reader holds after applying the items in order. */
export function applyItems(held: Map<string, unknown>, items: readonly SourceItem[]): Map<string, unknown> {
  for (const item of items) {
    if ('removed' in item) held.delete(item.origId)
    else if ('wire' in item) held.set(item.origId, item.wire)
  }
  return held
}
