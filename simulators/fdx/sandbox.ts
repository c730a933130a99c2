import type { SandboxSources } from '../simulator.ts'
import { sandboxSigningKey } from './data/sandbox-client.ts'

export const sandbox: SandboxSources = {
  'fdx-caisse-du-confluent': {
    port: 16,
    load: () => import('./index.ts').then((module) => module.createConfluentSimulator),
    app: { clientId: 'sandbox-client', signingKey: JSON.stringify(sandboxSigningKey()) },
    hosts: ['issuer', 'api'],
  },
  'fdx-ohio-valley': {
    port: 17,
    load: () => import('./index.ts').then((module) => module.createOhioSimulator),
    app: { clientId: 'sandbox-client', clientSecret: 'sandbox-secret' },
    hosts: ['issuer', 'api'],
  },
  akoya: {
    port: 18,
    load: () => import('./index.ts').then((module) => module.createAkoyaSimulator),
    app: { clientId: 'sandbox-client', clientSecret: 'sandbox-secret', connectors: 'mikomo=Mikomo Bank; erie=Erie Lakeshore Bank' },
    hosts: ['issuer', 'api'],
  },
  'flinks-outbound': {
    port: 19,
    load: () => import('./index.ts').then((module) => module.createFlinksOutboundSimulator),
    app: { clientId: 'sandbox-client', clientSecret: 'sandbox-secret' },
    hosts: ['issuer', 'api', 'directory'],
  },
}
