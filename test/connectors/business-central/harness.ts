import { request } from 'undici'
import {
  type BusinessCentralSimulator,
  type BusinessCentralSimulatorOptions,
  createBusinessCentralSimulator,
} from '../../../simulators/business-central/index.ts'
import { type RunningSimulator, serveSimulator } from '../../../simulators/simulator.ts'
import { businessCentralConnector } from '../../../src/connectors/business-central/client.ts'
import type { Answers, Credentials, Grant, HttpRequest, Kit, Page, Pull, Session } from '../../../src/connectors/contract/contract.ts'
import { createKit } from '../../../src/connectors/toolkit/kit.ts'
import { createEgress } from '../../../src/egress/egress.ts'
import type { Json } from '../../../src/model/values/json.ts'

export const DENTAL = 'b0a7c0de-0001-4ee1-8f6e-6045bd9dec5b'
export const ERABLE = 'b0a7c0de-0002-4ee1-8f6e-6045bd9dec5b'
export const NORDLYS = 'b0a7c0de-0003-4ee1-8f6e-6045bd9dec5b'
export const CALLBACK = 'http://127.0.0.1:1/callback'
export const SECRET = 'app-secret-canary-4711'

/** The connector's kit, its simulator, and the owner's browser between them. Time stands still unless it is moved. */
export interface Harness {
  simulator: BusinessCentralSimulator
  url: string
  kit: Kit
  /** What the connector asked, in order. */
  asked: HttpRequest[]
  moveTime(ms: number): void
  close(): Promise<void>
}

export async function openHarness(
  options: Omit<BusinessCentralSimulatorOptions, 'baseUrl'> & { timeoutMs?: number } = {},
): Promise<Harness> {
  let time = Date.UTC(2026, 6, 1, 12)
  const now = () => new Date(time)
  const running: RunningSimulator<BusinessCentralSimulator> = await serveSimulator((given) =>
    createBusinessCentralSimulator({ ...options, ...given, now, clients: { app: SECRET } }),
  )
  const egress = createEgress({ allowPrivate: true })
  const { url, simulator } = running
  const asked: HttpRequest[] = []
  const kit = createKit({
    egress,
    app: { clientId: 'app', clientSecret: SECRET },
    hosts: { login: url, api: url },
    now,
    allowPrivate: true,
  })
  const { timeoutMs } = options
  return {
    simulator,
    url,
    asked,
    kit: {
      ...kit,
      http: (call) => {
        asked.push(call)
        return kit.http(timeoutMs === undefined ? call : { ...call, timeoutMs })
      },
    },
    moveTime: (ms) => {
      time += ms
    },
    close: async () => {
      await running.close()
      await egress.close()
    },
  }
}

export interface Consent {
  query: Record<string, string>
  memo: Json
}

/** Opens the consent page, answers it, and gives what comes back to the callback. */
export async function consent(harness: Harness, login = 'erin', decision = 'connect'): Promise<Consent> {
  const start = await redirectStep().start(harness.kit, {
    callbackUrl: CALLBACK,
    state: 'state-1',
    locale: 'en',
    webhookUrl: `${CALLBACK}/webhook`,
    companyId: 'company-1',
  })
  const page = `${start.url}&login=${login}`
  await (await request(page)).body.dump()
  const answer = await request(page, { method: 'POST', body: new URLSearchParams({ decision }).toString() })
  await answer.body.dump()
  const back = new URL(String(answer.headers.location))
  if (`${back.origin}${back.pathname}` !== CALLBACK) throw new Error(`sent to ${back.pathname}`)
  return { query: Object.fromEntries(back.searchParams), memo: start.memo ?? null }
}

export function complete(harness: Harness, { query, memo }: Consent, reconnect?: Credentials): Promise<Grant[]> {
  return redirectStep().complete(harness.kit, { callbackUrl: CALLBACK, query, memo, ...(reconnect ? { reconnect } : {}) })
}

/** The grant for a company; the first one of the sign-in when none is named. */
export async function connect(harness: Harness, login?: string, companyId?: string): Promise<Grant> {
  const grants = await complete(harness, await consent(harness, login))
  const grant = grants.find(({ entity }) => companyId === undefined || entity.id === companyId)
  if (!grant) throw new Error('no grant')
  return grant
}

export function redirectStep() {
  if (businessCentralConnector.authorize.step !== 'redirect') throw new Error('Business Central connects by redirect')
  return businessCentralConnector.authorize
}

export function refresh(harness: Harness, credentials: Credentials): Promise<Credentials> {
  if (!businessCentralConnector.refreshCredentials) throw new Error('Entra tokens expire')
  return businessCentralConnector.refreshCredentials(harness.kit, credentials)
}

export function pullNamed(name: string): Pull {
  const pull = businessCentralConnector.pulls.find((each) => each.name === name)
  if (!pull) throw new Error(`no pull ${name}`)
  return pull
}

/** What one run fetched. */
export interface Run {
  pages: Answers[]
  last: Page
}

/** Every page of a run; pages without answers are not kept, as in the engine. `between` runs after each page but the last. */
export async function runPull(session: Session, pull: Pull, resume: Json | null = null, between: () => void = () => {}): Promise<Run> {
  const pages: Answers[] = []
  let cursor = resume
  for (;;) {
    const page = await pull.fetch(session, cursor)
    if (Object.keys(page.answers).length > 0) pages.push(page.answers)
    if (page.next === null) return { pages, last: page }
    // A cursor is stored as JSON between two pages.
    cursor = JSON.parse(JSON.stringify(page.next))
    between()
  }
}

export function itemsOf(run: Run, pull: Pull) {
  return run.pages.flatMap((answers) => [...pull.read(answers)])
}
