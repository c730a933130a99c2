import { SANDBOX_CLIENTS } from '../kit/oauth/clients.ts'
import type { SandboxSources } from '../simulator.ts'

export const sandbox: SandboxSources = {
  freeagent: {
    port: 6,
    load: () =>
      import('./index.ts').then((module) => (options) => module.createFreeagentSimulator({ ...options, clients: SANDBOX_CLIENTS })),
    app: { clientId: 'sandbox-client', clientSecret: 'sandbox-secret' },
    hosts: ['api'],
    giant: {},
  },
}
