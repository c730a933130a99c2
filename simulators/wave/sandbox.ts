import { SANDBOX_CLIENTS } from '../kit/oauth/clients.ts'
import type { SandboxSources } from '../simulator.ts'

export const sandbox: SandboxSources = {
  wave: {
    port: 5,
    load: () => import('./index.ts').then((module) => (options) => module.createWaveSimulator({ ...options, clients: SANDBOX_CLIENTS })),
    app: { clientId: 'sandbox-client', clientSecret: 'sandbox-secret' },
    hosts: ['oauth', 'api'],
    giant: {},
  },
}
