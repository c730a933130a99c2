import type { SandboxSources } from '../simulator.ts'

const YODLEE_KEYS = { clientId: 'sandbox-client', secret: 'sandbox-secret' }

export const sandbox: SandboxSources = {
  yodlee: {
    port: 23,
    load: () => import('./index.ts').then((module) => (options) => module.createYodleeSimulator({ ...options, keys: YODLEE_KEYS })),
    app: { ...YODLEE_KEYS, adminLoginName: 'sandbox-admin' },
    hosts: ['api', 'fastlink', 'script'],
  },
}
