const PARTS = [
  'reads',
  'sync',
  'memory',
  'jobs',
  'webhooks',
  'connectors',
  'transactions',
  'refreshes',
  'banking',
  'uploads',
  'portal',
  'backup',
  'tracing',
] as const
export type Part = (typeof PARTS)[number]

/** How much is measured. */
export interface Effort {
  rounds: number
  /** Length of one measurement, whole seconds. */
  seconds: number
  tenants: number
  syncRounds: number
  syncAccounts: number
  idleSeconds: number
  /** Jobs of one round, and jobs that wait while claims are timed. */
  jobs: number
  waitingJobs: number
  /** How long events come in. */
  deliverySeconds: number
  /** Accounts of each source's giant. */
  connectorAccounts: number
  /** Lines of the ledger that is synced for the first time. */
  ledgerTransactions: number
  /** Accounts of the bank login with as many movements. */
  loginAccounts: number
  /** Connections that are refreshed and have nothing new. */
  unchangedConnections: number
  /** Banks in the directory that is read. */
  institutions: number
  /** Visits to the portal. */
  pageLoads: number
  /** Size of the database that is backed up. */
  backupMegabytes: number
}

const FULL: Effort = {
  rounds: 5,
  seconds: 2,
  tenants: 300,
  syncRounds: 5,
  syncAccounts: 10_000,
  idleSeconds: 5,
  jobs: 20_000,
  waitingJobs: 1_000_000,
  deliverySeconds: 20,
  connectorAccounts: 20_000,
  ledgerTransactions: 1_000_000,
  loginAccounts: 10_000,
  unchangedConnections: 10_000,
  institutions: 20_000,
  pageLoads: 15,
  backupMegabytes: 1_100,
}
/** Shows that the bench itself works; its figures say little. */
const SHORT: Effort = {
  rounds: 1,
  seconds: 1,
  tenants: 10,
  syncRounds: 1,
  syncAccounts: 2_000,
  idleSeconds: 1,
  jobs: 2_000,
  waitingJobs: 10_000,
  deliverySeconds: 3,
  connectorAccounts: 500,
  ledgerTransactions: 20_000,
  loginAccounts: 1_000,
  unchangedConnections: 200,
  institutions: 500,
  pageLoads: 2,
  backupMegabytes: 60,
}

export interface BenchOptions {
  parts: readonly Part[]
  effort: Effort
  isShort: boolean
}

/** Reads names of parts and `--short`; no part named means all. Throws on anything else. */
export function readOptions(args: readonly string[]): BenchOptions {
  const isShort = args.includes('--short')
  const parts = args.filter((arg) => arg !== '--short').map(toPart)
  return { parts: parts.length > 0 ? parts : PARTS, effort: isShort ? SHORT : FULL, isShort }
}

function toPart(arg: string): Part {
  const part = PARTS.find((name) => name === arg)
  if (!part) throw new Error(`unknown argument ${JSON.stringify(arg)}; known are ${PARTS.join(', ')} and --short`)
  return part
}
