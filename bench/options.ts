import { parseArgs } from 'node:util'
import type { ScaleEffort } from './scale/scale.ts'

export const PARTS = [
  'reads',
  'sync',
  'memory',
  'start',
  'idle',
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
  'replicas',
  'scale',
  'schedules',
  'month',
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
  /**
   * Rest before an idle process is watched, and length of the watch. A process rests after a minute; autovacuum, which looks
   * each minute, works off what the start has written, and then what that has written.
   */
  restSeconds: number
  watchSeconds: number
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
  /** Seconds for which a worker that does not sync is probed, to compare with one that does. */
  baselineSeconds: number
  /** Connections refreshed without any change. */
  unchangedConnections: number
  /** Connections refreshed by two worker processes. */
  refreshedConnections: number
  /** Institutions in the directory that is loaded. */
  institutions: number
  /** Number of page loads of the portal. */
  pageLoads: number
  /** Size of the database to back up. */
  backupMegabytes: number
  /** Records of one export, and how often each format is written. */
  exportedRecords: number
  exportRounds: number
  /** Companies of the list that replicas answer. */
  listedCompanies: number
  /** Size of the simulated month. */
  monthCompanies: number
  monthDays: number
  /** Refreshes that are due at once. */
  dueConnections: number
  scale: ScaleEffort
}

const FULL: Effort = {
  rounds: 5,
  seconds: 2,
  tenants: 300,
  syncRounds: 5,
  syncAccounts: 10_000,
  idleSeconds: 5,
  restSeconds: 200,
  watchSeconds: 60,
  jobs: 20_000,
  waitingJobs: 1_000_000,
  deliverySeconds: 20,
  connectorAccounts: 20_000,
  ledgerTransactions: 1_000_000,
  loginAccounts: 10_000,
  baselineSeconds: 30,
  unchangedConnections: 10_000,
  refreshedConnections: 4_000,
  institutions: 20_000,
  pageLoads: 15,
  backupMegabytes: 1_100,
  exportedRecords: 400_000,
  exportRounds: 3,
  listedCompanies: 4_000,
  monthCompanies: 40,
  monthDays: 30,
  dueConnections: 100_000,
  scale: {
    companies: [1_000, 10_000, 100_000],
    accounts: 4,
    transactions: 16,
    samples: 100,
    msPerQuestion: 2_000,
    folder: null,
    matching: null,
  },
}
/** A quick check that the benchmarks work; its figures are not meaningful. */
const SHORT: Effort = {
  rounds: 1,
  seconds: 1,
  tenants: 10,
  syncRounds: 1,
  syncAccounts: 2_000,
  idleSeconds: 1,
  restSeconds: 1,
  watchSeconds: 1,
  jobs: 2_000,
  waitingJobs: 10_000,
  deliverySeconds: 3,
  connectorAccounts: 500,
  ledgerTransactions: 20_000,
  loginAccounts: 1_000,
  baselineSeconds: 3,
  unchangedConnections: 200,
  refreshedConnections: 100,
  institutions: 500,
  pageLoads: 2,
  backupMegabytes: 60,
  exportedRecords: 20_000,
  exportRounds: 1,
  listedCompanies: 400,
  monthCompanies: 4,
  monthDays: 6,
  dueConnections: 3_000,
  scale: { companies: [100, 1_000], accounts: 4, transactions: 16, samples: 3, msPerQuestion: 500, folder: null, matching: null },
}

/** The first and the last tenth are compared. */
const FEWEST_CONNECTIONS = 10

export interface BenchOptions {
  parts: readonly Part[]
  effort: Effort
  isShort: boolean
}

/**
 * Parses names of parts, `--short`, and the sizes of `scale`: `--companies 1000,100000`, `--transactions 16` of each,
 * `--samples 500` requests of each question however long they take, `--folder DIR` to keep the databases for the next
 * run, `--matching TEXT` for some of its questions. `--connections 4000` is the size of both measurements of `refreshes`.
 * Defaults to all parts but `scale`, which fills a disk. Throws for anything else.
 */
export function readOptions(args: readonly string[]): BenchOptions {
  const { positionals, values } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      short: { type: 'boolean' },
      companies: { type: 'string' },
      transactions: { type: 'string' },
      samples: { type: 'string' },
      connections: { type: 'string' },
      folder: { type: 'string' },
      matching: { type: 'string' },
    },
  })
  const isShort = values.short ?? false
  const effort = isShort ? SHORT : FULL
  const scale = {
    ...effort.scale,
    ...(values.companies === undefined ? {} : { companies: values.companies.split(',').map((size) => toSize(size)) }),
    ...(values.transactions === undefined ? {} : { transactions: toSize(values.transactions) }),
    ...(values.samples === undefined ? {} : { samples: toSize(values.samples), msPerQuestion: Number.POSITIVE_INFINITY }),
    ...(values.folder === undefined ? {} : { folder: values.folder }),
    ...(values.matching === undefined ? {} : { matching: values.matching }),
  }
  const connections = values.connections === undefined ? null : toSize(values.connections, FEWEST_CONNECTIONS)
  const refreshes = connections === null ? {} : { unchangedConnections: connections, refreshedConnections: connections }
  const parts = positionals.map(toPart)
  return {
    parts: parts.length > 0 ? parts : PARTS.filter((part) => part !== 'scale'),
    effort: { ...effort, ...refreshes, scale },
    isShort,
  }
}

function toSize(text: string, least = 1): number {
  const size = Number(text)
  if (!Number.isInteger(size) || size < least) throw new Error(`not a size: ${text}`)
  return size
}

function toPart(arg: string): Part {
  const part = PARTS.find((name) => name === arg)
  if (!part)
    throw new Error(
      `unknown argument ${JSON.stringify(arg)}; known: ${PARTS.join(', ')}, --short, --companies, --transactions, --samples, --folder, --matching and --connections`,
    )
  return part
}
