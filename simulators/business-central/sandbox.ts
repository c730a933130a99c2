import { SANDBOX_CLIENTS } from '../kit/oauth/clients.ts'
import type { SandboxSources } from '../simulator.ts'

export const sandbox: SandboxSources = {
  'business-central': {
    port: 8,
    load: () =>
      import('./index.ts').then((module) => (options) => module.createBusinessCentralSimulator({ ...options, clients: SANDBOX_CLIENTS })),
    app: { clientId: 'sandbox-client', clientSecret: 'sandbox-secret' },
    hosts: ['login', 'api'],
    giant: {},
  },
}
