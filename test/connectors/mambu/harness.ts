import { createMambuSimulator, type MambuSimulator, type MambuSimulatorOptions } from '../../../simulators/mambu/index.ts'
import { serveSimulator } from '../../../simulators/simulator.ts'
import type { Grant, Kit } from '../../../src/connectors/contract/contract.ts'
import { mambuConnector } from '../../../src/connectors/mambu/client.ts'
import { createKit } from '../../../src/connectors/toolkit/kit.ts'
import { createEgress } from '../../../src/egress/egress.ts'

export const LECTURE = { apiKey: 'sandbox-apikey-lecture', holder: 'MTL-0042' }
/** What no error may show. */
export const CANARY = /sandbox-apikey/

/** The connector's kit and its simulator. Time stands still unless the simulator's is moved. */
export interface Harness {
  simulator: MambuSimulator
  url: string
  kit: Kit
  close(): Promise<void>
}

export async function openHarness(options: Omit<MambuSimulatorOptions, 'baseUrl'> = {}): Promise<Harness> {
  const { stateFile, ...rest } = options
  const now = () => new Date(Date.UTC(2026, 6, 1, 12))
  const { url, simulator, close } = await serveSimulator(
    (given) => createMambuSimulator({ giantDeposits: 501, ...rest, ...given, now }),
    stateFile === undefined ? {} : { stateFile },
  )
  const egress = createEgress({ allowPrivate: true })
  return {
    simulator,
    url,
    kit: createKit({ egress, app: {}, hosts: { simulator: url }, now, allowPrivate: true }),
    close: async () => {
      await close()
      await egress.close()
    },
  }
}

/** Fills the form in; `typed` replaces single fields. */
export async function submit(harness: Pick<Harness, 'kit' | 'url'>, typed: Record<string, string> = {}): Promise<Grant> {
  if (mambuConnector.authorize.step !== 'form') throw new Error('Mambu connects by form')
  return await mambuConnector.authorize.submit(harness.kit, { address: harness.url, ...LECTURE, ...typed })
}
