import { type BannoSimulatorOptions, createBannoSimulator } from '../../../simulators/banno/index.ts'
import { connectorHarness, SECRET, type Settings } from '../../harness/connector.ts'

export const openHarness = connectorHarness('banno', {
  create: (settings: Settings<BannoSimulatorOptions>, given) => createBannoSimulator({ ...settings, ...given, clients: { app: SECRET } }),
  answer: { login: 'maren', decision: 'allow' },
  request: { locale: 'fr-CA' },
})

export type Harness = Awaited<ReturnType<typeof openHarness>>
