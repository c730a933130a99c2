import type { SandboxSources } from '../simulator.ts'

export const sandbox: SandboxSources = {
  odoo: {
    port: 10,
    load: () => import('./index.ts').then((module) => module.createOdooSimulator),
    app: {},
    hosts: [],
    example: (url) => ({ address: url, database: 'sandbox', user: 'priya@bowriverdental.example', apiKey: 'sandbox-key-priya-2c80d5e9' }),
    giant: { form: { database: 'sandbox', user: 'load@giant.example', apiKey: 'sandbox-key-load-5d0e', company: '' } },
  },
}
