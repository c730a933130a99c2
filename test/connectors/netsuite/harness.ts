import { createNetsuiteSimulator, type NetsuiteSimulatorOptions } from '../../../simulators/netsuite/index.ts'
import { connectorHarness, SECRET, type Settings } from '../../harness/connector.ts'

export const CASCADE = '7654321'
export const RIDEAU = '2468013'
export const GIANT = '9999999'
/** Operator's app whose integration record has a secret; the other one is a public client. */
export const WITH_SECRET = { app: { clientId: 'confidential', clientSecret: SECRET } }

export const openHarness = connectorHarness('netsuite', {
  create: (settings: Settings<NetsuiteSimulatorOptions>, given) =>
    createNetsuiteSimulator({ ...settings, ...given, clients: { app: null, confidential: SECRET } }),
  app: { clientId: 'app' },
  answer: { login: 'harper', role: '7654321/reader', decision: 'connect' },
  request: { state: 'state-of-at-least-22-letters' },
})
