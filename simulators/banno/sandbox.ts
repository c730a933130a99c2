import { SANDBOX_CLIENTS } from '../kit/oauth/clients.ts'
import type { SandboxSources } from '../simulator.ts'

export const sandbox: SandboxSources = {
  banno: {
    port: 27,
    load: () => import('./index.ts').then((module) => (options) => module.createBannoSimulator({ ...options, clients: SANDBOX_CLIENTS })),
    app: { clientId: 'sandbox-client', clientSecret: 'sandbox-secret' },
    hosts: ['bank'],
  },
}
