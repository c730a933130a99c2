import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { atLeast, atMost, type Figure, untargeted } from './figures.ts'
import type { Probes } from './ledger/prober.ts'
import type { WorkerResult } from './ledger/sync-worker.ts'
import type { Effort } from './options.ts'
import { printProgress } from './progress.ts'
import { quantile } from './statistics.ts'

const PROBES: readonly [keyof Probes, string][] = [
  ['health', 'health answer'],
  ['heartbeats', 'heartbeat'],
  ['deliveries', 'delivery'],
]

/** Result printed by the syncing process. */
export interface LedgerResult {
  transactions: number
  /**
   * Milliseconds from the first call of the source to the commit of the publication, less the time spent in the
   * source.
   */
  tookMs: number
  /** Peak resident memory of the process. */
  peakMiB: number
  /** Milliseconds of a refresh that lists everything again, unchanged. */
  unchangedMs: number
  /** Milliseconds of a plain COPY of the same rows into a table with the same columns and indexes. */
  bareMs: number
  /** Processor time of PostgreSQL for one record: in the first sync, and of that COPY. */
  postgresMicros: number
  bareMicros: number
  /** Bytes that the first sync added to the database. */
  addedBytes: number
  /** How late a timer of the process was at most, and in 999 of 1,000 cases, over both syncs. The source works in the same process. */
  longestDelayMs: number
  usualDelayMs: number
  /** Longest time for which the main thread, that of the source too, blocked the event loop, by its processor time. */
  longestBlockMs: number
  /** Share of processor time that the host gave to other machines during the first sync. */
  withheld: number
}

/**
 * A ledger and a bank login of a million transactions, each synced for the first time by its own process, whose memory
 * is measured; then each by a worker that is probed, which would change the other figures.
 */
export async function benchTransactions({ ledgerTransactions, loginAccounts, baselineSeconds }: Effort): Promise<Figure[]> {
  const shown = ledgerTransactions.toLocaleString('en-US')
  printProgress(`transactions: a ledger of ${shown}`)
  const ledger = await syncApart<LedgerResult>('sync-ledger', [ledgerTransactions])
  printProgress(`transactions: a bank login of ${shown}`)
  const login = await syncApart<LedgerResult>('sync-ledger', [ledgerTransactions, loginAccounts])
  printProgress(`transactions: a ledger of ${shown} in a worker that is probed`)
  const ledgerWorker = await syncApart<WorkerResult>('sync-worker', [ledgerTransactions, 0, baselineSeconds])
  printProgress(`transactions: a bank login of ${shown} in a worker that is probed`)
  const loginWorker = await syncApart<WorkerResult>('sync-worker', [ledgerTransactions, loginAccounts, baselineSeconds])
  const rate = (ledger.transactions / ledger.tookMs) * 1_000
  return [
    atLeast(`first sync of ${shown} transactions of one company, rows/s into the database`, rate, 20_000, 0),
    atMost('  most resident memory of the process, MiB', ledger.peakMiB, 400, 0),
    atMost('  longest delay of its event loop, ms', ledger.longestDelayMs, 50, 0),
    untargeted('  delay in 999 of 1,000 cases, ms', ledger.usualDelayMs.toFixed(0)),
    atMost('  longest blocking of its event loop, with the source, ms of processor time', ledger.longestBlockMs, 50, 0),
    untargeted('  first sync, s', (ledger.tookMs / 1_000).toFixed(1)),
    ...compareWithCopy(ledger),
    untargeted('  bytes of the database for each transaction', (ledger.addedBytes / ledger.transactions).toFixed(0)),
    untargeted('  withheld by the host of the machine meanwhile', `${(ledger.withheld * 100).toFixed(0)} %`),
    untargeted('  the same ledger again, unchanged, s', (ledger.unchangedMs / 1_000).toFixed(1)),
    atMost(`bank login of ${loginAccounts.toLocaleString('en-US')} accounts and ${shown} movements, s`, login.tookMs / 1_000, 90, 1),
    ...compareWithCopy(login),
    untargeted('  withheld by the host of the machine meanwhile', `${(login.withheld * 100).toFixed(0)} %`),
    atMost('  most resident memory of the process, MiB', login.peakMiB, 400, 0),
    atMost('  longest delay of its event loop, ms', login.longestDelayMs, 50, 0),
    untargeted('  delay in 999 of 1,000 cases, ms', login.usualDelayMs.toFixed(0)),
    atMost('  longest blocking of its event loop, with the source, ms of processor time', login.longestBlockMs, 50, 0),
    ...compareProbes('that ledger', ledgerWorker),
    ...compareProbes('that bank login', loginWorker),
  ]
}

/**
 * How late health answers, heartbeats and deliveries of a process are while it syncs. The product delivers in the process that
 * syncs, whose role is `worker` or `all`.
 */
function compareProbes(source: string, { baseline, syncing, longestDelayMs }: WorkerResult): Figure[] {
  const show = (samples: number[]) => `${samples.length}; ${quantile(samples, 0.5).toFixed(1)}; ${Math.max(...samples).toFixed(1)}`
  return [
    untargeted(`worker during a first and a second sync of ${source}: longest delay of its event loop, ms`, longestDelayMs.toFixed(0)),
    ...PROBES.flatMap(([name, shown]) => [
      atMost(
        `  longest delay of a ${shown} above the median without a sync, ms`,
        Math.max(...syncing[name]) - quantile(baseline[name], 0.5),
        50,
        0,
      ),
      untargeted('    number; p50; longest, ms', show(syncing[name])),
      untargeted('    the same without a sync', show(baseline[name])),
    ]),
  ]
}

/** More meaningful than a rate on a machine whose speed varies; by processor time also beside other work. */
function compareWithCopy({ bareMs, tookMs, bareMicros, postgresMicros }: LedgerResult): Figure[] {
  return [
    atLeast('  plain COPY of its rows takes this share of the first sync', bareMs / tookMs, 0.6, 2),
    untargeted('  plain COPY of its rows, s', (bareMs / 1_000).toFixed(1)),
    untargeted('  processor time of PostgreSQL for a record, µs; of COPY alone', `${postgresMicros.toFixed(1)}; ${bareMicros.toFixed(1)}`),
  ]
}

/** Runs a program of the folder `ledger`; returns the result that it prints. */
async function syncApart<Result>(program: 'sync-ledger' | 'sync-worker', numbers: number[]): Promise<Result> {
  const path = join(import.meta.dirname, 'ledger', `${program}.ts`)
  const child = spawn(process.execPath, [path, ...numbers.map(String)], { stdio: ['ignore', 'pipe', 'inherit'] })
  let last = ''
  createInterface({ input: child.stdout }).on('line', (line) => {
    last = line
  })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error('the syncing process failed')
  return JSON.parse(last) as Result
}
