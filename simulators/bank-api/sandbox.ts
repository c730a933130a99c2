import type { SandboxSources } from '../simulator.ts'
import { SANDBOX_KEYS } from './data/keys.ts'

export const sandbox: SandboxSources = {
  'bank-api-harbourline': {
    port: 28,
    load: () => import('./index.ts').then((module) => (options) => module.createBankApiSimulator('harbourline', options)),
    app: SANDBOX_KEYS.harbourline,
    hosts: ['token', 'api'],
    example: () => ({ customerId: '100245', postalCode: 'G1R 2B5', registration: '1147-220-981' }),
  },
  'bank-api-peakfield': {
    port: 29,
    load: () => import('./index.ts').then((module) => (options) => module.createBankApiSimulator('peakfield', options)),
    app: SANDBOX_KEYS.peakfield,
    hosts: ['token', 'api'],
    example: () => ({ memberNumber: '100245', passcode: 'érable 42' }),
  },
  'bank-api-granite': {
    port: 30,
    load: () => import('./index.ts').then((module) => (options) => module.createBankApiSimulator('granite', options)),
    app: SANDBOX_KEYS.granite,
    hosts: ['token', 'api'],
    example: () => ({ partyId: '100245', accessCode: 'érable 42' }),
  },
}
