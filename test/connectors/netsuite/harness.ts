import { request } from 'undici'
import { createNetsuiteSimulator, type NetsuiteSimulator, type NetsuiteSimulatorOptions } from '../../../simulators/netsuite/index.ts'
import { type RunningSimulator, serveSimulator } from '../../../simulators/simulator.ts'
import type { Answers, Credentials, Grant, Kit, Page, Pull, Session } from '../../../src/connectors/contract/contract.ts'
import { netsuiteConnector } from '../../../src/connectors/netsuite/client.ts'
import { createKit } from '../../../src/connectors/toolkit/kit.ts'
import { createEgress } from '../../../src/egress/egress.ts'
import type { Json } from '../../../src/model/values/json.ts'

export const CASCADE = '7654321'
export const RIDEAU = '2468013'
export const GIANT = '9999999'
export const CALLBACK = 'http://127.0.0.1:1/callback'
export const STATE = 'state-of-at-least-22-letters'
export const SECRET = 'app-secret-canary-4711'

/** The connector's kit, its simulator, and the owner's browser between them. Time stands still unless it is moved. */
export interface Harness {
  simulator: NetsuiteSimulator
  url: string
  kit: Kit
  moveTime(ms: number): void
  close(): Promise<void>
}

export interface HarnessOptions extends Omit<NetsuiteSimulatorOptions, 'baseUrl'> {
  timeoutMs?: number
  /** Whether the operator's integration record is one with a secret; a public client when left out. */
  hasSecret?: boolean
}

export async function openHarness(options: HarnessOptions = {}): Promise<Harness> {
  let time = Date.UTC(2026, 6, 1, 12)
  const now = () => new Date(time)
  const clients = { app: null, confidential: SECRET }
  const running: RunningSimulator<NetsuiteSimulator> = await serveSimulator((given) =>
    createNetsuiteSimulator({ ...options, ...given, now, clients }),
  )
  const egress = createEgress({ allowPrivate: true })
  const { url, simulator } = running
  const app: Record<string, string> = options.hasSecret ? { clientId: 'confidential', clientSecret: SECRET } : { clientId: 'app' }
  const kit = createKit({ egress, app, hosts: { authorize: url, accountLogin: url, account: url }, now, allowPrivate: true })
  const { timeoutMs } = options
  return {
    simulator,
    url,
    kit: timeoutMs === undefined ? kit : { ...kit, http: (call) => kit.http({ ...call, timeoutMs }) },
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
export async function consent(harness: Harness, login = 'harper', role = '7654321/reader', decision = 'connect'): Promise<Consent> {
  const start = await redirectStep().start(harness.kit, {
    callbackUrl: CALLBACK,
    state: STATE,
    locale: 'en',
    webhookUrl: `${CALLBACK}/webhook`,
    companyId: 'company-1',
  })
  const page = `${start.url}&login=${login}`
  await (await request(page)).body.dump()
  const answer = await request(page, { method: 'POST', body: new URLSearchParams({ role, decision }).toString() })
  await answer.body.dump()
  const back = new URL(String(answer.headers.location))
  if (`${back.origin}${back.pathname}` !== CALLBACK) throw new Error(`sent to ${back.pathname}`)
  return { query: Object.fromEntries(back.searchParams), memo: start.memo ?? null }
}

export function complete(harness: Harness, { query, memo }: Consent): Promise<Grant[]> {
  return redirectStep().complete(harness.kit, { callbackUrl: CALLBACK, query, memo })
}

export async function connect(harness: Harness, login?: string, role?: string): Promise<Grant> {
  const [grant] = await complete(harness, await consent(harness, login, role))
  if (!grant) throw new Error('no grant')
  return grant
}

export function redirectStep() {
  if (netsuiteConnector.authorize.step !== 'redirect') throw new Error('NetSuite connects by redirect')
  return netsuiteConnector.authorize
}

export function refresh(harness: Harness, credentials: Credentials): Promise<Credentials> {
  if (!netsuiteConnector.refreshCredentials) throw new Error('NetSuite tokens expire')
  return netsuiteConnector.refreshCredentials(harness.kit, credentials)
}

export function pullNamed(name: string): Pull {
  const pull = netsuiteConnector.pulls.find((each) => each.name === name)
  if (!pull) throw new Error(`no pull ${name}`)
  return pull
}

/** What one run fetched. */
export interface Run {
  pages: Answers[]
  last: Page
}

/** Every page of a run; pages without answers are not kept, as in the engine. `between` runs after each page but the last. */
export async function runPull(session: Session, pull: Pull, between: () => void = () => {}): Promise<Run> {
  const pages: Answers[] = []
  let cursor: Json | null = null
  for (;;) {
    const page: Page = await pull.fetch(session, cursor)
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
