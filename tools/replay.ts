import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { startWorker } from '../src/jobs/worker.ts'
import { listInstanceIds } from '../src/store/access/instances.ts'
import { inTransaction } from '../src/store/db/database.ts'
import { type ReplayReport, readReplayReport } from '../src/store/records/replay-reports.ts'
import { createReplay } from '../src/store/records/replays.ts'
import type { SyncDeps } from '../src/sync/context/deps.ts'
import { handleReplayJob } from '../src/sync/replay/replay.ts'
import { openReplayDeps } from './replay-deps.ts'

const USAGE = `usage: npm run replay -- [--dry-run] [--instance ID] [--company ID] [--service ID] [--connector KEY]

Normalizes stored raw pages again and publishes what comes out differently; with --dry-run it only reports. No source is asked.
DATABASE_URL, DATA_DIR and LOG_LEVEL are read as by the service. On the database that comes along, the service must not be running.`

const LOOK_MS = 200
const AT_ONCE = 4

/** What is replayed; null covers all. */
export interface ReplayOptions {
  instanceId: string | null
  companyId: string | null
  serviceId: string | null
  connectorKey: string | null
  isDryRun: boolean
}

/** Throws with one line that says what is wrong. */
export function readReplayOptions(args: readonly string[]): ReplayOptions {
  const wish: ReplayOptions = { instanceId: null, companyId: null, serviceId: null, connectorKey: null, isDryRun: false }
  const names = { '--instance': 'instanceId', '--company': 'companyId', '--service': 'serviceId', '--connector': 'connectorKey' } as const
  for (let at = 0; at < args.length; at += 1) {
    const [name = '', inline] = (args[at] ?? '').split('=', 2)
    if (name === '--dry-run') {
      wish.isDryRun = true
      continue
    }
    const property = Object.entries(names).find(([known]) => known === name)?.[1]
    if (!property) throw new Error(`${JSON.stringify(name)}: unknown argument`)
    const value = inline ?? args[++at] ?? ''
    const isFit = property === 'connectorKey' ? /^[a-z][a-z0-9-]*$/.test(value) : /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value)
    if (!isFit) throw new Error(`${name}: ${property === 'connectorKey' ? 'wanted is the key of a connector' : 'wanted is an id'}`)
    wish[property] = value.toLowerCase()
  }
  return wish
}

/**
 * One replay per instance, worked off here and by whatever other workers there are; gives the reports when all are finished. Stopped before,
 * it throws: the service goes on with what is left.
 */
export async function runReplays(
  deps: SyncDeps,
  wish: ReplayOptions,
  signal: AbortSignal,
): Promise<{ instanceId: string; report: ReplayReport }[]> {
  const { database } = deps
  const asked: { instanceId: string; id: string }[] = []
  for (const instanceId of wish.instanceId === null ? await listInstanceIds(database) : [wish.instanceId]) {
    const id = randomUUID()
    await inTransaction(database, (db) => createReplay(db, { ...wish, instanceId, id, requestedBy: 'npm run replay' }))
    asked.push({ instanceId, id })
  }
  const worker = startWorker({
    database,
    concurrency: AT_ONCE,
    handlers: {
      replay: (job, signal) =>
        handleReplayJob(deps, {
          instanceId: job.instanceId,
          connectionId: String(job.payload.connectionId),
          attempt: job.attempts,
          isStopping: signal.isStopping,
        }),
    },
    onError: (error, job) => deps.log.error({ err: error, jobId: job?.id }, 'job failed'),
  })
  try {
    const reports = []
    for (const { instanceId, id } of asked) reports.push({ instanceId, report: await waitForReplay(deps, instanceId, id, signal) })
    return reports
  } finally {
    await worker.stop()
  }
}

async function waitForReplay(deps: SyncDeps, instanceId: string, id: string, signal: AbortSignal): Promise<ReplayReport> {
  for (;;) {
    const report = await readReplayReport(deps.database, instanceId, id)
    if (report.connections.waiting === 0) return report
    if (signal.aborted) throw new Error('stopped; what is left stays in the queue for the service')
    await wait(LOOK_MS)
  }
}

/** The report in words, for a person at a terminal. */
export function toLines(instanceId: string, report: ReplayReport, isDryRun: boolean): string[] {
  const { connections, counts, changes, failures } = report
  const { changed, added, setAside, records, pages } = counts
  return [
    `instance ${instanceId}: ${connections.done} connections replayed, ${connections.skipped} skipped, ${connections.failed} failed`,
    `  ${records} records from ${pages} pages: ${changed} ${isDryRun ? 'would change' : 'changed'}, ${added} mended, ${setAside} set aside`,
    ...(counts.withoutPage > 0 ? [`  ${counts.withoutPage} records without their raw page stay as they are`] : []),
    ...(counts.unreadablePages > 0 ? [`  ${counts.unreadablePages} pages could not be read`] : []),
    ...changes.flatMap(({ entity, field, count, examples }) => [
      `  ${entity}.${field}: ${count}`,
      ...examples.map(({ recordId, before, after }) => `    ${recordId}: ${JSON.stringify(before)} → ${JSON.stringify(after)}`),
    ]),
    ...failures.map(({ connectionId, error }) => `  connection ${connectionId} failed: ${error}`),
  ]
}

async function main(): Promise<void> {
  const wish = readReplayOptions(process.argv.slice(2))
  const replayDeps = await openReplayDeps(process.env)
  const stopping = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort())
  try {
    const reports = await runReplays(replayDeps.deps, wish, stopping.signal)
    for (const { instanceId, report } of reports) process.stdout.write(`${toLines(instanceId, report, wish.isDryRun).join('\n')}\n`)
    if (reports.some(({ report }) => report.connections.failed > 0)) process.exitCode = 1
  } finally {
    await replayDeps.close()
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  if (process.argv.includes('--help')) process.stdout.write(`${USAGE}\n`)
  else {
    await main().catch((error: unknown) => {
      process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}\n`)
      process.exitCode = 2
    })
  }
}
