import type { SandboxSources } from '../simulator.ts'

const MX_KEYS = { clientId: 'sandbox-client', apiKey: 'sandbox-key' }

export const sandbox: SandboxSources = {
  mx: {
    port: 13,
    load: () => import('./index.ts').then((module) => (options) => module.createMxSimulator({ ...options, keys: MX_KEYS })),
    app: MX_KEYS,
    hosts: ['api'],
  },
}
