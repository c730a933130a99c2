import { type Simulator, serveSimulator } from '../../../simulators/simulator.ts'
import { createZohoSimulator, type ZohoSimulatorOptions } from '../../../simulators/zoho/index.ts'
import { connectorHarness, SECRET, type Settings } from '../../harness/connector.ts'

export const SHOP = '782340101'
export const MAKER = '782340202'
export const GIANT = '782349999'

/** Suffixes of the data centres in our hosts, besides that of the United States. */
const CENTRES = ['Ca', 'Eu', 'Uk', 'In', 'Au', 'Jp', 'Sa', 'Cn']

export const openHarness = connectorHarness('zoho', {
  create: (settings: Settings<ZohoSimulatorOptions>, given) =>
    createZohoSimulator({ callsPerMinute: 1000, ...settings, ...given, clients: { app: SECRET } }),
  answer: { login: 'mei', decision: 'allow' },
})

export type Harness = Awaited<ReturnType<typeof openHarness>>

/**
 * Like `openHarness`, with one address for the data centre of the United States and another, `elsewhere`, for all
 * others.
 */
export async function openWithCentres(): Promise<Harness & { elsewhere: string }> {
  const known: { simulator?: Simulator } = {}
  const forward = () => ({ handle: (...call: Parameters<Simulator['handle']>) => known.simulator?.handle(...call), close: async () => {} })
  const [home, second] = [await serveSimulator(forward), await serveSimulator(forward)]
  const elsewhere = CENTRES.flatMap((centre) => [`accounts${centre}`, `api${centre}`]).map((name) => [name, second.url])
  const hosts = { accounts: home.url, api: home.url, ...Object.fromEntries(elsewhere) }
  const harness = await openHarness({ hosts, addresses: () => ({ us: home.url, ca: second.url, eu: second.url }) })
  known.simulator = harness.simulator
  const close = async () => await Promise.all([home.close(), second.close(), harness.close()]).then(() => undefined)
  return { ...harness, url: home.url, elsewhere: second.url, close }
}
