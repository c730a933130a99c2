import type { SandboxSources } from '../simulator.ts'

export const sandbox: SandboxSources = {
  simplefin: {
    port: 21,
    load: () => import('./index.ts').then((module) => module.createSimplefinSimulator),
    app: {},
    hosts: ['bridge'],
    // The demo token, which works repeatedly. It is written out here because loading the simulator would slow down
    // each start.
    example: (url) => ({ token: Buffer.from(`${url}/simplefin/claim/demo`).toString('base64') }),
  },
}
