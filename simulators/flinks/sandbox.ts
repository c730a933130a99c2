import type { SandboxSources } from '../simulator.ts'

const FLINKS_KEYS = { customerId: 'sandbox-customer', secretKey: 'sandbox-secret' }

export const sandbox: SandboxSources = {
  flinks: {
    port: 22,
    load: () => import('./index.ts').then((module) => (options) => module.createFlinksSimulator({ ...options, keys: FLINKS_KEYS })),
    app: { ...FLINKS_KEYS, webhookKey: 'sandbox-webhook-key', demo: 'yes' },
    hosts: ['api', 'connect'],
  },
}
