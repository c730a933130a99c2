const PARTS = [
  'reads',
  'sync',
  'memory',
  'start',
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
  'tenants',
  'exports',
] as const
export type Part = (typeof PARTS)[number]

/** Size and duration of the measurements. */
export interface Effort {
  rounds: number
  /** Length of one measurement in whole seconds. */
  seconds: number
  tenants: number
  syncRounds: number
  syncAccounts: number
  idleSeconds: number
  /** Jobs per round, and jobs that wait while claims are timed. */
  jobs: number
  waitingJobs: number
  /** Seconds during which events are raised. */
  deliverySeconds: number
  /** Accounts of each source's giant company. */
  connectorAccounts: number
  /** Lines of the ledger in the first sync. */
  ledgerTransactions: number
  /** Accounts of the bank login, which has the same number of transactions. */
  loginAccounts: number
  /** Connections refreshed without any change. */
  unchangedConnections: number
  /** Institutions in the directory that is loaded. */
  institutions: number
  /** Number of page loads of the portal. */
  pageLoads: number
  /** Size of the database to back up. */
  backupMegabytes: number
  /** Records of one export, and how often each format is written. */
  exportedRecords: number
  exportRounds: number
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
  exportedRecords: 400_000,
  exportRounds: 3,
}
/** A quick check that the benchmarks work; its figures are not meaningful. */
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
  exportedRecords: 20_000,
  exportRounds: 1,
}

export interface BenchOptions {
  parts: readonly Part[]
  effort: Effort
  isShort: boolean
}

/** Parses names of parts and `--short`; defaults to all parts. Throws for anything else. */
export function readOptions(args: readonly string[]): BenchOptions {
  const isShort = args.includes('--short')
  const parts = args.filter((arg) => arg !== '--short').map(toPart)
  return { parts: parts.length > 0 ? parts : PARTS, effort: isShort ? SHORT : FULL, isShort }
}

function toPart(arg: string): Part {
  const part = PARTS.find((name) => name === arg)
  if (!part) throw new Error(`unknown argument ${JSON.stringify(arg)}; known: ${PARTS.join(', ')} and --short`)
  return part
}
