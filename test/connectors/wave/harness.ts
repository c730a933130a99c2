import { request } from 'undici'
import { type RunningSimulator, serveSimulator } from '../../../simulators/simulator.ts'
import { createWaveSimulator, type WaveSimulator, type WaveSimulatorOptions } from '../../../simulators/wave/index.ts'
import type { Answers, Credentials, Grant, Kit, Pull, Session } from '../../../src/connectors/contract/contract.ts'
import { createKit } from '../../../src/connectors/toolkit/kit.ts'
import { waveConnector } from '../../../src/connectors/wave/client.ts'
import { createEgress } from '../../../src/egress/egress.ts'
import type { Json } from '../../../src/model/values/json.ts'

export const SHOP = toId('3f6c1d52-0001-4000-8000-000000000001')
export const DENTIST = toId('3f6c1d52-0002-4000-8000-000000000002')
export const GIANT = toId('3f6c1d52-0009-4000-8000-000000000009')
export const CALLBACK = 'http://127.0.0.1:1/callback'
export const SECRET = 'app-secret-canary-4711'

function toId(uuid: string): string {
  return Buffer.from(`Business:${uuid}`).toString('base64')
}

/** The connector's kit, its simulator, and the owner's browser between them. Time stands still unless it is moved. */
export interface Harness {
  simulator: WaveSimulator
  url: string
  kit: Kit
  moveTime(ms: number): void
  close(): Promise<void>
}

export async function openHarness(options: Omit<WaveSimulatorOptions, 'baseUrl'> & { timeoutMs?: number } = {}): Promise<Harness> {
  let time = Date.UTC(2026, 6, 1, 12)
  const now = () => new Date(time)
  const running: RunningSimulator<WaveSimulator> = await serveSimulator(
    (given) => createWaveSimulator({ ...options, ...given, now, clients: { app: SECRET } }),
    options.stateFile === undefined ? {} : { stateFile: options.stateFile },
  )
  const egress = createEgress({ allowPrivate: true })
  const { url, simulator } = running
  const kit = createKit({
    egress,
    app: { clientId: 'app', clientSecret: SECRET },
    hosts: { oauth: url, api: url },
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

export interface ConsentChoice {
  login?: string
  businessId?: string
  decision?: string
  reconnect?: Credentials
}

export function start(harness: Harness, reconnect?: Credentials) {
  return redirectStep().start(harness.kit, {
    callbackUrl: CALLBACK,
    state: 'state-1',
    locale: 'en',
    webhookUrl: `${CALLBACK}/webhook`,
    companyId: 'company-1',
    ...(reconnect ? { reconnect } : {}),
  })
}

/** Opens the consent page, answers it, and gives what comes back to the callback. */
export async function consent(harness: Harness, visit: ConsentChoice = {}): Promise<Consent> {
  const begun = await start(harness, visit.reconnect)
  const page = `${begun.url}&login=${visit.login ?? 'elodie'}`
  await (await request(page)).body.dump()
  const form = new URLSearchParams({ decision: visit.decision ?? 'allow', businessId: visit.businessId ?? SHOP })
  const answer = await request(page, { method: 'POST', body: form.toString() })
  await answer.body.dump()
  const back = new URL(String(answer.headers.location))
  if (`${back.origin}${back.pathname}` !== CALLBACK) throw new Error(`sent to ${back.pathname}`)
  return { query: Object.fromEntries(back.searchParams), memo: begun.memo ?? null }
}

export function complete(harness: Harness, { query, memo }: Consent, reconnect?: Credentials): Promise<Grant[]> {
  return redirectStep().complete(harness.kit, { callbackUrl: CALLBACK, query, memo, ...(reconnect ? { reconnect } : {}) })
}

/** The first grant of a sign-in. */
export async function connect(harness: Harness, visit: ConsentChoice = {}): Promise<Grant> {
  const [grant] = await complete(harness, await consent(harness, visit))
  if (!grant) throw new Error('no grant')
  return grant
}

export function redirectStep() {
  if (waveConnector.authorize.step !== 'redirect') throw new Error('Wave connects by redirect')
  return waveConnector.authorize
}

export function refresh(harness: Harness, credentials: Credentials): Promise<Credentials> {
  if (!waveConnector.refreshCredentials) throw new Error('Wave tokens expire')
  return waveConnector.refreshCredentials(harness.kit, credentials)
}

export function accountsPull(): Pull {
  const [pull] = waveConnector.pulls
  if (!pull) throw new Error('no pull of accounts')
  return pull
}

/** Every page of the accounts; `between` runs after each page but the last. */
export async function listPages(session: Session, between: (page: number) => void = () => {}): Promise<Answers[]> {
  const pages: Answers[] = []
  let cursor: Json | null = null
  do {
    const page = await accountsPull().fetch(session, cursor)
    pages.push(page.answers)
    cursor = page.next
    if (cursor !== null) between(pages.length)
  } while (cursor !== null)
  return pages
}

export function itemsOf(pages: Answers[]) {
  return pages.flatMap((answers) => [...accountsPull().read(answers)])
}
