import type { SandboxSources } from '../simulator.ts'

export const sandbox: SandboxSources = {
  helix: {
    port: 20,
    load: () => import('./index.ts').then((module) => module.createHelixSimulator),
    app: {},
    hosts: [],
    example: (url) => ({ address: url, apiKey: 'sandbox-key-lecture', secret: 'sandbox-secret-lecture', customerId: '1021' }),
  },
}
