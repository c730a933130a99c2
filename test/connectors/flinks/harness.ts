import { createServer } from 'node:http'
import { createFlinksSimulator, type FlinksSimulator, type FlinksSimulatorOptions } from '../../../simulators/flinks/index.ts'
import { serveSimulator } from '../../../simulators/simulator.ts'
import type { RedirectRequest } from '../../../src/connectors/contract/authorization.ts'
import type { Answers, Grant, HttpRequest, HttpResponse, Kit, Session, SourceItem } from '../../../src/connectors/contract/contract.ts'
import type { WebhookRequest } from '../../../src/connectors/contract/hints.ts'
import { flinksConnector } from '../../../src/connectors/flinks/client.ts'
import { createKit } from '../../../src/connectors/toolkit/kit.ts'
import { createEgress } from '../../../src/egress/egress.ts'
import type { Json } from '../../../src/model/values/json.ts'

export const KEYS = { customerId: 'customer-canary-4471', secretKey: 'secret-canary-2290' }
export const WEBHOOK_KEY = 'webhook-key-canary-8810'
export const CALLBACK = 'http://127.0.0.1:1/connect/callback'
export const BANK = '3'
const START = Date.UTC(2026, 10, 20, 15, 30)

/** Kit, simulator and a listener for webhooks. Time stands still unless it is moved. */
export interface Harness {
  simulator: FlinksSimulator
  kit: Kit
  webhookUrl: string
  received: WebhookRequest[]
  /** Every call of the connector with its answer, oldest first. */
  exchanges: { request: HttpRequest; response: HttpResponse }[]
  moveTime(ms: number): void
  close(): Promise<void>
}

export async function openHarness(options: Partial<FlinksSimulatorOptions> & { app?: Record<string, string> } = {}): Promise<Harness> {
  let time = START
  const now = () => new Date(time)
  const received: WebhookRequest[] = []
  const listener = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
      received.push({ headers, body: Buffer.concat(chunks) })
      response.end()
    })
  })
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  const address = listener.address()
  const webhookUrl = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/hooks/flinks`
  const { app, ...rest } = options
  const running = await serveSimulator((given) => createFlinksSimulator({ institutionCount: 40, keys: KEYS, ...rest, ...given, now }))
  const egress = createEgress({ allowPrivate: true })
  const hosts = { api: running.url, connect: running.url }
  const kit = createKit({ egress, app: { ...KEYS, webhookKey: WEBHOOK_KEY, ...app }, hosts, now, allowPrivate: true })
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
  if (flinksConnector.authorize.step !== 'redirect') throw new Error('Flinks connects by redirect')
  return flinksConnector.authorize
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

/** What the browser brings back is the query of `leftFor`. */
export function completeLink(harness: Harness, memo: Json | undefined, leftFor: string | null, reconnect?: Grant): Promise<Grant[]> {
  const query = leftFor === null ? {} : Object.fromEntries(new URL(leftFor).searchParams)
  const request = { callbackUrl: CALLBACK, query, memo: memo ?? null }
  return redirectStep().complete(harness.kit, reconnect ? { ...request, reconnect: reconnect.credentials } : request)
}

export interface PageResponse {
  html: string
  status: number
  leftFor: string | null
}

/** Opens a page and follows the redirect within the provider's pages. */
export async function openPage(url: string): Promise<PageResponse> {
  const response = await fetch(url, { redirect: 'manual' })
  const location = response.headers.get('location')
  const html = await response.text()
  if (location === null) return { html, status: response.status, leftFor: null }
  return location.startsWith(new URL(url).origin) ? await openPage(location) : { html: '', status: response.status, leftFor: location }
}

export async function submit(html: string, name: string, values: [string, string][]): Promise<PageResponse> {
  const action = new RegExp(`<form method="post" action="([^"]+/${name})"`).exec(html)?.[1]
  if (action === undefined) throw new Error(`the page has no form "${name}"`)
  const response = await fetch(action, { method: 'POST', body: new URLSearchParams(values), redirect: 'manual' })
  const location = response.headers.get('location')
  await response.arrayBuffer()
  if (location === null) throw new Error(`form "${name}" answered ${response.status}`)
  return location.startsWith(new URL(action).origin) ? await openPage(location) : { html: '', status: response.status, leftFor: location }
}

export function login(username = 'Greatday', password = 'Everyday'): [string, string][] {
  return [
    ['username', username],
    ['password', password],
  ]
}

/** The whole way of the owner at a bank that was chosen before. */
export async function walkLink(url: string, username?: string): Promise<PageResponse> {
  const question = await submit((await openPage(url)).html, 'login', login(username))
  return await submit(question.html, 'question', [['answer', 'Montréal']])
}

export async function link(harness: Harness, wish: LinkOptions & { username?: string } = {}): Promise<Grant> {
  const { username, ...request } = wish
  const { url, memo } = await startLink(harness, request)
  const { leftFor } = await walkLink(url, username)
  const [grant] = await completeLink(harness, memo, leftFor)
  if (!grant) throw new Error('no grant')
  return grant
}

export function accountWithRole(harness: Harness, grant: Grant, role: string): string {
  const account = harness.simulator.state.logins[grant.reference ?? '']?.accounts.find((each) => each.role === role)
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
  const pull = pullNamed(name)
  const pages: Answers[] = []
  for (let cursor = from; ; ) {
    const page = await pull.fetch(session, cursor)
    if (Object.keys(page.answers).length > 0) pages.push(page.answers)
    cursor = page.next
    if (cursor !== null) continue
    return { pages, items: pages.flatMap((answers) => [...pull.read(answers)]), resume: page.resume ?? null, listing: page.listing }
  }
}

export function pullNamed(name: string) {
  const pull = flinksConnector.pulls.find((each) => each.name === name)
  if (!pull) throw new Error(`no pull ${name}`)
  return pull
}

/** What a reader holds after applying the items in order. */
export function applyItems(held: Map<string, unknown>, items: readonly SourceItem[]): Map<string, unknown> {
  for (const item of items) {
    if ('removed' in item) held.delete(item.origId)
    else if ('wire' in item) held.set(item.origId, item.wire)
  }
  return held
}
