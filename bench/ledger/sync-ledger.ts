import { createReadStream, createWriteStream, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { pipeline } from 'node:stream/promises'
import pg from 'pg'
import { from, to } from 'pg-copy-streams'
import { openBank } from '../bank/bank.ts'
import { addTenant, type Deployment, databaseBytes, openDeployment, syncTenant } from '../deployment.ts'
import { openMeter } from '../scale/processor-time.ts'
import type { LedgerResult } from '../transactions.ts'
import { openLedger } from './ledger.ts'

/** A timer of this interval is late by the delay. */
const DELAY_RESOLUTION_MS = 5

/**
 * Runs in its own process, so that only its memory is counted: `node sync-ledger.ts TRANSACTIONS [ACCOUNTS]` syncs a
 * ledger, or a bank login with that many accounts. The last line printed is the result.
 */
const [transactions = 0, accounts = 0] = process.argv.slice(2).map(Number)
const ledger = accounts > 0 ? openBank(accounts, transactions) : openLedger(transactions)
const deployment = await openDeployment(ledger)
try {
  const tenant = await addTenant(deployment, 'ledger')
  const timed = async (): Promise<number> => {
    const [startedMs, fetchedMs] = [performance.now(), ledger.fetchedMs()]
    await syncTenant(deployment, tenant)
    return performance.now() - startedMs - (ledger.fetchedMs() - fetchedMs)
  }
  const emptyBytes = await databaseBytes(deployment.database)
  const delays = monitorEventLoopDelay({ resolution: DELAY_RESOLUTION_MS })
  delays.enable()
  const blocking = watchEventLoopBlocking()
  const before = readProcessorTime()
  const meter = await openMeter(deployment.database)
  const tookMs = await timed()
  const used = await meter.read(transactions + accounts)
  const after = readProcessorTime()
  const addedBytes = (await databaseBytes(deployment.database)) - emptyBytes
  const unchangedMs = await timed()
  delays.disable()
  const longestBlockMs = blocking.stop()
  // Source: https://man7.org/linux/man-pages/man5/proc_pid_status.5.html (VmHWM); on other systems Node's own figure.
  const peakMiB =
    process.platform === 'linux'
      ? Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) / 1_024
      : process.resourceUsage().maxRSS / 1_024
  const bare = await copyRecords(deployment, transactions + accounts)
  const result: LedgerResult = {
    transactions,
    tookMs,
    peakMiB,
    unchangedMs,
    bareMs: bare.ms,
    postgresMicros: used.postgres,
    bareMicros: bare.micros,
    addedBytes,
    longestDelayMs: delays.max / 1e6 - DELAY_RESOLUTION_MS,
    usualDelayMs: delays.percentile(99.9) / 1e6 - DELAY_RESOLUTION_MS,
    longestBlockMs,
    withheld: (after.withheld - before.withheld) / (after.all - before.all),
  }
  process.stdout.write(`${JSON.stringify(result)}\n`)
} finally {
  await deployment.close()
}

/**
 * Event-loop blocking: the longest time for which the main thread worked without coming back to its event loop, by
 * processor time. Other work of the machine does not count; that of the source does, which runs in this process.
 */
function watchEventLoopBlocking(): { stop(): number } {
  let longestMicros = 0
  let before = process.threadCpuUsage()
  const timer = setInterval(() => {
    const used = process.threadCpuUsage(before)
    longestMicros = Math.max(longestMicros, used.user + used.system)
    before = process.threadCpuUsage()
  }, DELAY_RESOLUTION_MS)
  return {
    stop: () => {
      clearInterval(timer)
      return longestMicros / 1_000
    },
  }
}

/**
 * Total over all processors since boot; off Linux, no time counts as withheld.
 * Source: https://man7.org/linux/man-pages/man5/proc_stat.5.html (steal).
 */
function readProcessorTime(): { all: number; withheld: number } {
  if (process.platform !== 'linux') return { all: performance.now(), withheld: 0 }
  const [user = 0, nice = 0, system = 0, idle = 0, wait = 0, interrupts = 0, softInterrupts = 0, withheld = 0] = readFileSync(
    '/proc/stat',
    'utf8',
  )
    .slice('cpu '.length, 200)
    .trim()
    .split(' ')
    .map(Number)
  return { all: user + nice + system + idle + wait + interrupts + softInterrupts + withheld, withheld }
}

/** What PostgreSQL needs to load the same rows. */
interface Baseline {
  ms: number
  /** Processor time of PostgreSQL for a row, in microseconds. */
  micros: number
}

/**
 * Baseline: plain COPY of the same rows from a file into a table with the same columns and indexes, without row-level
 * security, a source, a mapping or staging.
 */
async function copyRecords({ database, databaseUrl, dataDir }: Deployment, rows: number): Promise<Baseline> {
  const file = join(dataDir, 'bare-records')
  // NOTE not one of the pool, which answers statements in a way that COPY does not know.
  const client = new pg.Client({ connectionString: databaseUrl, options: '-c countinghouse.instance=*' })
  await client.connect()
  try {
    await client.query('create table bare_records (like record_versions including defaults including generated including indexes)')
    const columns = await listColumns(client)
    await pipeline(client.query(to(`copy (select ${columns} from record_versions) to stdout`)), createWriteStream(file))
    const meter = await openMeter(database)
    const startedMs = performance.now()
    await pipeline(createReadStream(file), client.query(from(`copy bare_records (${columns}) from stdin`)))
    return { ms: performance.now() - startedMs, micros: (await meter.read(rows)).postgres }
  } finally {
    await client.end()
    await rm(file, { force: true })
  }
}

/** Columns of a record that are not generated. */
async function listColumns(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ columns: string }>(
    `select string_agg(attname, ', ' order by attnum) as columns from pg_attribute
     where attrelid = 'record_versions'::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
  )
  return rows[0]?.columns ?? ''
}
