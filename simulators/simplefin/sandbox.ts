import type { SandboxSources } from '../simulator.ts'

export const sandbox: SandboxSources = {
  simplefin: {
    port: 21,
    load: () => import('./index.ts').then((module) => module.createSimplefinSimulator),
    app: {},
    hosts: ['bridge'],
    // The demo token, which works more than once; loading the simulator for its text alone would cost each start.
    example: (url) => ({ token: Buffer.from(`${url}/simplefin/claim/demo`).toString('base64') }),
  },
}
