import { createSageSimulator, type SageSimulatorOptions } from '../../../simulators/sage/index.ts'
import { connectorHarness, SECRET, type Settings } from '../../harness/connector.ts'

export const BAKERY = '0d40342d0287cd6b13555c54afca0001'
export const SHOP = '0d40342d0287cd6b13555c54afca0002'
export const GIANT = '0d40342d0287cd6b13555c54afca0009'

export const openHarness = connectorHarness('sage', {
  create: (settings: Settings<SageSimulatorOptions>, given) => createSageSimulator({ ...settings, ...given, clients: { app: SECRET } }),
  answer: { login: 'lucie', decision: 'connect' },
})

export type Harness = Awaited<ReturnType<typeof openHarness>>
