import { request } from 'undici'
import { createSageSimulator, type SageSimulator, type SageSimulatorOptions } from '../../../simulators/sage/index.ts'
import { type RunningSimulator, serveSimulator } from '../../../simulators/simulator.ts'
import type { Answers, Credentials, Grant, HttpRequest, HttpResponse, Kit, Pull } from '../../../src/connectors/contract/contract.ts'
import { sageConnector } from '../../../src/connectors/sage/client.ts'
import { createKit } from '../../../src/connectors/toolkit/kit.ts'
import { createEgress } from '../../../src/egress/egress.ts'
import type { Json } from '../../../src/model/values/json.ts'

export const BAKERY = '0d40342d0287cd6b13555c54afca0001'
export const SHOP = '0d40342d0287cd6b13555c54afca0002'
export const GIANT = '0d40342d0287cd6b13555c54afca0009'
export const CALLBACK = 'http://127.0.0.1:1/callback'
export const SECRET = 'app-secret-canary-4711'

/** The connector's kit, its simulator, and the owner's browser between them. Time stands still unless it is moved. */
export interface Harness {
  simulator: SageSimulator
  url: string
  kit: Kit
  /** Every call of the connector with what was answered. */
  calls: { request: HttpRequest; response: HttpResponse }[]
  moveTime(ms: number): void
  close(): Promise<void>
}

export async function openHarness(options: Omit<SageSimulatorOptions, 'baseUrl'> & { timeoutMs?: number } = {}): Promise<Harness> {
  let time = Date.UTC(2026, 6, 1, 12)
  const now = () => new Date(time)
  const running: RunningSimulator<SageSimulator> = await serveSimulator((given) =>
    createSageSimulator({ ...options, ...given, now, clients: { app: SECRET } }),
  )
  const egress = createEgress({ allowPrivate: true })
  const { url, simulator } = running
  const hosts = { authorize: url, token: url, api: url }
  const kit = createKit({ egress, app: { clientId: 'app', clientSecret: SECRET }, hosts, now, allowPrivate: true })
  const calls: Harness['calls'] = []
  const http: Kit['http'] = async (call) => {
    const timed = options.timeoutMs === undefined ? call : { ...call, timeoutMs: options.timeoutMs }
    const response = await kit.http(timed)
    calls.push({ request: call, response })
    return response
  }
  return {
    simulator,
    url,
    kit: { ...kit, http },
    calls,
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
export async function consent(harness: Harness, login = 'lucie', decision = 'connect'): Promise<Consent> {
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
  if (sageConnector.authorize.step !== 'redirect') throw new Error('Sage connects by redirect')
  return sageConnector.authorize
}

export function refresh(harness: Harness, credentials: Credentials): Promise<Credentials> {
  if (!sageConnector.refreshCredentials) throw new Error('Sage tokens expire')
  return sageConnector.refreshCredentials(harness.kit, credentials)
}

export function pullNamed(name: string): Pull {
  const pull = sageConnector.pulls.find((each) => each.name === name)
  if (!pull) throw new Error(`no pull ${name}`)
  return pull
}

export function listIds(pages: Answers[], pull: Pull): string[] {
  return pages.flatMap((answers) => [...pull.read(answers)].map((item) => item.origId ?? ''))
}
