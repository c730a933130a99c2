import { serveSimulator } from '../../../simulators/simulator.ts'
import { CAISSE } from '../../../simulators/yodlee/data/institutions.ts'
import { createYodleeSimulator, type YodleeSimulator, type YodleeSimulatorOptions } from '../../../simulators/yodlee/index.ts'
import type { RedirectRequest, Widget } from '../../../src/connectors/contract/authorization.ts'
import type { Answers, Grant, Kit, Session, SourceItem } from '../../../src/connectors/contract/contract.ts'
import { createKit } from '../../../src/connectors/toolkit/kit.ts'
import { yodleeConnector } from '../../../src/connectors/yodlee/client.ts'
import { createEgress } from '../../../src/egress/egress.ts'
import type { Json } from '../../../src/model/values/json.ts'

export const CLIENT_ID = 'client-canary-7718'
export const SECRET = 'secret-canary-2264'
export const ADMIN = 'admin-canary-0093'
export const CALLBACK = 'http://127.0.0.1:1/connect/callback'
export const COMPANY = '8c1f6f0e-6f0b-4c58-9d4b-5b2f1c0d9a11'
const START = Date.UTC(2026, 10, 20, 15, 30)

/** Kit, simulator and the owner's browser. Time stands still unless it is moved. */
export interface Harness {
  simulator: YodleeSimulator
  url: string
  kit: Kit
  /** Moves the clock of both sides. */
  moveTime(ms: number): void
  close(): Promise<void>
}

export async function openHarness(options: Partial<YodleeSimulatorOptions> & { timeoutMs?: number } = {}): Promise<Harness> {
  let time = START
  const now = () => new Date(time)
  const keys = { clientId: CLIENT_ID, secret: SECRET }
  const { timeoutMs, stateFile, seed, ...rest } = options
  const served = { ...(seed === undefined ? {} : { seed }), ...(stateFile === undefined ? {} : { stateFile }) }
  const create = (given: YodleeSimulatorOptions) =>
    createYodleeSimulator({ keys, adminLoginName: ADMIN, institutionCount: 40, ...rest, ...given, now })
  const running = await serveSimulator(create, served)
  const egress = createEgress({ allowPrivate: true })
  const hosts = { api: running.url, fastlink: running.url, script: running.url }
  const kit = createKit({ egress, app: { ...keys, adminLoginName: ADMIN }, hosts, now, allowPrivate: true })
  return {
    simulator: running.simulator,
    url: running.url,
    kit: timeoutMs === undefined ? kit : { ...kit, http: (call) => kit.http({ ...call, timeoutMs }) },
    moveTime: (ms) => {
      time += ms
      running.simulator.moveClock(0)
    },
    close: async () => {
      await running.close()
      await egress.close()
    },
  }
}

export function widgetStep() {
  if (yodleeConnector.authorize.step !== 'widget') throw new Error('Yodlee connects by widget')
  return yodleeConnector.authorize
}

/** What a test may ask of a link; a bank of null is left to the owner. */
export type LinkOptions = Partial<Omit<RedirectRequest, 'institutionId'>> & { institutionId?: string | null }

export async function startLink(harness: Harness, wish: LinkOptions = {}): Promise<{ widget: Widget; memo: Json }> {
  const { institutionId = String(CAISSE), ...more } = wish
  const { widget, memo = null } = await widgetStep().start(harness.kit, {
    callbackUrl: CALLBACK,
    state: 'state-1',
    locale: 'en',
    webhookUrl: 'http://127.0.0.1:1/hooks/yodlee/secret',
    companyId: COMPANY,
    ...(institutionId === null ? {} : { institutionId }),
    ...more,
  })
  return { widget, memo }
}

export function completeLink(harness: Harness, memo: Json, query: Record<string, string> = {}, reconnect?: Grant): Promise<Grant[]> {
  const request = { callbackUrl: CALLBACK, query, memo }
  return widgetStep().complete(harness.kit, reconnect ? { ...request, reconnect: reconnect.credentials } : request)
}

/** Opens FastLink as its script does; gives the frame's page. */
export async function openFastLink({ params }: Widget): Promise<string> {
  const { url = '', token = '', ...more } = params
  const extra = new URLSearchParams(more)
  const form = new URLSearchParams({ accessToken: token, extraParams: extra.toString() })
  return await (await fetch(url, { method: 'POST', body: form })).text()
}

/** Posts a form of the frame's page. */
export async function submit(harness: Harness, html: string, fields: Record<string, string>): Promise<string> {
  const [, action] = /action="(\/fastlink\/[\w-]+)"/.exec(html) ?? []
  if (action === undefined) throw new Error('the page has no form')
  return await (await fetch(`${harness.url}${action}`, { method: 'POST', body: new URLSearchParams(fields) })).text()
}

export const GOOD_LOGIN = { username: 'elodie', password: 'site16441.1' }

/** The owner's way at a bank that was chosen before; gives the fields that the glue hands over. */
export async function walkFastLink(
  harness: Harness,
  widget: Widget,
  login: Record<string, string> = GOOD_LOGIN,
): Promise<Record<string, string>> {
  const done = await submit(harness, await openFastLink(widget), login)
  const [, id] = /"providerAccountId":(\d+)/.exec(done) ?? []
  return id === undefined ? {} : { providerAccountIds: id }
}

export async function link(harness: Harness, wish: LinkOptions = {}): Promise<Grant> {
  const { widget, memo } = await startLink(harness, wish)
  const [grant] = await completeLink(harness, memo, await walkFastLink(harness, widget))
  if (!grant) throw new Error('no grant')
  return grant
}

/** The provider account's number at Yodlee. */
export function idOf(grant: Grant): number {
  const { secret } = grant.credentials
  return typeof secret === 'object' && secret !== null && !Array.isArray(secret) ? Number(secret.providerAccountId) : Number.NaN
}

export interface Run {
  pages: Answers[]
  items: SourceItem[]
  resume: Json | null
  listing: string
}

/** One run of a pull, to its last page. */
export async function run(session: Session, name: string, from: Json | null = null): Promise<Run> {
  const pull = yodleeConnector.pulls.find((each) => each.name === name)
  if (!pull) throw new Error(`no pull ${name}`)
  const pages: Answers[] = []
  for (let cursor = from; ; ) {
    const page = await pull.fetch(session, cursor)
    pages.push(page.answers)
    cursor = page.next
    if (cursor !== null) continue
    return { pages, items: pages.flatMap((answers) => [...pull.read(answers)]), resume: page.resume ?? null, listing: page.listing }
  }
}
