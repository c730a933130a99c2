import { afterEach } from 'vitest'
import { sandboxSigningKey } from '../../../simulators/fdx/data/sandbox-client.ts'
import {
  createAkoyaSimulator,
  createConfluentSimulator,
  createFlinksOutboundSimulator,
  createOhioSimulator,
  type FdxSimulator,
  type FdxSimulatorOptions,
} from '../../../simulators/fdx/index.ts'
import { serveSimulator } from '../../../simulators/simulator.ts'
import { InputRefused, type RedirectRequest } from '../../../src/connectors/contract/authorization.ts'
import {
  type Connector,
  type ConnectorDescription,
  type Credentials,
  type Grant,
  type HttpRequest,
  type HttpResponse,
  type Kit,
  type Session,
  SourceError,
  type SourceItem,
} from '../../../src/connectors/contract/contract.ts'
import { fdxBanks, fdxExamples } from '../../../src/connectors/fdx/index.ts'
import { createKit } from '../../../src/connectors/toolkit/kit.ts'
import { createEgress } from '../../../src/egress/egress.ts'
import type { Json } from '../../../src/model/values/json.ts'
import { everyAccount, openBrowser, type PageResponse } from './browser.ts'

export const CLIENT_ID = 'client-canary-5521'
export const CLIENT_SECRET = 'secret-canary-9034-with-32-characters'
export const CALLBACK = 'http://127.0.0.1:1/connect/callback'

const BANKS = {
  'fdx-caisse-du-confluent': createConfluentSimulator,
  'fdx-ohio-valley': createOhioSimulator,
  akoya: createAkoyaSimulator,
  'flinks-outbound': createFlinksOutboundSimulator,
}
export type BankKey = keyof typeof BANKS

const INSTITUTIONS: Partial<Record<BankKey, string>> = { akoya: 'mikomo', 'flinks-outbound': 'dp-lac-superieur' }
const CONNECTORS = 'mikomo=Mikomo Bank; erie=Erie Lakeshore Bank'

/** One bank, the connector of its profile, and what stands between them. Both sides' clocks are moved together. */
export interface Harness {
  key: BankKey
  simulator: FdxSimulator
  url: string
  description: ConnectorDescription
  connector: Connector
  kit: Kit
  /** Every call of the connector with its answer. */
  exchanges: { request: HttpRequest; response: HttpResponse }[]
  moveTime(ms: number): void
  close(): Promise<void>
}

export type HarnessOptions = Partial<FdxSimulatorOptions> & { timeoutMs?: number; app?: Record<string, string> }

export async function openHarness(key: BankKey, options: HarnessOptions = {}): Promise<Harness> {
  // The provider reads the machine's clock, so time begins there; it stands still unless it is moved.
  let time = Math.floor(Date.now() / 1000) * 1000
  const { timeoutMs, app, stateFile, ...rest } = options
  const client = { id: CLIENT_ID, secret: CLIENT_SECRET }
  const running = await serveSimulator((given) => BANKS[key]({ client, ...rest, ...given }), stateFile === undefined ? {} : { stateFile })
  const { url, simulator } = running
  const description = describe(key)
  const connector = await description.load()
  const egress = createEgress({ allowPrivate: true })
  const keys = { clientId: CLIENT_ID, clientSecret: CLIENT_SECRET, signingKey: JSON.stringify(sandboxSigningKey()), connectors: CONNECTORS }
  const kit = createKit({
    egress,
    app: { ...Object.fromEntries(Object.entries(keys).filter(([name]) => description.appKeys.includes(name))), ...app },
    hosts: Object.fromEntries(Object.keys(description.hosts).map((name) => [name, url])),
    now: () => new Date(time),
    allowPrivate: true,
  })
  const exchanges: Harness['exchanges'] = []
  const http: Kit['http'] = async (call) => {
    const response = await kit.http(timeoutMs === undefined ? call : { ...call, timeoutMs })
    exchanges.push({ request: call, response })
    return response
  }
  return {
    key,
    simulator,
    url,
    description,
    connector,
    kit: { ...kit, http },
    exchanges,
    moveTime: (ms) => {
      time += ms
      simulator.moveClock(ms)
    },
    close: async () => {
      await running.close()
      await egress.close()
    },
  }
}

/** Opens stages that are closed behind each test. */
export function trackedHarnesses(): typeof openHarness {
  const harnesses: Harness[] = []
  afterEach(async () => {
    await Promise.all(harnesses.splice(0).map((harness) => harness.close()))
  })
  return async (key, options) => {
    const harness = await openHarness(key, options)
    harnesses.push(harness)
    return harness
  }
}

function describe(key: string): ConnectorDescription {
  const found = [...fdxBanks, ...fdxExamples].find((each) => each.key === key)
  if (!found) throw new Error(`no profile ${key}`)
  return found
}

export function redirectStep({ connector }: Pick<Harness, 'connector'>) {
  if (connector.authorize.step !== 'redirect') throw new Error('FDX banks connect by redirect')
  return connector.authorize
}

export function startLink(harness: Harness, wish: Partial<RedirectRequest> = {}): Promise<{ url: string; memo?: Json }> {
  const institutionId = INSTITUTIONS[harness.key]
  return redirectStep(harness).start(harness.kit, {
    callbackUrl: CALLBACK,
    state: 'state-1',
    locale: 'en',
    webhookUrl: `${CALLBACK}/webhook`,
    companyId: 'company-1',
    ...(institutionId === undefined ? {} : { institutionId }),
    ...wish,
  })
}

/** The whole way of the owner through the bank's pages; what comes back to the callback. */
export async function walk(
  harness: Pick<Harness, 'url'>,
  url: string,
  login = 'business',
  choose = everyAccount,
): Promise<Record<string, string>> {
  const browser = openBrowser(harness.url)
  const consent = await browser.submit(await browser.open(url), 'login', [
    ['username', login],
    ['password', 'sandbox'],
  ])
  return queryOf(await browser.submit(consent, 'consent', choose(consent)))
}

export function queryOf(shown: PageResponse, callback = CALLBACK): Record<string, string> {
  if (shown.leftFor === null) throw new Error(`the owner is still at the bank: ${shown.html.slice(-400)}`)
  const back = new URL(shown.leftFor)
  if (`${back.origin}${back.pathname}` !== callback) throw new Error(`sent to ${back.origin}${back.pathname}`)
  return Object.fromEntries(back.searchParams)
}

export function complete(harness: Harness, query: Record<string, string>, memo: Json | undefined): Promise<Grant[]> {
  return redirectStep(harness).complete(harness.kit, { callbackUrl: CALLBACK, query, memo: memo ?? null })
}

export async function link(harness: Harness, login = 'business', wish: Partial<RedirectRequest> = {}): Promise<Grant> {
  const { url, memo } = await startLink(harness, wish)
  const [grant, ...others] = await complete(harness, await walk(harness, url, login), memo)
  if (!grant || others.length > 0) throw new Error('not one grant')
  return grant
}

export function refresh({ connector, kit }: Harness, credentials: Credentials): Promise<Credentials> {
  if (!connector.refreshCredentials) throw new Error('tokens of FDX banks expire')
  return connector.refreshCredentials(kit, credentials)
}

export interface Run {
  items: SourceItem[]
  pages: number
  resume: Json | null
  listings: string[]
}

/** One run of a pull. */
export async function run(
  { connector }: Pick<Harness, 'connector'>,
  session: Session,
  name: string,
  from: Json | null = null,
): Promise<Run> {
  const pull = connector.pulls.find((each) => each.name === name)
  if (!pull) throw new Error(`no pull ${name}`)
  const found: Run = { items: [], pages: 0, resume: null, listings: [] }
  for (let cursor = from; ; ) {
    const page = await pull.fetch(session, cursor)
    found.pages += 1
    found.listings.push(page.listing)
    if (Object.keys(page.answers).length > 0) found.items.push(...pull.read(page.answers))
    cursor = page.next
    if (cursor !== null) continue
    return { ...found, resume: page.resume ?? null }
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

/** The error that a call throws; anything but ours is a failure of the test. */
export async function failureOf(call: Promise<unknown>): Promise<SourceError | InputRefused> {
  const outcome = await call.then(
    () => null,
    (error: unknown) => error,
  )
  if (outcome instanceof SourceError || outcome instanceof InputRefused) return outcome
  throw new Error('expected a SourceError', { cause: outcome })
}

export function kindOf(failure: SourceError | InputRefused): string {
  return failure instanceof SourceError ? failure.kind : 'refused'
}
