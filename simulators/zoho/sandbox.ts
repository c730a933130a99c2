import { SANDBOX_CLIENTS } from '../kit/oauth/clients.ts'
import type { SandboxSources } from '../simulator.ts'

export const sandbox: SandboxSources = {
  zoho: {
    port: 4,
    load: () => import('./index.ts').then((module) => (options) => module.createZohoSimulator({ ...options, clients: SANDBOX_CLIENTS })),
    app: { clientId: 'sandbox-client', clientSecret: 'sandbox-secret' },
    hosts: [
      'accounts',
      'api',
      ...['Ca', 'Eu', 'Uk', 'In', 'Au', 'Jp', 'Sa', 'Cn'].flatMap((centre) => [`accounts${centre}`, `api${centre}`]),
    ],
    giant: {},
  },
}
