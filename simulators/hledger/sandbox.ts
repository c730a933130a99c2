import type { SandboxSources } from '../simulator.ts'

export const sandbox: SandboxSources = {
  hledger: {
    port: 31,
    load: () => import('./index.ts').then((module) => module.createHledgerSimulator),
    app: {},
    hosts: [],
    example: (url) => ({ address: url, user: 'noemie', password: 'sandbox-password-noemie' }),
  },
}
