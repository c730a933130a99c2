import type { Simulator, SimulatorOptions } from '../../simulators/simulator.ts'

/** Of the simulators' own limits the bench takes no notice: it asks what we cost, not what a provider allows. */
const UNLIMITED = { callsPerMinute: 1e9, callsPerDay: 1e9, callsPerSecond: 1e9, callsPerWindow: 1e9, concurrency: 1_000 }

type Create = (options: SimulatorOptions & { giantAccounts: number } & typeof UNLIMITED) => Simulator

interface GiantSource {
  load(): Promise<Create>
  /** What the owner types, where the source has a form; its address is added. Left out: the owner signs in as `load` on the consent page. */
  form?: Record<string, string>
}

/** Every source whose simulator has a company of as many accounts as one likes. */
export const GIANT_SOURCES: Readonly<Record<string, GiantSource>> = {
  quickbooks: { load: async () => (await import('../../simulators/quickbooks/index.ts')).createQuickbooksSimulator },
  xero: { load: async () => (await import('../../simulators/xero/index.ts')).createXeroSimulator },
  freshbooks: { load: async () => (await import('../../simulators/freshbooks/index.ts')).createFreshbooksSimulator },
  sage: { load: async () => (await import('../../simulators/sage/index.ts')).createSageSimulator },
  zoho: { load: async () => (await import('../../simulators/zoho/index.ts')).createZohoSimulator },
  wave: { load: async () => (await import('../../simulators/wave/index.ts')).createWaveSimulator },
  freeagent: { load: async () => (await import('../../simulators/freeagent/index.ts')).createFreeagentSimulator },
  myob: { load: async () => (await import('../../simulators/myob/index.ts')).createMyobSimulator },
  'business-central': { load: async () => (await import('../../simulators/business-central/index.ts')).createBusinessCentralSimulator },
  netsuite: { load: async () => (await import('../../simulators/netsuite/index.ts')).createNetsuiteSimulator },
  odoo: {
    load: async () => (await import('../../simulators/odoo/index.ts')).createOdooSimulator,
    form: { database: 'sandbox', user: 'load@giant.example', apiKey: 'sandbox-key-load-5d0e', company: '' },
  },
  erpnext: {
    load: async () => (await import('../../simulators/erpnext/index.ts')).createErpnextSimulator,
    form: { apiKey: '5d0e77aa10b2c34', apiSecret: 'sandbox-secret-load', company: '' },
  },
}

/** A simulator whose giant has so many accounts and whose limits are off. */
export async function createGiant(key: string, giantAccounts: number, options: SimulatorOptions): Promise<Simulator> {
  const create = await GIANT_SOURCES[key]?.load()
  if (!create) throw new Error(`no giant at ${key}`)
  return create({ ...options, ...UNLIMITED, giantAccounts })
}
