import { request } from 'undici'
import {
  createQuickbooksSimulator,
  type QuickbooksSimulator,
  type QuickbooksSimulatorOptions,
} from '../../../simulators/quickbooks/index.ts'
import { type RunningSimulator, serveSimulator } from '../../../simulators/simulator.ts'
import type { Answers, Credentials, Grant, Kit, Pull } from '../../../src/connectors/contract/contract.ts'
import { quickbooksConnector } from '../../../src/connectors/quickbooks/client.ts'
import { createKit } from '../../../src/connectors/toolkit/kit.ts'
import { createEgress } from '../../../src/egress/egress.ts'

export const BAKERY = '4620816365200000101'
export const BUILDER = '4620816365200000202'
export const GIANT = '9999'
export const CALLBACK = 'http://127.0.0.1:1/callback'
export const SECRET = 'app-secret-canary-4711'

/** The connector's kit, its simulator, and the owner's browser between them. Time stands still unless it is moved. */
export interface Harness {
  simulator: QuickbooksSimulator
  url: string
  kit: Kit
  moveTime(ms: number): void
  close(): Promise<void>
}

export async function openHarness(options: Omit<QuickbooksSimulatorOptions, 'baseUrl'> & { timeoutMs?: number } = {}): Promise<Harness> {
  let time = Date.UTC(2026, 6, 1, 12)
  const now = () => new Date(time)
  const running: RunningSimulator<QuickbooksSimulator> = await serveSimulator(
    (given) => createQuickbooksSimulator({ ...options, ...given, now, clients: { app: SECRET } }),
    options.stateFile === undefined ? {} : { stateFile: options.stateFile },
  )
  const egress = createEgress({ allowPrivate: true })
  const { url, simulator } = running
  const hosts = { authorize: url, token: url, revoke: url, api: url }
  const kit = createKit({ egress, app: { clientId: 'app', clientSecret: SECRET }, hosts, now, allowPrivate: true })
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

/** Opens the consent page, answers it, and gives the query that comes back to the callback. */
export async function consent(harness: Harness, realmId: string, decision = 'connect', login = 'marie'): Promise<Record<string, string>> {
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
    body: new URLSearchParams({ realmId, decision }).toString(),
  })
  await answer.body.dump()
  const back = new URL(String(answer.headers.location))
  if (`${back.origin}${back.pathname}` !== CALLBACK) throw new Error(`sent to ${back.pathname}`)
  return Object.fromEntries(back.searchParams)
}

export async function connect(harness: Harness, realmId: string, login?: string): Promise<Grant> {
  const query = await consent(harness, realmId, 'connect', login)
  const [grant] = await redirectStep().complete(harness.kit, { callbackUrl: CALLBACK, query, memo: null })
  if (!grant) throw new Error('no grant')
  return grant
}

export function redirectStep() {
  if (quickbooksConnector.authorize.step !== 'redirect') throw new Error('QuickBooks connects by redirect')
  return quickbooksConnector.authorize
}

export function refresh(harness: Harness, credentials: Credentials): Promise<Credentials> {
  if (!quickbooksConnector.refreshCredentials) throw new Error('QuickBooks tokens expire')
  return quickbooksConnector.refreshCredentials(harness.kit, credentials)
}

export function pullNamed(name: string): Pull {
  const pull = quickbooksConnector.pulls.find((each) => each.name === name)
  if (!pull) throw new Error(`no pull ${name}`)
  return pull
}

export function listIds(pages: Answers[], pull: Pull): string[] {
  return pages.flatMap((answers) => [...pull.read(answers)].map((item) => item.origId ?? ''))
}
