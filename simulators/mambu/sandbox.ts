import type { SandboxSources } from '../simulator.ts'

export const sandbox: SandboxSources = {
  mambu: {
    port: 15,
    load: () => import('./index.ts').then((module) => module.createMambuSimulator),
    app: {},
    hosts: [],
    example: (url) => ({ address: url, apiKey: 'sandbox-apikey-lecture', holder: 'MTL-0042' }),
  },
}
