import { createHelixSimulator, type HelixSimulatorOptions } from '../../../simulators/helix/index.ts'
import { connectorHarness, type Settings } from '../../harness/connector.ts'

export const READ_ONLY = { apiKey: 'sandbox-key-lecture', secret: 'sandbox-secret-lecture', customerId: '1021' }
/** Secrets that no error may contain. */
export const CANARY = /sandbox-(key|secret)|41020000/

export const openHarness = connectorHarness('helix', {
  create: (settings: Settings<HelixSimulatorOptions>, given) => createHelixSimulator({ giantMovements: 1400, ...settings, ...given }),
  answer: READ_ONLY,
})

export type Harness = Awaited<ReturnType<typeof openHarness>>
