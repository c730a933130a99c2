import type { SandboxSources } from '../simulator.ts'

export const sandbox: SandboxSources = {
  erpnext: {
    port: 11,
    load: () => import('./index.ts').then((module) => module.createErpnextSimulator),
    app: {},
    hosts: [],
    example: (url) => ({ address: url, apiKey: '2c80d5e9a4471b3', apiSecret: 'sandbox-secret-noor' }),
    giant: { form: { apiKey: '5d0e77aa10b2c34', apiSecret: 'sandbox-secret-load', company: '' } },
  },
}
