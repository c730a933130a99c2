import { randomUUID } from 'node:crypto'
import { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { to as copyTo } from 'pg-copy-streams'
import { createSession } from '../src/store/db/connection/store-client.ts'
import { withinInstance } from '../src/store/db/instance-scope.ts'
import { EXPORT_FORMATS, type ExportFormat, findExport } from '../src/store/exports/exports.ts'
import { requestExport } from '../src/sync/exports/request-export.ts'
import { openBank } from './bank/bank.ts'
import { type Deployment, openDeployment } from './deployment.ts'
import { atLeast, atMost, type Figure, untargeted } from './figures.ts'
import { chooseLoadTool, type LoadTarget } from './load/load.ts'
import { mayComeFirst } from './load/wrk.ts'
import type { Effort } from './options.ts'
import { printProgress } from './progress.ts'
import { toPageRequest } from './reads/subjects.ts'
import { addReaders, type Reader } from './reads/tenants.ts'
import { type BenchServer, startServer } from './servers/start.ts'
import { median, spread } from './statistics.ts'

const ACCOUNTS = 100
const PAGE_CACHE_BYTES = 64 * 1_024 * 1_024
/** Readers are few and pause: what is measured is how long one of them waits, not how many the machine can serve. */
const CONNECTIONS = 8
const PAUSE_MS = 20
const SLICE_SECONDS = 1
const WARM_UP_SECONDS = 3
/** Slices before and after an export. */
const IDLE_SLICES = 3
const FILLED_AT_ONCE = 20_000

/** Where exports are written: by a child of the process that answers reads, or by a worker beside it, as the guides install both. */
const LAYOUTS = ['one process', 'a worker of its own'] as const
type Layout = (typeof LAYOUTS)[number]

interface Setup {
  deployment: Deployment
  owner: Reader
  rows: number
  reads: LoadTarget
}

/** Exports while others read. Bare: the same rows by COPY, which are neither encoded, nor compressed, nor sealed. */
export async function benchExports(effort: Effort): Promise<Figure[]> {
  const deployment = await openDeployment(openBank(ACCOUNTS))
  try {
    const [owner, reader] = await addReaders(deployment, 2)
    if (!owner || !reader) throw new Error('there are no readers')
    await fill(deployment, owner, effort.exportedRecords)
    const figures: Figure[] = []
    for (const layout of LAYOUTS) {
      const servers = await startServers(deployment, layout)
      try {
        const requests = [toPageRequest(reader, deployment.serviceId)]
        const pace = { connections: CONNECTIONS, seconds: SLICE_SECONDS, pauseMs: PAUSE_MS }
        const reads = { port: servers[0].port, requests, ...pace, comesFirst: true }
        const setup = { deployment, owner, rows: effort.exportedRecords, reads }
        figures.push(...(await compare(setup, layout, effort.exportRounds)))
      } finally {
        for (const server of servers) await server.close()
      }
    }
    return figures
  } finally {
    await deployment.close()
  }
}

/** The first one answers requests. */
async function startServers({ databaseUrl, dataDir }: Deployment, layout: Layout): Promise<[BenchServer, ...BenchServer[]]> {
  const request = { databaseUrl, dataDir, pageCacheBytes: PAGE_CACHE_BYTES }
  const start = async (more: object) => await startServer('countinghouse', { ...request, ...more }, { hasSession: true })
  if (layout === 'one process') return [await start({ hasWorker: true })]
  return [await start({}), await start({ hasWorker: true, isBeside: true })]
}

/** Published records of one account, written straight into their table. */
async function fill({ database, serviceId }: Deployment, { instanceId, companyId }: Reader, rows: number): Promise<void> {
  printProgress(`exports: ${rows} records`)
  // In steps: a statement of the service's pool has 30 seconds.
  for (let from = 1; from <= rows - ACCOUNTS; from += FILLED_AT_ONCE)
    await database.query(
      `insert into record_versions (instance_id, company_id, service_id, entity, id, valid_from, orig_id, connection_id, doc, content_hash, sort_key,
         run_id, raw_index, mapping_version)
       select instance_id, company_id, service_id, entity, gen_random_uuid(), valid_from, 'n' || n, connection_id, doc, content_hash, n::text, run_id, 0, 1
       from (select * from record_versions where instance_id = $1 and company_id = $2 and entity = 'Accounts' limit 1) r,
         generate_series($3::bigint, $4::bigint) n`,
      [instanceId, companyId, from, Math.min(from + FILLED_AT_ONCE - 1, rows - ACCOUNTS)],
    )
  await database.query('update publications set accounts = $1 where instance_id = $2 and company_id = $3 and service_id = $4', [
    ...[rows, instanceId, companyId, serviceId],
  ])
  await database.query('analyze record_versions')
}

async function compare(setup: Setup, layout: Layout, rounds: number): Promise<Figure[]> {
  const speeds = new Map<ExportFormat, number[]>(EXPORT_FORMATS.map((format) => [format, []]))
  const shares: number[] = []
  const tails: number[] = []
  const bareTails: number[] = []
  const stillTails: number[] = []
  await warmUp(setup)
  for (let round = 1; round <= rounds; round++) {
    for (const format of EXPORT_FORMATS) {
      printProgress(`exports: ${layout}, ${format}, round ${round} of ${rounds}`)
      const before = await readSlices(setup, IDLE_SLICES)
      const bare = await whileReading(setup, () => copyAll(setup))
      const ours = await whileReading(setup, () => exportAll(setup, format))
      const still = median([...before, ...(await readSlices(setup, IDLE_SLICES))])
      speeds.get(format)?.push(ours.perSecond)
      shares.push(ours.perSecond / bare.perSecond)
      tails.push(ours.p99Ms / still)
      bareTails.push(bare.p99Ms / still)
      stillTails.push(still)
    }
  }
  return [
    ...EXPORT_FORMATS.flatMap((format) => {
      const measured = speeds.get(format) ?? []
      return [
        atLeast(`${layout}: records/s exported as ${format} while others read`, median(measured), 50_000, 0),
        untargeted('    rounds', spread(measured, 0)),
      ]
    }),
    untargeted('  share of a bare COPY of the same rows, median and rounds', `${median(shares).toFixed(2)} (${spread(shares)})`),
    atMost(`${layout}: p99 of reads during an export, times idle`, median(tails), 1.5),
    untargeted('    rounds; during a bare COPY', `${spread(tails)}; ${median(bareTails).toFixed(2)} (${spread(bareTails)})`),
    untargeted('    idle, ms', spread(stillTails)),
    untargeted(
      '    the load',
      chooseLoadTool().name === 'wrk' && (await mayComeFirst())
        ? 'goes before the servers on the processors'
        : 'waits for the processors like the servers',
    ),
  ]
}

/** Reads without a pause: a server whose code is still being compiled has a longer tail when idle, and a better ratio. */
async function warmUp({ reads: { pauseMs: _pause, ...reads } }: Setup): Promise<void> {
  await chooseLoadTool().run({ ...reads, seconds: WARM_UP_SECONDS })
}

/** 99th percentile of each slice, in milliseconds. */
async function readSlices({ reads }: Setup, slices: number): Promise<number[]> {
  const tool = chooseLoadTool()
  const tails: number[] = []
  for (let slice = 0; slice < slices; slice++) {
    const { p99Ms, failed } = await tool.run(reads)
    if (failed > 0) throw new Error(`${failed} reads failed`)
    tails.push(p99Ms)
  }
  return tails
}

/** Reads for as long as `work` takes, in slices; one that goes on beyond its end counts only if there is no other. */
async function whileReading(setup: Setup, work: () => Promise<void>): Promise<{ perSecond: number; p99Ms: number }> {
  const startedMs = performance.now()
  let endedMs: number | null = null
  const working = work().then(() => {
    endedMs = performance.now()
  })
  const tails: number[] = []
  while (endedMs === null) tails.push(...(await readSlices(setup, 1)))
  await working
  const whole = tails.length > 1 ? tails.slice(0, -1) : tails
  return { perSecond: (setup.rows * 1_000) / (endedMs - startedMs), p99Ms: median(whole) }
}

async function copyAll({ deployment, owner }: Setup): Promise<void> {
  // NOTE a separate connection: a reader cannot slow down those of the pool.
  const client = createSession(deployment.databaseUrl, 'bench')
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  await client.connect()
  try {
    await client.query(`select set_config('countinghouse.instance', '*', false)`)
    const text = `copy (select doc from record_versions where instance_id = '${owner.instanceId}' and entity = 'Accounts' order by id) to stdout`
    await pipeline(client.query(copyTo(text)), nowhere)
  } finally {
    await client.end()
  }
}

async function exportAll({ deployment, owner, rows }: Setup, format: ExportFormat): Promise<void> {
  const { instanceId, companyId } = owner
  const wanted = {
    instanceId,
    id: randomUUID(),
    companyId,
    category: 'Banking' as const,
    entity: 'Accounts' as const,
    format,
    requestedBy: 'bench',
  }
  await withinInstance(instanceId, async () => {
    await requestExport(deployment.sync, wanted, async () => undefined)
    for (;;) {
      const made = await findExport(deployment.database, wanted)
      if (made?.state === 'failed') throw new Error(`the export failed: ${made.error}`)
      if (made?.state === 'completed' && made.rows === rows) return
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  })
}
