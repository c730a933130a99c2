import { createServer } from 'node:http'
import { createPlaidSimulator, type PlaidSimulator, type PlaidSimulatorOptions } from '../../../simulators/plaid/index.ts'
import { serveSimulator } from '../../../simulators/simulator.ts'
import type { RedirectRequest } from '../../../src/connectors/contract/authorization.ts'
import type { Answers, Grant, Kit, Pull, Session, SourceItem } from '../../../src/connectors/contract/contract.ts'
import type { WebhookRequest } from '../../../src/connectors/contract/hints.ts'
import { plaidConnector } from '../../../src/connectors/plaid/client.ts'
import { createKit } from '../../../src/connectors/toolkit/kit.ts'
import { createEgress } from '../../../src/egress/egress.ts'
import type { Json } from '../../../src/model/values/json.ts'

export const CLIENT_ID = 'client-canary-1207'
export const SECRET = 'secret-canary-8814'
export const CALLBACK = 'http://127.0.0.1:1/connect/callback/plaid'
export const BANK = 'ins_900001'
const START = Date.UTC(2026, 10, 20, 15, 30)

/** Kit, simulator, a receiver of webhooks and the owner's browser. Time stands still unless it is moved. */
export interface Harness {
  simulator: PlaidSimulator
  url: string
  kit: Kit
  webhookUrl: string
  /** What the receiver got, oldest first. */
  received: WebhookRequest[]
  /** Moves the clock of both sides. */
  moveTime(ms: number): void
  close(): Promise<void>
}

export async function openHarness(options: Partial<PlaidSimulatorOptions> & { timeoutMs?: number } = {}): Promise<Harness> {
  let time = START
  const now = () => new Date(time)
  const received: WebhookRequest[] = []
  const receiver = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
      received.push({ headers, body: Buffer.concat(chunks) })
      response.end()
    })
  })
  const webhookUrl = await new Promise<string>((resolve) => {
    receiver.listen(0, '127.0.0.1', () => {
      const address = receiver.address()
      resolve(`http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/plaid`)
    })
  })
  const keys = { clientId: CLIENT_ID, secret: SECRET }
  const running = await serveSimulator((given) => createPlaidSimulator({ keys, ...options, ...given, now }), toServed(options))
  const egress = createEgress({ allowPrivate: true })
  const kit = createKit({ egress, app: keys, hosts: { api: running.url }, now, allowPrivate: true })
  const { timeoutMs } = options
  return {
    simulator: running.simulator,
    url: running.url,
    kit: timeoutMs === undefined ? kit : { ...kit, http: (call) => kit.http({ ...call, timeoutMs }) },
    webhookUrl,
    received,
    moveTime: (ms) => {
      time += ms
      running.simulator.moveClock(0)
    },
    close: async () => {
      await running.close()
      await egress.close()
      receiver.closeAllConnections()
      await new Promise((resolve) => receiver.close(resolve))
    },
  }
}

function toServed(options: Partial<PlaidSimulatorOptions>): { seed?: number; stateFile?: string } {
  return {
    ...(options.seed === undefined ? {} : { seed: options.seed }),
    ...(options.stateFile === undefined ? {} : { stateFile: options.stateFile }),
  }
}

export function redirectStep() {
  if (plaidConnector.authorize.step !== 'redirect') throw new Error('Plaid connects by redirect')
  return plaidConnector.authorize
}

/** What a test may ask of a link; a bank of null is left to the owner. */
export type LinkOptions = Partial<Omit<RedirectRequest, 'institutionId'>> & { institutionId?: string | null }

export function startLink(harness: Harness, wish: LinkOptions = {}): Promise<{ url: string; memo?: Json }> {
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

/** What the owner's browser shows after a form: a page of the hosted Link, or the address it is sent away to. */
export interface PageResponse {
  html: string
  status: number
  leftFor: string | null
}

export async function openPage(url: string): Promise<PageResponse> {
  const response = await fetch(url, { redirect: 'manual' })
  return { html: await response.text(), status: response.status, leftFor: null }
}

/** Posts the form whose action ends in `name`, as the page `html` offers it, and follows the redirect within the hosted pages. */
export async function submit(html: string, name: string, values: [string, string][]): Promise<PageResponse> {
  const action = new RegExp(`<form method="post" action="([^"]+/${name})"`).exec(html)?.[1]
  if (action === undefined) throw new Error(`the page has no form "${name}"`)
  const response = await fetch(action, { method: 'POST', body: new URLSearchParams(values), redirect: 'manual' })
  const location = response.headers.get('location')
  await response.arrayBuffer()
  if (location === null) throw new Error(`form "${name}" answered ${response.status}`)
  return location.includes('/hosted/') ? await openPage(location) : { html: '', status: response.status, leftFor: location }
}

export const GOOD_LOGIN: [string, string][] = [
  ['username', 'user_good'],
  ['password', 'pass_good'],
]

export function everyAccount(html: string): [string, string][] {
  return [...html.matchAll(/name="account" value="(\w+)"/g)].map((match) => ['account', match[1] ?? ''])
}

/** The whole way of the owner at a bank that was chosen before. */
export async function walkLink(url: string): Promise<PageResponse> {
  const accounts = await submit((await openPage(url)).html, 'login', GOOD_LOGIN)
  const success = await submit(accounts.html, 'accounts', everyAccount(accounts.html))
  return await submit(success.html, 'finish', [])
}

export async function link(harness: Harness, wish: LinkOptions = {}): Promise<Grant> {
  const { url, memo } = await startLink(harness, wish)
  await walkLink(url)
  const [grant] = await completeLink(harness, memo)
  if (!grant) throw new Error('no grant')
  return grant
}

export function pullNamed(name: string): Pull {
  const pull = plaidConnector.pulls.find((each) => each.name === name)
  if (!pull) throw new Error(`no pull ${name}`)
  return pull
}

export interface Run {
  pages: Answers[]
  items: SourceItem[]
  resume: Json | null
  listing: string
}

/** One run of a pull; `between` runs after each page but the last. */
export async function run(session: Session, name: string, from: Json | null = null, between: () => void = () => {}): Promise<Run> {
  const pull = pullNamed(name)
  const pages: Answers[] = []
  for (let cursor = from; ; between()) {
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
