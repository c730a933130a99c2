import { afterEach } from 'vitest'
import { type Simulator, type SimulatorOptions, serveSimulator } from '../../simulators/simulator.ts'
import type { Connector, ConnectorDescription, HttpRequest, HttpResponse, Kit } from '../../src/connectors/contract/contract.ts'
import { connectorsWith } from '../../src/connectors/registry.ts'
import { createKit } from '../../src/connectors/toolkit/kit.ts'
import { createEgress } from '../../src/egress/egress.ts'
import type { LinkRequest, OwnerAnswer } from './redirect.ts'

/** The secret of the app at the source, where the connector has one: no error may show it. */
export const SECRET = 'app-secret-canary-4711'
const APP = { clientId: 'app', clientSecret: SECRET }
const START = Date.UTC(2026, 6, 1, 12)

/** A call of the connector with its answer. */
export interface Exchange {
  request: HttpRequest
  response: HttpResponse
}

/** A connector, its kit and its simulator, called over HTTP. One clock for both, which stands still unless it is moved. */
export interface ConnectorHarness<S extends Simulator = Simulator> {
  description: ConnectorDescription
  connector: Connector
  simulator: S
  url: string
  kit: Kit
  /** Every call of the connector, oldest first. */
  exchanges: Exchange[]
  /** What the owner does, and what a link asks for, unless a test says otherwise. */
  answer: OwnerAnswer
  request: Partial<LinkRequest>
  moveTime(ms: number): void
  close(): Promise<void>
}

/** What a test may ask of a harness, beside the simulator's own options. */
export interface HarnessOptions {
  /** Of each call of the connector. */
  timeoutMs?: number
  /** Further keys of the operator, or other ones. */
  app?: Record<string, string>
  /** Other addresses than the simulator's. */
  hosts?: Record<string, string>
  request?: Partial<LinkRequest>
}

/** Options of a simulator as a test gives them: its address and its clock are the harness's. */
export type Settings<O> = Partial<Omit<O, 'baseUrl' | 'now'>> & HarnessOptions

export interface Setup<S, O> {
  create(settings: Settings<O>, given: Required<Pick<SimulatorOptions, 'baseUrl' | 'now'>>): S
  /** The operator's keys; an id and a secret where left out and the connector asks for keys. */
  app?: Record<string, string>
  /** Addresses below the simulator's, where they are more than it alone. */
  hosts?(url: string): Record<string, string>
  answer?: OwnerAnswer
  request?: Partial<LinkRequest>
  /** When time begins. */
  startMs?: number | (() => number)
  /** For a simulator with a clock of its own: moves it along. */
  moveSimulator?(simulator: S, ms: number): void
}

/** Opens harnesses of the connector with this key. */
export function connectorHarness<S extends Simulator, O>(key: string, setup: Setup<S, O>) {
  return async (settings: Settings<O> = {}): Promise<ConnectorHarness<S>> => {
    const description = descriptionOf(key)
    const connector = await description.load()
    let time = typeof setup.startMs === 'function' ? setup.startMs() : (setup.startMs ?? START)
    const now = () => new Date(time)
    const { url, simulator, close } = await serveSimulator(({ baseUrl }) => setup.create(settings, { baseUrl, now }))
    const egress = createEgress({ allowPrivate: true })
    const app = { ...(setup.app ?? (description.appKeys.length > 0 ? APP : {})), ...settings.app }
    const hosts = settings.hosts ?? setup.hosts?.(url) ?? hostsOf(description, url)
    const kit = createKit({ egress, app, hosts, now, allowPrivate: true })
    const exchanges: Exchange[] = []
    return {
      description,
      connector,
      simulator,
      url,
      kit: { ...kit, http: (request) => record(exchanges, kit, withTimeout(request, settings.timeoutMs)) },
      exchanges,
      answer: setup.answer ?? {},
      request: { ...setup.request, ...settings.request },
      moveTime: (ms) => {
        time += ms
        setup.moveSimulator?.(simulator, ms)
      },
      close: async () => {
        await close()
        await egress.close()
      },
    }
  }
}

/** The same opening function; what it opens is closed after each test of the file, or of the suite in which this is called. */
export function closedAfterEach<A extends unknown[], H extends { close(): Promise<void> }>(open: (...args: A) => Promise<H>) {
  const opened: H[] = []
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((each) => each.close()))
  })
  return async (...args: A): Promise<H> => {
    const harness = await open(...args)
    opened.push(harness)
    return harness
  }
}

/** The connector with this key. */
export function loadConnector(key: string): Promise<Connector> {
  return descriptionOf(key).load()
}

function descriptionOf(key: string): ConnectorDescription {
  const found = connectorsWith(null, true).find((each) => each.key === key)
  if (!found) throw new Error(`no connector ${key}`)
  return found
}

function hostsOf(description: ConnectorDescription, url: string): Record<string, string> {
  const names = Object.keys(description.hosts)
  return Object.fromEntries((names.length > 0 ? names : ['simulator']).map((name) => [name, url]))
}

function withTimeout(request: HttpRequest, timeoutMs: number | undefined): HttpRequest {
  return timeoutMs === undefined ? request : { ...request, timeoutMs }
}

async function record(exchanges: Exchange[], kit: Kit, request: HttpRequest): Promise<HttpResponse> {
  const response = await kit.http(request)
  exchanges.push({ request, response })
  return response
}
