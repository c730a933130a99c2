import { SANDBOX_CLIENTS } from '../kit/oauth/clients.ts'
import type { SandboxSources } from '../simulator.ts'

export const sandbox: SandboxSources = {
  sage: {
    port: 3,
    load: () => import('./index.ts').then((module) => (options) => module.createSageSimulator({ ...options, clients: SANDBOX_CLIENTS })),
    app: { clientId: 'sandbox-client', clientSecret: 'sandbox-secret' },
    hosts: ['authorize', 'token', 'api'],
    giant: {},
  },
}
