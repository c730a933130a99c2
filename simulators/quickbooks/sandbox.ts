import { SANDBOX_CLIENTS } from '../kit/oauth/clients.ts'
import type { SandboxSources } from '../simulator.ts'

export const sandbox: SandboxSources = {
  quickbooks: {
    port: 0,
    load: () =>
      import('./index.ts').then((module) => (options) => module.createQuickbooksSimulator({ ...options, clients: SANDBOX_CLIENTS })),
    app: { clientId: 'sandbox-client', clientSecret: 'sandbox-secret', webhookVerifierToken: 'sandbox-verifier-token' },
    hosts: ['authorize', 'token', 'revoke', 'api'],
    giant: {},
  },
}
