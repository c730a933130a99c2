import { createQuickbooksSimulator, type QuickbooksSimulatorOptions } from '../../../simulators/quickbooks/index.ts'
import { connectorHarness, SECRET, type Settings } from '../../harness/connector.ts'

export const BAKERY = '4620816365200000101'
export const BUILDER = '4620816365200000202'
export const GIANT = '9999'

export const openHarness = connectorHarness('quickbooks', {
  create: (settings: Settings<QuickbooksSimulatorOptions>, given) =>
    createQuickbooksSimulator({ ...settings, ...given, clients: { app: SECRET } }),
  answer: { login: 'marie', realmId: BAKERY, decision: 'connect' },
})

export type Harness = Awaited<ReturnType<typeof openHarness>>
