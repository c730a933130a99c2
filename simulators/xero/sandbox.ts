import { SANDBOX_CLIENTS } from '../kit/oauth/clients.ts'
import type { SandboxSources } from '../simulator.ts'

export const sandbox: SandboxSources = {
  xero: {
    port: 1,
    load: () => import('./index.ts').then((module) => (options) => module.createXeroSimulator({ ...options, clients: SANDBOX_CLIENTS })),
    app: { clientId: 'sandbox-client', clientSecret: 'sandbox-secret', journals: 'yes', webhookKey: 'sandbox-webhook-key' },
    hosts: ['authorize', 'token', 'api'],
    giant: {},
  },
}
