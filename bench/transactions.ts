import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { atLeast, atMost, type Figure, told } from './figures.ts'
import type { Effort } from './options.ts'
import { say } from './progress.ts'

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
}

/** One company with a ledger of a million lines, synced for the first time by a process of its own whose memory is watched. */
export async function benchTransactions({ ledgerTransactions }: Effort): Promise<Figure[]> {
  const shown = ledgerTransactions.toLocaleString('en-US')
  say(`transactions: a ledger of ${shown}`)
  const child = spawn(process.execPath, [CHILD, String(ledgerTransactions)], { stdio: ['ignore', 'pipe', 'inherit'] })
  let last = ''
  createInterface({ input: child.stdout }).on('line', (line) => {
    last = line
  })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error('the process that syncs the ledger failed')
  const result = JSON.parse(last) as LedgerResult
  return [
    atLeast(
      `first sync of ${shown} transactions of one company, rows/s into the database`,
      (result.transactions / result.tookMs) * 1_000,
      20_000,
      0,
    ),
    atMost('  most resident memory of the process, MiB', result.peakMiB, 400, 0),
    told('  first sync, s', (result.tookMs / 1_000).toFixed(1)),
    told('  the same ledger again, unchanged, s', (result.unchangedMs / 1_000).toFixed(1)),
  ]
}
