import { sandboxSigningKey } from '../../../simulators/fdx/data/sandbox-client.ts'
import {
  createAkoyaSimulator,
  createConfluentSimulator,
  createFlinksOutboundSimulator,
  createOhioSimulator,
  type FdxSimulator,
  type FdxSimulatorOptions,
} from '../../../simulators/fdx/index.ts'
import type { Connector, Grant, Session } from '../../../src/connectors/contract/contract.ts'
import type { Json } from '../../../src/model/values/json.ts'
import { type ConnectorHarness, closedAfterEach, connectorHarness, type Settings } from '../../harness/connector.ts'
import { answersOf, fetchPages, itemsOf, pullNamed } from '../../harness/connector-calls.ts'
import { CALLBACK, complete, type LinkRequest, startLink } from '../../harness/redirect.ts'
import { everyAccount, openBrowser, type PageResponse } from './browser.ts'

export const CLIENT_ID = 'client-canary-5521'
export const CLIENT_SECRET = 'secret-canary-9034-with-32-characters'
const CLIENT = { clientId: CLIENT_ID, clientSecret: CLIENT_SECRET }
const SIGNER = { clientId: CLIENT_ID, signingKey: JSON.stringify(sandboxSigningKey()) }

type FdxSettings = Settings<FdxSimulatorOptions>

/**
 * The provider reads the machine's clock, so time starts there when a harness is opened; it stands still unless it is
 * moved.
 */
function bank(key: string, create: (options: FdxSimulatorOptions) => FdxSimulator, app: Record<string, string>, institutionId?: string) {
  return connectorHarness(key, {
    create: (settings: FdxSettings, { baseUrl }) => create({ client: { id: CLIENT_ID, secret: CLIENT_SECRET }, ...settings, baseUrl }),
    app,
    startMs: () => Math.floor(Date.now() / 1000) * 1000,
    moveSimulator: (simulator, ms) => simulator.moveClock(ms),
    ...(institutionId === undefined ? {} : { request: { institutionId } }),
  })
}

const BANKS = {
  'fdx-caisse-du-confluent': bank('fdx-caisse-du-confluent', createConfluentSimulator, SIGNER),
  'fdx-ohio-valley': bank('fdx-ohio-valley', createOhioSimulator, CLIENT),
  akoya: bank('akoya', createAkoyaSimulator, { ...CLIENT, connectors: 'mikomo=Mikomo Bank; erie=Erie Lakeshore Bank' }, 'mikomo'),
  'flinks-outbound': bank('flinks-outbound', createFlinksOutboundSimulator, CLIENT, 'dp-lac-superieur'),
}
export type BankKey = keyof typeof BANKS

export type Harness = ConnectorHarness<FdxSimulator>

export const openHarness = (key: BankKey, settings?: FdxSettings): Promise<Harness> => BANKS[key](settings)

/** Opens harnesses that are closed after each test. */
export const trackedHarnesses = () => closedAfterEach(openHarness)

/** The owner's complete flow through the bank's pages; returns the callback. */
export async function walk(
  harness: Pick<Harness, 'url'>,
  url: string,
  login = 'business',
  choose = everyAccount,
): Promise<Record<string, string>> {
  const browser = openBrowser(harness.url)
  const consent = await browser.submit(await browser.open(url), 'login', [
    ['username', login],
    ['password', 'sandbox'],
  ])
  return queryOf(await browser.submit(consent, 'consent', choose(consent)))
}

export function queryOf(shown: PageResponse, callback = CALLBACK): Record<string, string> {
  if (shown.leftFor === null) throw new Error(`the owner is still at the bank: ${shown.html.slice(-400)}`)
  const back = new URL(shown.leftFor)
  if (`${back.origin}${back.pathname}` !== callback) throw new Error(`redirected to ${back.origin}${back.pathname}`)
  return Object.fromEntries(back.searchParams)
}

export async function link(harness: Harness, login = 'business', wish: Partial<LinkRequest> = {}): Promise<Grant> {
  const { url, memo = null } = await startLink(harness, wish)
  const [grant, ...others] = await complete(harness, { query: await walk(harness, url, login), memo })
  if (!grant || others.length > 0) throw new Error('expected exactly one grant')
  return grant
}

/** One run of a pull. */
export async function run({ connector }: { connector: Connector }, session: Session, name: string, from: Json | null = null) {
  const pull = pullNamed(connector, name)
  const pages = await fetchPages(session, pull, from)
  const resume = pages.at(-1)?.resume ?? null
  return { items: itemsOf(answersOf(pages), pull), pages: pages.length, resume, listings: pages.map(({ listing }) => listing) }
}
