import { SANDBOX_CLIENTS } from '../kit/oauth/clients.ts'
import type { SandboxSources } from '../simulator.ts'

export const sandbox: SandboxSources = {
  freshbooks: {
    port: 2,
    load: () =>
      import('./index.ts').then((module) => (options) => module.createFreshbooksSimulator({ ...options, clients: SANDBOX_CLIENTS })),
    app: { clientId: 'sandbox-client', clientSecret: 'sandbox-secret' },
    hosts: ['authorize', 'api'],
    giant: {},
  },
}
