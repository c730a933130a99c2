import { request } from 'undici'
import { createMyobSimulator, type MyobSimulator, type MyobSimulatorOptions } from '../../../simulators/myob/index.ts'
import { type RunningSimulator, serveSimulator } from '../../../simulators/simulator.ts'
import type { Answers, Credentials, Grant, Kit, Pull } from '../../../src/connectors/contract/contract.ts'
import { myobConnector } from '../../../src/connectors/myob/client.ts'
import { createKit } from '../../../src/connectors/toolkit/kit.ts'
import { createEgress } from '../../../src/egress/egress.ts'

export const BAKERY = '5a1e0001-77aa-4bbb-8ccc-000000000001'
export const BUILDER = '5a1e0002-77aa-4bbb-8ccc-000000000002'
export const GIANT = '5a1e0009-77aa-4bbb-8ccc-000000000009'
export const CALLBACK = 'http://127.0.0.1:1/callback'
export const SECRET = 'app-secret-canary-4711'

/** The connector's kit, its simulator, and the owner's browser between them. Time stands still unless it is moved. */
export interface Harness {
  simulator: MyobSimulator
  url: string
  kit: Kit
  moveTime(ms: number): void
  close(): Promise<void>
}

export async function openHarness(options: Omit<MyobSimulatorOptions, 'baseUrl'> & { timeoutMs?: number } = {}): Promise<Harness> {
  let time = Date.UTC(2026, 6, 1, 12)
  const now = () => new Date(time)
  const running: RunningSimulator<MyobSimulator> = await serveSimulator(
    (given) => createMyobSimulator({ callsPerSecond: 1000, ...options, ...given, now, clients: { app: SECRET } }),
    options.stateFile === undefined ? {} : { stateFile: options.stateFile },
  )
  const egress = createEgress({ allowPrivate: true })
  const { url, simulator } = running
  const kit = createKit({
    egress,
    app: { clientId: 'app', clientSecret: SECRET },
    hosts: { secure: url, api: url },
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

export interface ConsentChoice {
  login?: string
  businessId?: string
  decision?: string
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
export async function consent(harness: Harness, visit: ConsentChoice = {}): Promise<Record<string, string>> {
  const page = `${(await start(harness)).url}&login=${visit.login ?? 'zoe'}`
  await (await request(page)).body.dump()
  const form = new URLSearchParams({ decision: visit.decision ?? 'allow', businessId: visit.businessId ?? BAKERY })
  const answer = await request(page, { method: 'POST', body: form.toString() })
  await answer.body.dump()
  const back = new URL(String(answer.headers.location))
  if (`${back.origin}${back.pathname}` !== CALLBACK) throw new Error(`sent to ${back.pathname}`)
  return Object.fromEntries(back.searchParams)
}

export function complete(harness: Harness, query: Record<string, string>, reconnect?: Credentials): Promise<Grant[]> {
  return redirectStep().complete(harness.kit, { callbackUrl: CALLBACK, query, memo: null, ...(reconnect ? { reconnect } : {}) })
}

/** The first grant of a sign-in. */
export async function connect(harness: Harness, visit: ConsentChoice = {}): Promise<Grant> {
  const [grant] = await complete(harness, await consent(harness, visit))
  if (!grant) throw new Error('no grant')
  return grant
}

export function redirectStep() {
  if (myobConnector.authorize.step !== 'redirect') throw new Error('MYOB connects by redirect')
  return myobConnector.authorize
}

export function refresh(harness: Harness, credentials: Credentials): Promise<Credentials> {
  if (!myobConnector.refreshCredentials) throw new Error('MYOB tokens expire')
  return myobConnector.refreshCredentials(harness.kit, credentials)
}

export function pullNamed(name: string): Pull {
  const pull = myobConnector.pulls.find((each) => each.name === name)
  if (!pull) throw new Error(`no pull ${name}`)
  return pull
}

export function itemsOf(pages: Answers[], pull: Pull) {
  return pages.flatMap((answers) => [...pull.read(answers)])
}
