import { createMambuSimulator, type MambuSimulatorOptions } from '../../../simulators/mambu/index.ts'
import { connectorHarness, type Settings } from '../../harness/connector.ts'

export const READ_ONLY = { apiKey: 'sandbox-apikey-lecture', holder: 'MTL-0042' }
/** Secrets that no error may contain. */
export const CANARY = /sandbox-apikey/

export const openHarness = connectorHarness('mambu', {
  create: (settings: Settings<MambuSimulatorOptions>, given) => createMambuSimulator({ giantDeposits: 501, ...settings, ...given }),
  answer: READ_ONLY,
})

export type Harness = Awaited<ReturnType<typeof openHarness>>
