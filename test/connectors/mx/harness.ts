import { CAISSE } from '../../../simulators/mx/data/institutions.ts'
import { createMxSimulator, type MxSimulator, type MxSimulatorOptions } from '../../../simulators/mx/index.ts'
import { serveSimulator } from '../../../simulators/simulator.ts'
import type { RedirectRequest, Widget } from '../../../src/connectors/contract/authorization.ts'
import type { Answers, Grant, Kit, Session, SourceItem } from '../../../src/connectors/contract/contract.ts'
import { mxConnector } from '../../../src/connectors/mx/client.ts'
import { createKit } from '../../../src/connectors/toolkit/kit.ts'
import { createEgress } from '../../../src/egress/egress.ts'
import type { Json } from '../../../src/model/values/json.ts'

export const CLIENT_ID = 'client-canary-5521'
export const API_KEY = 'apikey-canary-9034'
export const CALLBACK = 'http://127.0.0.1:1/connect/callback'
export const COMPANY = '3e8d4a6e-9f5c-4b3a-8f43-1d2c3b4a5968'
const START = Date.UTC(2026, 10, 20, 15, 30)

/** Kit, simulator and the owner's browser. Time stands still unless it is moved. */
export interface Harness {
  simulator: MxSimulator
  url: string
  kit: Kit
  /** Moves the clock of both sides. */
  moveTime(ms: number): void
  close(): Promise<void>
}

export async function openHarness(options: Partial<MxSimulatorOptions> & { timeoutMs?: number } = {}): Promise<Harness> {
  let time = START
  const now = () => new Date(time)
  const keys = { clientId: CLIENT_ID, apiKey: API_KEY }
  const { timeoutMs, stateFile, seed, ...rest } = options
  const served = { ...(seed === undefined ? {} : { seed }), ...(stateFile === undefined ? {} : { stateFile }) }
  const running = await serveSimulator((given) => createMxSimulator({ keys, institutionCount: 40, ...rest, ...given, now }), served)
  const egress = createEgress({ allowPrivate: true })
  const kit = createKit({ egress, app: keys, hosts: { api: running.url }, now, allowPrivate: true })
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
  if (mxConnector.authorize.step !== 'widget') throw new Error('MX connects by widget')
  return mxConnector.authorize
}

/** What a test may ask of a link; a bank of null is left to the owner. */
export type LinkOptions = Partial<Omit<RedirectRequest, 'institutionId'>> & { institutionId?: string | null }

export interface Begun {
  widget: Widget
  memo: Json
  match: string
}

export async function startLink(harness: Harness, wish: LinkOptions = {}): Promise<Begun> {
  const { institutionId = CAISSE, ...more } = wish
  const {
    widget,
    memo = null,
    match = '',
  } = await widgetStep().start(harness.kit, {
    callbackUrl: CALLBACK,
    state: 'state-1',
    locale: 'en',
    webhookUrl: 'http://127.0.0.1:1/hooks/mx/secret',
    companyId: COMPANY,
    ...(institutionId === null ? {} : { institutionId }),
    ...more,
  })
  return { widget, memo, match }
}

export function completeLink(harness: Harness, memo: Json, query: Record<string, string> = {}, reconnect?: Grant): Promise<Grant[]> {
  const request = { callbackUrl: CALLBACK, query, memo }
  return widgetStep().complete(harness.kit, reconnect ? { ...request, reconnect: reconnect.credentials } : request)
}

/** What the frame shows after a form. */
export async function submit(url: string, fields: Record<string, string>): Promise<string> {
  return await (await fetch(url, { method: 'POST', body: new URLSearchParams(fields) })).text()
}

/** The owner's way through the widget at a bank that was chosen before; gives what the page around the frame is told. */
export async function walkWidget({ params }: Widget, password = 'any'): Promise<Record<string, string>> {
  const url = params.url ?? ''
  await fetch(url)
  return messageIn(await submit(url, { username: 'mxuser', password }))
}

export function messageIn(html: string): Record<string, string> {
  const [, text] = /postMessage\((.+), '\*'\)/.exec(html) ?? []
  return text === undefined ? {} : JSON.parse(text).metadata
}

export async function link(harness: Harness, wish: LinkOptions = {}): Promise<Grant> {
  const { widget, memo } = await startLink(harness, wish)
  const { member_guid = '' } = await walkWidget(widget)
  const [grant] = await completeLink(harness, memo, { member_guid })
  if (!grant) throw new Error('no grant')
  return grant
}

export interface Run {
  pages: Answers[]
  items: SourceItem[]
  resume: Json | null
  listing: string
}

/** One run of a pull, to its last page. */
export async function run(session: Session, name: string, from: Json | null = null): Promise<Run> {
  const pull = mxConnector.pulls.find((each) => each.name === name)
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
