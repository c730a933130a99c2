import { afterEach } from 'vitest'
import { type Simulator, type SimulatorOptions, serveSimulator } from '../../simulators/simulator.ts'
import type { Connector, ConnectorDescription, HttpRequest, HttpResponse, Kit } from '../../src/connectors/contract/contract.ts'
import { connectorsWith } from '../../src/connectors/registry.ts'
import { createKit } from '../../src/connectors/toolkit/http/kit.ts'
import { createEgress } from '../../src/egress/egress.ts'
import type { LinkRequest, OwnerAnswer } from './redirect.ts'

/** The app's secret at the source, if the connector has one; no error may contain it. */
export const SECRET = 'app-secret-canary-4711'
const APP = { clientId: 'app', clientSecret: SECRET }
const START = Date.UTC(2026, 6, 1, 12)

/** A request of the connector with its response. */
export interface Exchange {
  request: HttpRequest
  response: HttpResponse
}

/** A connector, its kit and its simulator over HTTP. Both share one clock, which stands still unless it is moved. */
export interface ConnectorHarness<S extends Simulator = Simulator> {
  description: ConnectorDescription
  connector: Connector
  simulator: S
  url: string
  kit: Kit
  /** Every request of the connector, oldest first. */
  exchanges: Exchange[]
  /** Defaults for the owner's answers and the link request. */
  answer: OwnerAnswer
  request: Partial<LinkRequest>
  moveTime(ms: number): void
  close(): Promise<void>
}

/** Options of a harness, besides the simulator's own. */
export interface HarnessOptions {
  /** Timeout of each request of the connector. */
  timeoutMs?: number
  /** Additional or overriding operator's keys. */
  app?: Record<string, string>
  /** Addresses instead of the simulator's. */
  hosts?: Record<string, string>
  request?: Partial<LinkRequest>
}

/** Simulator options as given by a test; address and clock come from the harness. */
export type Settings<O> = Partial<Omit<O, 'baseUrl' | 'now'>> & HarnessOptions

export interface Setup<S, O> {
  create(settings: Settings<O>, given: Required<Pick<SimulatorOptions, 'baseUrl' | 'now'>>): S
  /** The operator's keys; default to an id and a secret if the connector needs keys. */
  app?: Record<string, string>
  /** Hosts, if the connector needs more than the simulator's address. */
  hosts?(url: string): Record<string, string>
  answer?: OwnerAnswer
  request?: Partial<LinkRequest>
  /** Start time of the clock. */
  startMs?: number | (() => number)
  /** Moves the clock of a simulator that has its own. */
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

/** Wraps the opening function so that harnesses are closed after each test of the file, or of the calling suite. */
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

/** Loads the connector with this key. */
export function loadConnector(key: string): Promise<Connector> {
  return descriptionOf(key).load()
}

function descriptionOf(key: string): ConnectorDescription {
  const found = connectorsWith(null, true).find((each) => each.key === key)
  if (!found) throw new Error(`unknown connector ${key}`)
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
