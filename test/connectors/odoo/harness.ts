import { createOdooSimulator, type OdooSimulator, type OdooSimulatorOptions } from '../../../simulators/odoo/index.ts'
import { serveSimulator } from '../../../simulators/simulator.ts'
import type { Grant, Kit, Pull, Session, SourceItem } from '../../../src/connectors/contract/contract.ts'
import { odooConnector } from '../../../src/connectors/odoo/client.ts'
import { createKit } from '../../../src/connectors/toolkit/kit.ts'
import { createEgress } from '../../../src/egress/egress.ts'
import { listPages } from '../../harness/connector-calls.ts'

export const BAKERY = 1
export const DENTISTS = 2
export const GIANT = 3
export const MARIE = { user: 'marie@tremblay-cpa.example', apiKey: 'sandbox-key-marie-7f3a91c4' }
export const PRIYA = { user: 'priya@bowriverdental.example', apiKey: 'sandbox-key-priya-2c80d5e9' }
export const SALES = { user: 'sales@bowriverdental.example', apiKey: 'sandbox-key-sales-91b7' }
export const LOAD = { user: 'load@giant.example', apiKey: 'sandbox-key-load-5d0e' }
/** What no error may show. */
export const CANARY = /sandbox-key/

/** The connector's kit and its simulator. Time stands still unless the simulator's is moved. */
export interface Harness {
  simulator: OdooSimulator
  url: string
  kit: Kit
  close(): Promise<void>
}

export async function openHarness(options: Omit<OdooSimulatorOptions, 'baseUrl'> & { timeoutMs?: number } = {}): Promise<Harness> {
  const { stateFile, timeoutMs, ...rest } = options
  const { url, simulator, close } = await serveSimulator(
    (given) => createOdooSimulator({ ...rest, ...given, now }),
    stateFile === undefined ? {} : { stateFile },
  )
  const { kit, egress } = openKit(url)
  return {
    simulator,
    url,
    kit: timeoutMs === undefined ? kit : { ...kit, http: (call) => kit.http({ ...call, timeoutMs }) },
    close: async () => {
      await close()
      await egress.close()
    },
  }
}

/** The service's own kit for a source at this address. */
export function openKit(url: string) {
  const egress = createEgress({ allowPrivate: true })
  return { egress, kit: createKit({ egress, app: {}, hosts: { simulator: url }, now, allowPrivate: true }) }
}

function now(): Date {
  return new Date(Date.UTC(2026, 6, 1, 12))
}

/** Fills the form in; `typed` replaces single fields. */
export function submit(harness: Pick<Harness, 'kit' | 'url'>, typed: Record<string, string> = {}): Promise<Grant> {
  if (odooConnector.authorize.step !== 'form') throw new Error('Odoo connects by form')
  return odooConnector.authorize.submit(harness.kit, { address: harness.url, database: 'sandbox', company: '', ...MARIE, ...typed })
}

export function pullNamed(name: string): Pull {
  const pull = odooConnector.pulls.find((each) => each.name === name)
  if (!pull) throw new Error(`no pull ${name}`)
  return pull
}

export async function listItems(session: Session, pull: Pull): Promise<SourceItem[]> {
  return (await listPages(session, pull)).flatMap((answers) => [...pull.read(answers)])
}

export function idsOf(items: readonly SourceItem[]): string[] {
  return items.map(({ origId }) => origId ?? '')
}

/** The normalized record of an item and the words that the mapping did not know. */
export function mapItem(item: SourceItem): Record<string, unknown> & { unmapped: string[] } {
  const entity = odooConnector.entities[item.entity]
  if (!('wire' in item) || !entity) throw new Error('no record')
  const unmapped: string[] = []
  const context = { fetchedAt: new Date(0), unmapped: (field: string, word: string) => unmapped.push(`${field}=${word}`) }
  const fields = Object.entries(entity.map.fields).map(([field, read]) => [field, read(item.wire as never, context)])
  return { ...Object.fromEntries(fields), unmapped }
}
