import { createXeroSimulator, type XeroSimulatorOptions } from '../../../simulators/xero/index.ts'
import { connectorHarness, SECRET, type Settings } from '../../harness/connector.ts'

export const DENTIST = 'b0de4d4b-5f6a-4c71-9a3e-000000000101'
export const PHYSIO = 'b0de4d4b-5f6a-4c71-9a3e-000000000202'
export const GIANT = 'b0de4d4b-5f6a-4c71-9a3e-000000009999'

export const openHarness = connectorHarness('xero', {
  create: (settings: Settings<XeroSimulatorOptions>, given) => createXeroSimulator({ ...settings, ...given, clients: { app: SECRET } }),
  answer: { login: 'priya', businessId: DENTIST, decision: 'allow' },
  app: { clientId: 'app', clientSecret: SECRET, journals: 'yes' },
})

export type Harness = Awaited<ReturnType<typeof openHarness>>
