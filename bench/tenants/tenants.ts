import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { openBank } from '../bank/bank.ts'
import { moveToLoadCores, moveToServerCore } from '../cores.ts'
import { openDeployment } from '../deployment.ts'
import { atMost, type Figure, untargeted } from '../figures.ts'
import type { LoadRequest, LoadResult } from '../load/load.ts'
import type { Effort } from '../options.ts'
import { printProgress } from '../progress.ts'
import { toPageRequest } from '../reads/subjects.ts'
import { addReaders, type Reader } from '../reads/tenants.ts'
import { type BenchServer, startServer } from '../servers/start.ts'
import { median, quantile } from '../statistics.ts'

const run = promisify(execFile)
const LOAD = join(import.meta.dirname, 'load.ts')
const ACCOUNTS = 100
/** Connections of the tenant that loads the server. */
const THREADS = 24
/** Maximum waiting time of another tenant, as a multiple of that on an idle server. */
const MOST = 2
/** Most requests of the measured tenant in a second: it is no load itself. */
const PAUSE_MS = 5
const LEAD_MS = 500

type Kind = 'a page of accounts' | 'a list of companies' | 'a new link'

/** What a tenant waits for its answers (95th percentile) while another tenant sends requests on 24 connections, as a multiple of idle. */
export async function benchTenants({ rounds, seconds }: Effort): Promise<Figure[]> {
  await moveToLoadCores(process.pid)
  const deployment = await openDeployment(openBank(ACCOUNTS))
  let server: BenchServer | null = null
  try {
    const [loud, quiet] = await addReaders(deployment, 2)
    if (!loud || !quiet) throw new Error('two tenants are needed')
    const { databaseUrl, dataDir, serviceId } = deployment
    server = await startServer('countinghouse', { databaseUrl, dataDir, pageCacheBytes: 0 })
    await moveToServerCore(server.pid)
    const figures: Figure[] = []
    for (const kind of ['a page of accounts', 'a list of companies', 'a new link'] as const) {
      printProgress(`tenants: ${kind}`)
      const measured: { idle: number; loaded: number; perSecond: number }[] = []
      const asked = requestOf(quiet, kind, serviceId)
      await measure(server, asked, 1_000)
      for (let round = 0; round < rounds; round += 1) {
        const idle = await measure(server, asked, seconds * 1_000)
        const loading = startLoad(server, requestOf(loud, 'a page of accounts', serviceId), seconds + 1)
        await new Promise((resolve) => setTimeout(resolve, LEAD_MS))
        const loaded = await measure(server, asked, seconds * 1_000)
        measured.push({ idle, loaded, perSecond: (await loading).perSecond })
      }
      const ratio = median(measured.map(({ idle, loaded }) => loaded / idle))
      figures.push(
        atMost(`${kind}, p95 while another tenant has ${THREADS} requests under way, of idle`, ratio, MOST),
        untargeted(
          '  idle and loaded, ms',
          `${median(measured.map(({ idle }) => idle)).toFixed(1)} and ${median(measured.map(({ loaded }) => loaded)).toFixed(1)}`,
        ),
        // Without a target: it tells whether the loads of two runs, and so their ratios, can be compared.
        untargeted('  requests of the other tenant a second', median(measured.map(({ perSecond }) => perSecond)).toFixed(0)),
      )
    }
    return figures
  } finally {
    await server?.close()
    await deployment.close()
  }
}

function requestOf(reader: Reader, kind: Kind, serviceId: string): LoadRequest {
  if (kind === 'a page of accounts') return toPageRequest(reader, serviceId)
  const headers = { authorization: `Bearer ${reader.token}` }
  if (kind === 'a list of companies') return { path: '/admin/api/v1/normalized-data/companies?PageSize=100', headers }
  return { path: `/admin/api/v1/normalized-data/company/${reader.companyId}/data-connection/${serviceId}/link`, headers }
}

/** 95th percentile in milliseconds of requests one after the other. */
async function measure({ port }: BenchServer, { path, headers }: LoadRequest, ms: number): Promise<number> {
  const times: number[] = []
  for (const end = performance.now() + ms; performance.now() < end; ) {
    const start = performance.now()
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers })
    await response.arrayBuffer()
    if (!response.ok) throw new Error(`${path} answered ${response.status}`)
    times.push(performance.now() - start)
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
  }
  return quantile(times, 0.95)
}

async function startLoad({ port }: BenchServer, request: LoadRequest, seconds: number): Promise<LoadResult> {
  const target = { port, requests: [request], connections: THREADS, seconds }
  const { stdout } = await run(process.execPath, [LOAD, JSON.stringify(target)])
  return JSON.parse(stdout) as LoadResult
}
