import { join } from 'node:path'
import { type RunningSimulator, type ServedSimulator, type Simulator, type SimulatorOptions, serveSimulator } from './simulator.ts'

/** What a source's connector needs to be served by its simulator. */
interface SandboxSource {
  /** Its code is loaded at the first request: a source that nobody tries costs nothing. */
  load(): Promise<(options: SimulatorOptions) => Simulator>
  app: Record<string, string>
  /** Names of the source's addresses; all lead to the simulator. */
  hosts: readonly string[]
}

const SOURCES: Record<string, SandboxSource> = {
  quickbooks: {
    load: () => import('./quickbooks/index.ts').then((module) => module.createQuickbooksSimulator),
    app: { clientId: 'sandbox-client', clientSecret: 'sandbox-secret', webhookVerifierToken: 'sandbox-verifier-token' },
    hosts: ['authorize', 'token', 'revoke', 'api'],
  },
  xero: {
    load: () => import('./xero/index.ts').then((module) => module.createXeroSimulator),
    app: { clientId: 'sandbox-client', clientSecret: 'sandbox-secret', journals: 'yes', webhookKey: 'sandbox-webhook-key' },
    hosts: ['authorize', 'token', 'api'],
  },
  freshbooks: {
    load: () => import('./freshbooks/index.ts').then((module) => module.createFreshbooksSimulator),
    app: { clientId: 'sandbox-client', clientSecret: 'sandbox-secret' },
    hosts: ['authorize', 'api'],
  },
  sage: {
    load: () => import('./sage/index.ts').then((module) => module.createSageSimulator),
    app: { clientId: 'sandbox-client', clientSecret: 'sandbox-secret' },
    hosts: ['authorize', 'token', 'api'],
  },
  zoho: {
    load: () => import('./zoho/index.ts').then((module) => module.createZohoSimulator),
    app: { clientId: 'sandbox-client', clientSecret: 'sandbox-secret' },
    hosts: [
      'accounts',
      'api',
      ...['Ca', 'Eu', 'Uk', 'In', 'Au', 'Jp', 'Sa', 'Cn'].flatMap((centre) => [`accounts${centre}`, `api${centre}`]),
    ],
  },
  wave: {
    load: () => import('./wave/index.ts').then((module) => module.createWaveSimulator),
    app: { clientId: 'sandbox-client', clientSecret: 'sandbox-secret' },
    hosts: ['oauth', 'api'],
  },
  freeagent: {
    load: () => import('./freeagent/index.ts').then((module) => module.createFreeagentSimulator),
    app: { clientId: 'sandbox-client', clientSecret: 'sandbox-secret' },
    hosts: ['api'],
  },
  myob: {
    load: () => import('./myob/index.ts').then((module) => module.createMyobSimulator),
    app: { clientId: 'sandbox-client', clientSecret: 'sandbox-secret' },
    hosts: ['secure', 'api'],
  },
  'business-central': {
    load: () => import('./business-central/index.ts').then((module) => module.createBusinessCentralSimulator),
    app: { clientId: 'sandbox-client', clientSecret: 'sandbox-secret' },
    hosts: ['login', 'api'],
  },
  netsuite: {
    load: () => import('./netsuite/index.ts').then((module) => module.createNetsuiteSimulator),
    // Without a secret: a public client, whose refresh tokens rotate.
    app: { clientId: 'sandbox-client' },
    hosts: ['authorize', 'accountLogin', 'account'],
  },
  // Owners type the address of these themselves; what to type stands in the simulator's README.
  odoo: {
    load: () => import('./odoo/index.ts').then((module) => module.createOdooSimulator),
    app: {},
    hosts: [],
  },
  erpnext: {
    load: () => import('./erpnext/index.ts').then((module) => module.createErpnextSimulator),
    app: {},
    hosts: [],
  },
  plaid: {
    load: () => import('./plaid/index.ts').then((module) => module.createPlaidSimulator),
    app: { clientId: 'sandbox-client', secret: 'sandbox-secret' },
    hosts: ['api'],
  },
}

const LAST_PORT = 65_535

export interface Sandbox {
  /** Keys and addresses by connector key, as `createSources` wants them. */
  settings: Record<string, { app: Record<string, string>; hosts: Record<string, string> }>
  addresses: { key: string; url: string }[]
  close(): Promise<void>
}

/**
 * Starts the simulators on loopback, on `firstPort` and the ports behind it where they are free. Their state is kept
 * in `folder`, so that what was authorized before a restart still is.
 */
export async function startSandbox(options: { folder: string; firstPort: number }): Promise<Sandbox> {
  const running: { key: string; source: SandboxSource; run: RunningSimulator<ServedSimulator> }[] = []
  for (const [index, [key, source]] of Object.entries(SOURCES).entries()) {
    const stateFile = join(options.folder, `${key}.json`)
    running.push({ key, source, run: await serveNear(source, stateFile, options.firstPort + index) })
  }
  return {
    settings: Object.fromEntries(
      running.map(({ key, source, run }) => [
        key,
        { app: source.app, hosts: Object.fromEntries(source.hosts.map((host) => [host, run.url])) },
      ]),
    ),
    addresses: running.map(({ key, run }) => ({ key, url: run.url })),
    close: async () => {
      await Promise.all(running.map(({ run }) => run.close()))
    },
  }
}

async function serveNear(source: SandboxSource, stateFile: string, wanted: number): Promise<RunningSimulator<ServedSimulator>> {
  const port = wanted > LAST_PORT ? 0 : wanted
  try {
    return await serveSimulator((options) => loadedWhenUsed(source, options), { stateFile, port })
  } catch (error) {
    const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
    if (!isTaken) throw error
    return await serveSimulator((options) => loadedWhenUsed(source, options), { stateFile, port: 0 })
  }
}

function loadedWhenUsed(source: SandboxSource, options: SimulatorOptions): ServedSimulator {
  let loading: Promise<Simulator> | null = null
  return {
    handle: (request, response) => {
      loading ??= source.load().then((create) => create(options))
      loading.then(
        (simulator) => simulator.handle(request, response),
        (error: unknown) => response.writeHead(500, { 'content-type': 'text/plain' }).end(`the simulator does not load: ${error}`),
      )
    },
    close: async () => await (await loading)?.close(),
  }
}
