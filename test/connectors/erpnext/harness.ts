import { createErpnextSimulator, type ErpnextSimulator, type ErpnextSimulatorOptions } from '../../../simulators/erpnext/index.ts'
import { serveSimulator } from '../../../simulators/simulator.ts'
import type { Grant, Kit, Pull, Session, SourceItem } from '../../../src/connectors/contract/contract.ts'
import { erpnextConnector } from '../../../src/connectors/erpnext/client.ts'
import { createKit } from '../../../src/connectors/toolkit/kit.ts'
import { createEgress } from '../../../src/egress/egress.ts'
import { listPages } from '../../harness/connector-calls.ts'

export const ATELIER = 'AB'
export const OUTFITTERS = 'PO'
export const GIANT = 'GH'
export const MARIE = { apiKey: '7f3a91c4e2b05d1', apiSecret: 'sandbox-secret-marie', company: 'AB' }
export const NOOR = { apiKey: '2c80d5e9a4471b3', apiSecret: 'sandbox-secret-noor', company: '' }
export const SHOP = { apiKey: '91b7c3d2e6f0a58', apiSecret: 'sandbox-secret-shop', company: '' }
export const NEWCOMER = { apiKey: 'a05be1440c9d7f2', apiSecret: 'sandbox-secret-new', company: '' }
export const LOAD = { apiKey: '5d0e77aa10b2c34', apiSecret: 'sandbox-secret-load', company: '' }
/** What no error may show. */
export const CANARY = /sandbox-secret|7f3a91c4e2b05d1|91b7c3d2e6f0a58/

/** The connector's kit and its simulator. Time stands still unless the simulator's is moved. */
export interface Harness {
  simulator: ErpnextSimulator
  url: string
  kit: Kit
  close(): Promise<void>
}

export async function openHarness(options: Omit<ErpnextSimulatorOptions, 'baseUrl'> & { timeoutMs?: number } = {}): Promise<Harness> {
  const { stateFile, timeoutMs, ...rest } = options
  const { url, simulator, close } = await serveSimulator(
    (given) => createErpnextSimulator({ ...rest, ...given, now }),
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
  if (erpnextConnector.authorize.step !== 'form') throw new Error('ERPNext connects by form')
  return erpnextConnector.authorize.submit(harness.kit, { address: harness.url, ...MARIE, ...typed })
}

export function pullNamed(name: string): Pull {
  const pull = erpnextConnector.pulls.find((each) => each.name === name)
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
  const entity = erpnextConnector.entities[item.entity]
  if (!('wire' in item) || !entity) throw new Error('no record')
  const unmapped: string[] = []
  const context = { fetchedAt: new Date(0), unmapped: (field: string, word: string) => unmapped.push(`${field}=${word}`) }
  const fields = Object.entries(entity.map.fields).map(([field, read]) => [field, read(item.wire as never, context)])
  return { ...Object.fromEntries(fields), unmapped }
}
