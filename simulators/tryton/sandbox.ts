import type { SandboxSources } from '../simulator.ts'

export const sandbox: SandboxSources = {
  tryton: {
    port: 32,
    load: () => import('./index.ts').then((module) => module.createTrytonSimulator),
    app: {},
    hosts: [],
    example: (url) => ({ address: url, database: 'sandbox', user: 'mireille', password: 'sandbox-password-mireille' }),
  },
}
