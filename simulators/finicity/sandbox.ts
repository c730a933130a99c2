import type { SandboxSources } from '../simulator.ts'

const FINICITY_KEYS = { appKey: 'sandbox-app-key', partnerId: 'sandbox-partner', partnerSecret: 'sandbox-secret' }

export const sandbox: SandboxSources = {
  finicity: {
    port: 14,
    load: () => import('./index.ts').then((module) => (options) => module.createFinicitySimulator({ ...options, keys: FINICITY_KEYS })),
    app: {
      ...FINICITY_KEYS,
      customerType: 'testing',
      txPush: 'yes',
    },
    hosts: ['api'],
  },
}
