import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { atLeast, atMost, type Figure, untargeted } from './figures.ts'
import type { Effort } from './options.ts'
import { printProgress } from './progress.ts'

const CHILD = join(import.meta.dirname, 'ledger', 'sync-ledger.ts')

/** What the process that syncs tells at its end. */
export interface LedgerResult {
  transactions: number
  /** From the first call of the source to the commit of the publication, less what the source took. */
  tookMs: number
  /** Most resident memory of the process at any moment. */
  peakMiB: number
  /** A refresh that shows all of it again, unchanged. */
  unchangedMs: number
  /** PostgreSQL alone copies the same rows into a table with the same indexes. */
  bareMs: number
  /** Share of the processors' time that the host of the machine gave to others during the first sync. */
  withheld: number
}

/** A ledger and a bank login of a million movements, each synced for the first time by a process of its own whose memory is watched. */
export async function benchTransactions({ ledgerTransactions, loginAccounts }: Effort): Promise<Figure[]> {
  const shown = ledgerTransactions.toLocaleString('en-US')
  printProgress(`transactions: a ledger of ${shown}`)
  const ledger = await syncApart([ledgerTransactions])
  printProgress(`transactions: a bank login of ${shown}`)
  const login = await syncApart([ledgerTransactions, loginAccounts])
  const rate = (ledger.transactions / ledger.tookMs) * 1_000
  return [
    atLeast(`first sync of ${shown} transactions of one company, rows/s into the database`, rate, 20_000, 0),
    atMost('  most resident memory of the process, MiB', ledger.peakMiB, 400, 0),
    untargeted('  first sync, s', (ledger.tookMs / 1_000).toFixed(1)),
    untargeted('  PostgreSQL alone copies its rows, s; as a share of the first sync', toShare(ledger)),
    untargeted('  withheld by the host of the machine meanwhile', `${(ledger.withheld * 100).toFixed(0)} %`),
    untargeted('  the same ledger again, unchanged, s', (ledger.unchangedMs / 1_000).toFixed(1)),
    atMost(`bank login of ${loginAccounts.toLocaleString('en-US')} accounts and ${shown} movements, s`, login.tookMs / 1_000, 90, 1),
    untargeted('  PostgreSQL alone copies its rows, s; as a share of the login', toShare(login)),
    untargeted('  withheld by the host of the machine meanwhile', `${(login.withheld * 100).toFixed(0)} %`),
    atMost('  most resident memory of the process, MiB', login.peakMiB, 400, 0),
  ]
}

/** Says more than a rate on a machine whose speed differs from minute to minute. */
function toShare({ bareMs, tookMs }: LedgerResult): string {
  return `${(bareMs / 1_000).toFixed(1)}; ${(bareMs / tookMs).toFixed(2)}`
}

async function syncApart(numbers: number[]): Promise<LedgerResult> {
  const child = spawn(process.execPath, [CHILD, ...numbers.map(String)], { stdio: ['ignore', 'pipe', 'inherit'] })
  let last = ''
  createInterface({ input: child.stdout }).on('line', (line) => {
    last = line
  })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error('the process that syncs failed')
  return JSON.parse(last) as LedgerResult
}
