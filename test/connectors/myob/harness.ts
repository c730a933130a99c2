import { createMyobSimulator, type MyobSimulatorOptions } from '../../../simulators/myob/index.ts'
import { connectorHarness, SECRET, type Settings } from '../../harness/connector.ts'

export const BAKERY = '5a1e0001-77aa-4bbb-8ccc-000000000001'
export const BUILDER = '5a1e0002-77aa-4bbb-8ccc-000000000002'
export const GIANT = '5a1e0009-77aa-4bbb-8ccc-000000000009'

export const openHarness = connectorHarness('myob', {
  create: (settings: Settings<MyobSimulatorOptions>, given) =>
    createMyobSimulator({ callsPerSecond: 1000, ...settings, ...given, clients: { app: SECRET } }),
  answer: { login: 'zoe', businessId: BAKERY, decision: 'allow' },
})
