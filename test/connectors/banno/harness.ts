import { request } from 'undici'
import { type BannoSimulator, type BannoSimulatorOptions, createBannoSimulator } from '../../../simulators/banno/index.ts'
import { type RunningSimulator, serveSimulator } from '../../../simulators/simulator.ts'
import { bannoConnector } from '../../../src/connectors/banno/client.ts'
import type { Credentials, Grant, HttpRequest, HttpResponse, Kit } from '../../../src/connectors/contract/contract.ts'
import { createKit } from '../../../src/connectors/toolkit/kit.ts'
import { createEgress } from '../../../src/egress/egress.ts'
import type { Json } from '../../../src/model/values/json.ts'

export const CALLBACK = 'http://127.0.0.1:1/connect/callback'
export const SECRET = 'app-secret-canary-7702'

/** The connector's kit, its simulator, and the owner's browser between them. Time stands still unless it is moved. */
export interface Harness {
  simulator: BannoSimulator
  url: string
  kit: Kit
  exchanges: { request: HttpRequest; response: HttpResponse }[]
  moveTime(ms: number): void
  close(): Promise<void>
}

export async function openHarness(options: Omit<BannoSimulatorOptions, 'baseUrl'> = {}): Promise<Harness> {
  let time = Date.UTC(2026, 6, 1, 12)
  const now = () => new Date(time)
  const running: RunningSimulator<BannoSimulator> = await serveSimulator((given) =>
    createBannoSimulator({ ...options, ...given, now, clients: { app: SECRET } }),
  )
  const egress = createEgress({ allowPrivate: true })
  const { url, simulator } = running
  const kit = createKit({ egress, app: { clientId: 'app', clientSecret: SECRET }, hosts: { bank: url }, now, allowPrivate: true })
  const exchanges: Harness['exchanges'] = []
  return {
    simulator,
    url,
    kit: {
      ...kit,
      http: async (call) => {
        const response = await kit.http(call)
        exchanges.push({ request: call, response })
        return response
      },
    },
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

export function redirectStep() {
  if (bannoConnector.authorize.step !== 'redirect') throw new Error('Banno connects by redirect')
  return bannoConnector.authorize
}

/** What comes back to the callback, and the memo of the start. */
export interface Consent {
  query: Record<string, string>
  memo: Json
}

export async function consent(harness: Harness, login = 'maren', decision = 'allow'): Promise<Consent> {
  const start = await redirectStep().start(harness.kit, {
    callbackUrl: CALLBACK,
    state: 'state-1',
    locale: 'fr-CA',
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

export function complete(harness: Harness, { query, memo }: Consent): Promise<Grant[]> {
  return redirectStep().complete(harness.kit, { callbackUrl: CALLBACK, query, memo })
}

export async function connect(harness: Harness, login?: string): Promise<Grant> {
  const [grant] = await complete(harness, await consent(harness, login))
  if (!grant) throw new Error('no grant')
  return grant
}

export function refresh(harness: Harness, credentials: Credentials): Promise<Credentials> {
  if (!bannoConnector.refreshCredentials) throw new Error('these tokens expire')
  return bannoConnector.refreshCredentials(harness.kit, credentials)
}
