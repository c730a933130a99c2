import { createFreeagentSimulator, type FreeagentSimulatorOptions } from '../../../simulators/freeagent/index.ts'
import { connectorHarness, SECRET, type Settings } from '../../harness/connector.ts'

export const DESIGNER = '71001'

export const openHarness = connectorHarness('freeagent', {
  create: (settings: Settings<FreeagentSimulatorOptions>, given) =>
    createFreeagentSimulator({ ...settings, ...given, clients: { app: SECRET } }),
  answer: { login: 'fiona', decision: 'allow' },
})

export type Harness = Awaited<ReturnType<typeof openHarness>>
