import { availableParallelism, loadavg } from 'node:os'
import { benchBackup } from './backup.ts'
import { benchBanking } from './banking.ts'
import { benchConnectors } from './connectors.ts'
import { benchExports } from './exports.ts'
import { type Figure, toTable, untargeted } from './figures.ts'
import { benchIdle } from './idle.ts'
import { benchJobs } from './jobs.ts'
import { benchMemory } from './memory.ts'
import { benchMonth } from './month.ts'
import { type BenchOptions, type Part, readOptions } from './options.ts'
import { benchPortal } from './portal.ts'
import { benchReads } from './reads/reads.ts'
import { benchReplicas } from './reads/replicas.ts'
import { benchRefreshes } from './refreshes/refreshes.ts'
import { benchScale } from './scale/scale.ts'
import { benchSchedules } from './scale/schedules.ts'
import { benchStart } from './start.ts'
import { benchSync } from './sync.ts'
import { benchTenants } from './tenants/tenants.ts'
import { benchTracing } from './tracing.ts'
import { benchTransactions } from './transactions.ts'
import { benchUploads } from './uploads.ts'
import { benchWebhooks } from './webhooks.ts'

const PARTS: Record<Part, (effort: BenchOptions['effort']) => Promise<Figure[]>> = {
  reads: benchReads,
  sync: benchSync,
  memory: benchMemory,
  start: benchStart,
  idle: benchIdle,
  jobs: benchJobs,
  webhooks: benchWebhooks,
  connectors: benchConnectors,
  transactions: benchTransactions,
  refreshes: benchRefreshes,
  banking: benchBanking,
  uploads: benchUploads,
  portal: benchPortal,
  backup: benchBackup,
  tracing: benchTracing,
  tenants: benchTenants,
  exports: benchExports,
  replicas: benchReplicas,
  scale: ({ scale }) => benchScale(scale),
  schedules: benchSchedules,
  month: benchMonth,
}

/**
 * `npm run bench [--
 * reads|sync|memory|start|idle|jobs|webhooks|connectors|transactions|refreshes|banking|uploads|portal|backup|tracing|tenants|exports|replicas|scale|schedules|month]
 * [--short] [--companies N,N,…] [--transactions N] [--samples N] [--folder DIR] [--matching TEXT] [--connections N]`: prints a
 * table. Fails only if a measurement fails, never because of what was measured; a short run judges nothing.
 */
async function main({ parts, effort, isShort }: BenchOptions): Promise<void> {
  const figures: Figure[] = [untargeted(`load of the machine before, ${availableParallelism()} cores`, (loadavg()[0] ?? 0).toFixed(1))]
  for (const part of parts) figures.push(...(await PARTS[part](effort)))
  const shown = isShort ? figures.map((figure) => ({ ...figure, isMet: null })) : figures
  const note = isShort ? '\nA short run only shows that the bench works.\n' : ''
  process.stdout.write(`${toTable(shown)}\n${note}`)
}

/** Null, with what is wrong printed, for a command line that cannot be followed. */
function options(): BenchOptions | null {
  try {
    return readOptions(process.argv.slice(2))
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.exitCode = 2
    return null
  }
}

const wanted = options()
if (wanted) await main(wanted)
