import type { SandboxSources } from '../simulator.ts'

export const sandbox: SandboxSources = {
  teller: {
    port: 26,
    load: () => import('./index.ts').then((module) => module.createTellerSimulator),
    // Without a certificate, as in Teller's own sandbox.
    app: {
      applicationId: 'app_sandbox',
      environment: 'sandbox',
      tokenSigningKey: 'v1NFptPDEtT/w2TPRjq7N8d2EyDhpkHK1Pni9ij+BBk=',
      webhookSecret: 'sandbox-webhook-secret',
    },
    hosts: ['api', 'connect', 'site'],
  },
}
