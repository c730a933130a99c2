import { request } from 'undici'
import {
  createFreshbooksSimulator,
  type FreshbooksSimulator,
  type FreshbooksSimulatorOptions,
} from '../../../simulators/freshbooks/index.ts'
import { type RunningSimulator, serveSimulator } from '../../../simulators/simulator.ts'
import type { Credentials, Grant, Kit, Pull } from '../../../src/connectors/contract/contract.ts'
import { freshbooksConnector } from '../../../src/connectors/freshbooks/client.ts'
import { createKit } from '../../../src/connectors/toolkit/kit.ts'
import { createEgress } from '../../../src/egress/egress.ts'
import type { Json } from '../../../src/model/values/json.ts'

export const BUILDER = '00000001-0000-4000-8000-000000000000'
export const STUDIO = '00000002-0000-4000-8000-000000000000'
export const GIANT = '00000009-0000-4000-8000-000000000000'
export const CALLBACK = 'http://127.0.0.1:1/callback'
export const SECRET = 'app-secret-canary-4711'

/** The connector's kit, its simulator, and the owner's browser between them. Time stands still unless it is moved. */
export interface Harness {
  simulator: FreshbooksSimulator
  url: string
  kit: Kit
  moveTime(ms: number): void
  close(): Promise<void>
}

export async function openHarness(options: Omit<FreshbooksSimulatorOptions, 'baseUrl'> & { timeoutMs?: number } = {}): Promise<Harness> {
  let time = Date.UTC(2026, 6, 1, 12)
  const now = () => new Date(time)
  const running: RunningSimulator<FreshbooksSimulator> = await serveSimulator((given) =>
    createFreshbooksSimulator({ ...options, ...given, now, clients: { app: SECRET } }),
  )
  const egress = createEgress({ allowPrivate: true })
  const { url, simulator } = running
  const kit = createKit({
    egress,
    app: { clientId: 'app', clientSecret: SECRET },
    hosts: { authorize: url, api: url },
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

export interface Consent {
  query: Record<string, string>
  memo: Json
}

/** Opens the consent page, answers it, and gives what comes back to the callback. */
export async function consent(harness: Harness, login = 'grace', decision = 'connect'): Promise<Consent> {
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

/** The first grant of a sign-in. */
export async function connect(harness: Harness, login?: string): Promise<Grant> {
  const [grant] = await complete(harness, await consent(harness, login))
  if (!grant) throw new Error('no grant')
  return grant
}

export function redirectStep() {
  if (freshbooksConnector.authorize.step !== 'redirect') throw new Error('FreshBooks connects by redirect')
  return freshbooksConnector.authorize
}

export function refresh(harness: Harness, credentials: Credentials): Promise<Credentials> {
  if (!freshbooksConnector.refreshCredentials) throw new Error('FreshBooks tokens expire')
  return freshbooksConnector.refreshCredentials(harness.kit, credentials)
}

export function accountsPull(): Pull {
  const [pull] = freshbooksConnector.pulls
  if (!pull) throw new Error('no pull of accounts')
  return pull
}
