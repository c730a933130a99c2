import type { SandboxSources } from '../simulator.ts'

export const sandbox: SandboxSources = {
  netsuite: {
    port: 9,
    load: () =>
      import('./index.ts').then(
        (module) => (options) =>
          module.createNetsuiteSimulator({ ...options, clients: { 'sandbox-client': null, 'sandbox-own-client': null } }),
      ),
    // No secret: a public client, whose refresh tokens rotate.
    app: { clientId: 'sandbox-client' },
    hosts: ['authorize', 'accountLogin', 'account'],
    giant: {},
  },
}
