import { request } from 'undici'
import { type RunningSimulator, serveSimulator } from '../../../simulators/simulator.ts'
import { createXeroSimulator, type XeroSimulator, type XeroSimulatorOptions } from '../../../simulators/xero/index.ts'
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
import { xeroConnector } from '../../../src/connectors/xero/client.ts'
import { createEgress } from '../../../src/egress/egress.ts'
import type { Json } from '../../../src/model/values/json.ts'

export const DENTIST = 'b0de4d4b-5f6a-4c71-9a3e-000000000101'
export const PHYSIO = 'b0de4d4b-5f6a-4c71-9a3e-000000000202'
export const GIANT = 'b0de4d4b-5f6a-4c71-9a3e-000000009999'
export const CALLBACK = 'http://127.0.0.1:1/callback'
export const SECRET = 'app-secret-canary-4711'

/** The connector's kit, its simulator, and the owner's browser between them. Time stands still unless it is moved. */
export interface Harness {
  simulator: XeroSimulator
  url: string
  kit: Kit
  /** Every call of the connector with its answer. */
  exchanges: { request: HttpRequest; response: HttpResponse }[]
  moveTime(ms: number): void
  close(): Promise<void>
}

export interface HarnessOptions extends Omit<XeroSimulatorOptions, 'baseUrl'> {
  timeoutMs?: number
  /** Whether the operator says that the app has the journals; `yes` when left out. */
  journals?: 'yes' | 'no'
}

export async function openHarness(options: HarnessOptions = {}): Promise<Harness> {
  let time = Date.UTC(2026, 6, 1, 12)
  const now = () => new Date(time)
  const running: RunningSimulator<XeroSimulator> = await serveSimulator(
    (given) => createXeroSimulator({ ...options, ...given, now, clients: { app: SECRET } }),
    options.stateFile === undefined ? {} : { stateFile: options.stateFile },
  )
  const egress = createEgress({ allowPrivate: true })
  const { url, simulator } = running
  const app = { clientId: 'app', clientSecret: SECRET, journals: options.journals ?? 'yes' }
  const kit = createKit({ egress, app, hosts: { authorize: url, token: url, api: url }, now, allowPrivate: true })
  const exchanges: Harness['exchanges'] = []
  const http: Kit['http'] = async (call) => {
    const response = await kit.http(options.timeoutMs === undefined ? call : { ...call, timeoutMs: options.timeoutMs })
    exchanges.push({ request: call, response })
    return response
  }
  return {
    simulator,
    url,
    kit: { ...kit, http },
    exchanges,
    moveTime: (ms) => {
      time += ms
    },
    close: async () => {
      await running.close()
      await egress.close()
    },
  }
}

/** What comes back to the callback, and the memo of the start. */
export interface Consent {
  query: Record<string, string>
  memo: Json
}

/** Opens the consent page, answers it, and gives what comes back to the callback. */
export async function consent(harness: Harness, tenantId: string, decision = 'allow', login = 'priya'): Promise<Consent> {
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
    body: new URLSearchParams({ businessId: tenantId, decision }).toString(),
  })
  await answer.body.dump()
  const back = new URL(String(answer.headers.location))
  if (`${back.origin}${back.pathname}` !== CALLBACK) throw new Error(`sent to ${back.pathname}`)
  return { query: Object.fromEntries(back.searchParams), memo: start.memo ?? null }
}

export function complete(harness: Harness, { query, memo }: Consent): Promise<Grant[]> {
  return redirectStep().complete(harness.kit, { callbackUrl: CALLBACK, query, memo })
}

export async function connect(harness: Harness, tenantId: string, login?: string): Promise<Grant> {
  const [grant, ...others] = await complete(harness, await consent(harness, tenantId, 'allow', login))
  if (!grant || others.length > 0) throw new Error(`${others.length + (grant ? 1 : 0)} grants`)
  return grant
}

export function redirectStep() {
  if (xeroConnector.authorize.step !== 'redirect') throw new Error('Xero connects by redirect')
  return xeroConnector.authorize
}

export function refresh(harness: Harness, credentials: Credentials): Promise<Credentials> {
  if (!xeroConnector.refreshCredentials) throw new Error('Xero tokens expire')
  return xeroConnector.refreshCredentials(harness.kit, credentials)
}

export function pullNamed(name: string): Pull {
  const pull = xeroConnector.pulls.find((each) => each.name === name)
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
