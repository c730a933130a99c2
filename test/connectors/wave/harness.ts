import { createWaveSimulator, type WaveSimulatorOptions } from '../../../simulators/wave/index.ts'
import { connectorHarness, SECRET, type Settings } from '../../harness/connector.ts'

function toId(uuid: string): string {
  return Buffer.from(`Business:${uuid}`).toString('base64')
}

export const SHOP = toId('3f6c1d52-0001-4000-8000-000000000001')
export const DENTIST = toId('3f6c1d52-0002-4000-8000-000000000002')
export const GIANT = toId('3f6c1d52-0009-4000-8000-000000000009')

export const openHarness = connectorHarness('wave', {
  create: (settings: Settings<WaveSimulatorOptions>, given) => createWaveSimulator({ ...settings, ...given, clients: { app: SECRET } }),
  answer: { login: 'elodie', businessId: SHOP, decision: 'allow' },
})
