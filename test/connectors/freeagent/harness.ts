import { request } from 'undici'
import { createFreeagentSimulator, type FreeagentSimulator, type FreeagentSimulatorOptions } from '../../../simulators/freeagent/index.ts'
import { type RunningSimulator, serveSimulator } from '../../../simulators/simulator.ts'
import type { Answers, Credentials, Grant, Kit, Pull, Session } from '../../../src/connectors/contract/contract.ts'
import { freeagentConnector } from '../../../src/connectors/freeagent/client.ts'
import { createKit } from '../../../src/connectors/toolkit/kit.ts'
import { createEgress } from '../../../src/egress/egress.ts'
import type { Json } from '../../../src/model/values/json.ts'

export const DESIGNER = '71001'
export const JOINER = '71002'
export const CALLBACK = 'http://127.0.0.1:1/callback'
export const SECRET = 'app-secret-canary-4711'

/** The connector's kit, its simulator, and the owner's browser between them. Time stands still unless it is moved. */
export interface Harness {
  simulator: FreeagentSimulator
  url: string
  kit: Kit
  moveTime(ms: number): void
  close(): Promise<void>
}

export async function openHarness(options: Omit<FreeagentSimulatorOptions, 'baseUrl'> & { timeoutMs?: number } = {}): Promise<Harness> {
  let time = Date.UTC(2026, 6, 1, 12)
  const now = () => new Date(time)
  const running: RunningSimulator<FreeagentSimulator> = await serveSimulator(
    (given) => createFreeagentSimulator({ ...options, ...given, now, clients: { app: SECRET } }),
    options.stateFile === undefined ? {} : { stateFile: options.stateFile },
  )
  const egress = createEgress({ allowPrivate: true })
  const { url, simulator } = running
  const kit = createKit({
    egress,
    app: { clientId: 'app', clientSecret: SECRET },
    hosts: { api: url },
    now,
    allowPrivate: true,
  })
  return {
    simulator,
    url,
    kit: options.timeoutMs === undefined ? kit : { ...kit, http: (call) => kit.http({ ...call, timeoutMs: options.timeoutMs ?? 0 }) },
    moveTime: (ms) => {
      time += ms
    },
    close: async () => {
      await running.close()
      await egress.close()
    },
  }
}

export function start(harness: Harness) {
  return redirectStep().start(harness.kit, {
    callbackUrl: CALLBACK,
    state: 'state-1',
    locale: 'en',
    webhookUrl: `${CALLBACK}/webhook`,
    companyId: 'company-1',
  })
}

/** Opens the consent page, answers it, and gives the query that comes back to the callback. */
export async function consent(harness: Harness, login = 'fiona', decision = 'allow'): Promise<Record<string, string>> {
  const page = `${(await start(harness)).url}&login=${login}`
  await (await request(page)).body.dump()
  const answer = await request(page, { method: 'POST', body: new URLSearchParams({ decision }).toString() })
  await answer.body.dump()
  const back = new URL(String(answer.headers.location))
  if (`${back.origin}${back.pathname}` !== CALLBACK) throw new Error(`sent to ${back.pathname}`)
  return Object.fromEntries(back.searchParams)
}

export function complete(harness: Harness, query: Record<string, string>): Promise<Grant[]> {
  return redirectStep().complete(harness.kit, { callbackUrl: CALLBACK, query, memo: null })
}

export async function connect(harness: Harness, login?: string): Promise<Grant> {
  const [grant] = await complete(harness, await consent(harness, login))
  if (!grant) throw new Error('no grant')
  return grant
}

export function redirectStep() {
  if (freeagentConnector.authorize.step !== 'redirect') throw new Error('FreeAgent connects by redirect')
  return freeagentConnector.authorize
}

export function refresh(harness: Harness, credentials: Credentials): Promise<Credentials> {
  if (!freeagentConnector.refreshCredentials) throw new Error('FreeAgent tokens expire')
  return freeagentConnector.refreshCredentials(harness.kit, credentials)
}

export function pullNamed(name: string): Pull {
  const pull = freeagentConnector.pulls.find((each) => each.name === name)
  if (!pull) throw new Error(`no pull ${name}`)
  return pull
}

/** Every page of a pull; `between` runs after each page but the last. */
export async function listPages(session: Session, pull: Pull, between: (page: number) => void = () => {}): Promise<Answers[]> {
  const pages: Answers[] = []
  let cursor: Json | null = null
  do {
    const page = await pull.fetch(session, cursor)
    // The engine stores no page without answers.
    if (Object.keys(page.answers).length > 0) pages.push(page.answers)
    cursor = page.next
    if (cursor !== null) between(pages.length)
  } while (cursor !== null)
  return pages
}

export async function listItems(session: Session, pull: Pull) {
  return (await listPages(session, pull)).flatMap((answers) => [...pull.read(answers)])
}
