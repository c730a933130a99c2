import { createHelixSimulator, type HelixSimulator, type HelixSimulatorOptions } from '../../../simulators/helix/index.ts'
import { serveSimulator } from '../../../simulators/simulator.ts'
import type { Grant, Kit } from '../../../src/connectors/contract/contract.ts'
import { helixConnector } from '../../../src/connectors/helix/client.ts'
import { createKit } from '../../../src/connectors/toolkit/kit.ts'
import { createEgress } from '../../../src/egress/egress.ts'

export const LECTURE = { apiKey: 'sandbox-key-lecture', secret: 'sandbox-secret-lecture', customerId: '1021' }
/** What no error may show. */
export const CANARY = /sandbox-(key|secret)|41020000/

/** The connector's kit and its simulator. Time stands still unless the simulator's is moved. */
export interface Harness {
  simulator: HelixSimulator
  url: string
  kit: Kit
  close(): Promise<void>
}

export async function openHarness(options: Omit<HelixSimulatorOptions, 'baseUrl'> = {}): Promise<Harness> {
  const { stateFile, ...rest } = options
  const now = () => new Date(Date.UTC(2026, 6, 1, 12))
  const { url, simulator, close } = await serveSimulator(
    (given) => createHelixSimulator({ giantMovements: 1400, ...rest, ...given, now }),
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
  if (helixConnector.authorize.step !== 'form') throw new Error('Helix connects by form')
  return await helixConnector.authorize.submit(harness.kit, { address: harness.url, ...LECTURE, ...typed })
}
