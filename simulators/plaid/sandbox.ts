import type { SandboxSources } from '../simulator.ts'

const PLAID_KEYS = { clientId: 'sandbox-client', secret: 'sandbox-secret' }

export const sandbox: SandboxSources = {
  plaid: {
    port: 24,
    load: () => import('./index.ts').then((module) => (options) => module.createPlaidSimulator({ ...options, keys: PLAID_KEYS })),
    app: PLAID_KEYS,
    hosts: ['api'],
  },
}
