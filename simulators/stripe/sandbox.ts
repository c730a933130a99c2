import type { SandboxSources } from '../simulator.ts'

export const sandbox: SandboxSources = {
  stripe: {
    port: 25,
    load: () => import('./index.ts').then((module) => module.createStripeSimulator),
    app: { secretKey: 'sk_test_sandbox', publishableKey: 'pk_test_sandbox', webhookSecret: 'sandbox-webhook-secret' },
    hosts: ['api', 'js'],
  },
}
