import type { SandboxSources } from '../simulator.ts'

export const sandbox: SandboxSources = {
  fineract: {
    port: 12,
    load: () => import('./index.ts').then((module) => module.createFineractSimulator),
    app: {},
    hosts: [],
    example: (url) => ({ address: url, tenant: 'default', clientId: '1', user: 'lecture', password: 'sandbox-password-lecture' }),
  },
}
