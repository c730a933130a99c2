import { type BusinessCentralSimulatorOptions, createBusinessCentralSimulator } from '../../../simulators/business-central/index.ts'
import { connectorHarness, SECRET, type Settings } from '../../harness/connector.ts'

export const DENTAL = 'b0a7c0de-0001-4ee1-8f6e-6045bd9dec5b'
export const ERABLE = 'b0a7c0de-0002-4ee1-8f6e-6045bd9dec5b'
export const NORDLYS = 'b0a7c0de-0003-4ee1-8f6e-6045bd9dec5b'

export const openHarness = connectorHarness('business-central', {
  create: (settings: Settings<BusinessCentralSimulatorOptions>, given) =>
    createBusinessCentralSimulator({ ...settings, ...given, clients: { app: SECRET } }),
  answer: { login: 'erin', decision: 'connect' },
})

export type Harness = Awaited<ReturnType<typeof openHarness>>
