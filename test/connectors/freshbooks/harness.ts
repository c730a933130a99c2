import { createFreshbooksSimulator, type FreshbooksSimulatorOptions } from '../../../simulators/freshbooks/index.ts'
import { connectorHarness, SECRET, type Settings } from '../../harness/connector.ts'

export const BUILDER = '00000001-0000-4000-8000-000000000000'
export const STUDIO = '00000002-0000-4000-8000-000000000000'

export const openHarness = connectorHarness('freshbooks', {
  create: (settings: Settings<FreshbooksSimulatorOptions>, given) =>
    createFreshbooksSimulator({ ...settings, ...given, clients: { app: SECRET } }),
  answer: { login: 'grace', decision: 'connect' },
})
