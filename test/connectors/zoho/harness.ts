import { request } from 'undici'
import { type RunningSimulator, serveSimulator } from '../../../simulators/simulator.ts'
import { createZohoSimulator, type ZohoSimulator, type ZohoSimulatorOptions } from '../../../simulators/zoho/index.ts'
import type {
  Credentials,
  Grant,
  HttpRequest,
  HttpResponse,
  Kit,
  Page,
  Pull,
  Session,
  SourceItem,
} from '../../../src/connectors/contract/contract.ts'
import { createKit } from '../../../src/connectors/toolkit/kit.ts'
import { zohoConnector } from '../../../src/connectors/zoho/client.ts'
import { createEgress } from '../../../src/egress/egress.ts'
import type { Json } from '../../../src/model/values/json.ts'

export const SHOP = '782340101'
export const MAKER = '782340202'
export const GIANT = '782349999'
export const CALLBACK = 'http://127.0.0.1:1/callback'
export const SECRET = 'app-secret-canary-4711'

/** Names of the data centres in our hosts; all but the first two lead to the second address. */
const ELSEWHERE = ['Ca', 'Eu', 'Uk', 'In', 'Au', 'Jp', 'Sa', 'Cn']

/** The connector's kit, its simulator, and the owner's browser between them. Time stands still unless it is moved. */
export interface Harness {
  simulator: ZohoSimulator
  /** Where the sign-in begins: the data centre of the United States. */
  url: string
  /** All other data centres, where `hasCentres` is set; else the same address. */
  elsewhere: string
  kit: Kit
  /** Every call of the connector with its answer. */
  exchanges: { request: HttpRequest; response: HttpResponse }[]
  moveTime(ms: number): void
  close(): Promise<void>
}

export interface HarnessOptions extends Omit<ZohoSimulatorOptions, 'baseUrl' | 'addresses'> {
  timeoutMs?: number
  /** The data centres outside the United States have an address of their own. */
  hasCentres?: boolean
}

export async function openHarness(options: HarnessOptions = {}): Promise<Harness> {
  let time = Date.UTC(2026, 6, 1, 12)
  const now = () => new Date(time)
  const known = { elsewhere: '' }
  const addresses = options.hasCentres ? { addresses: () => ({ ca: known.elsewhere, eu: known.elsewhere }) } : {}
  const running: RunningSimulator<ZohoSimulator> = await serveSimulator(
    (given) => createZohoSimulator({ callsPerMinute: 1000, ...options, ...addresses, ...given, now, clients: { app: SECRET } }),
    options.stateFile === undefined ? {} : { stateFile: options.stateFile },
  )
  const { url, simulator } = running
  const second = options.hasCentres ? await serveSimulator(() => ({ ...simulator, close: async () => {} })) : null
  known.elsewhere = second?.url ?? url
  const egress = createEgress({ allowPrivate: true })
  const others = ELSEWHERE.flatMap((code) => [`accounts${code}`, `api${code}`]).map((name) => [name, known.elsewhere])
  const hosts = { accounts: url, api: url, ...Object.fromEntries(others) }
  const kit = createKit({ egress, app: { clientId: 'app', clientSecret: SECRET }, hosts, now, allowPrivate: true })
  const exchanges: Harness['exchanges'] = []
  const http: Kit['http'] = async (call) => {
    const response = await kit.http(options.timeoutMs === undefined ? call : { ...call, timeoutMs: options.timeoutMs })
    exchanges.push({ request: call, response })
    return response
  }
  return {
    simulator,
    url,
    elsewhere: known.elsewhere,
    kit: { ...kit, http },
    exchanges,
    moveTime: (ms) => {
      time += ms
    },
    close: async () => {
      await second?.close()
      await running.close()
      await egress.close()
    },
  }
}

/** Opens the consent page, answers it, and gives what comes back to the callback. */
export async function consent(harness: Harness, login = 'mei', decision = 'allow'): Promise<Record<string, string>> {
  const start = await redirectStep().start(harness.kit, {
    callbackUrl: CALLBACK,
    state: 'state-1',
    locale: 'en',
    webhookUrl: `${CALLBACK}/webhook`,
    companyId: 'company-1',
  })
  const page = `${start.url}&login=${login}`
  await (await request(page)).body.dump()
  const answer = await request(page, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ decision }).toString(),
  })
  await answer.body.dump()
  const back = new URL(String(answer.headers.location))
  if (`${back.origin}${back.pathname}` !== CALLBACK) throw new Error(`sent to ${back.pathname}`)
  return Object.fromEntries(back.searchParams)
}

export function complete(harness: Harness, query: Record<string, string>): Promise<Grant[]> {
  return redirectStep().complete(harness.kit, { callbackUrl: CALLBACK, query, memo: null })
}

/** The grant that the owner picks of those that the sign-in gave. */
export async function connect(harness: Harness, organizationId: string, login?: string): Promise<Grant> {
  const grants = await complete(harness, await consent(harness, login))
  const grant = grants.find(({ entity }) => entity.id === organizationId)
  if (!grant) throw new Error(`no grant for ${organizationId}`)
  return grant
}

export function redirectStep() {
  if (zohoConnector.authorize.step !== 'redirect') throw new Error('Zoho connects by redirect')
  return zohoConnector.authorize
}

export function refresh(harness: Harness, credentials: Credentials): Promise<Credentials> {
  if (!zohoConnector.refreshCredentials) throw new Error('Zoho tokens expire')
  return zohoConnector.refreshCredentials(harness.kit, credentials)
}

export function pullNamed(name: string): Pull {
  const pull = zohoConnector.pulls.find((each) => each.name === name)
  if (!pull) throw new Error(`no pull ${name}`)
  return pull
}

/** Every page of a pull; `between` runs after each page but the last. */
export async function listPages(
  session: Session,
  pull: Pull,
  from: Json | null = null,
  between: (page: number) => void = () => {},
): Promise<Page[]> {
  const pages: Page[] = []
  let cursor = from
  do {
    const page: Page = await pull.fetch(session, cursor)
    pages.push(page)
    cursor = page.next
    if (cursor !== null) between(pages.length)
  } while (cursor !== null)
  return pages
}

export function listItems(pages: readonly Page[], pull: Pull): SourceItem[] {
  return pages.flatMap(({ answers }) => [...pull.read(answers)])
}

export function idsOf(items: readonly SourceItem[]): string[] {
  return items.map((item) => item.origId ?? '')
}
