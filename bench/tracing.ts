import { createServer } from 'node:http'
import { openBank } from './bank/bank.ts'
import { moveToLoadCores, moveToServerCore } from './cores.ts'
import { openDeployment } from './deployment.ts'
import { atLeast, type Figure, untargeted } from './figures.ts'
import { chooseLoadTool } from './load/load.ts'
import type { Effort } from './options.ts'
import { printProgress } from './progress.ts'
import { measure } from './reads/rounds.ts'
import { read, type Subject, toPageRequest } from './reads/subjects.ts'
import { addReaders } from './reads/tenants.ts'
import { listen } from './servers/child.ts'
import { startServer } from './servers/start.ts'

const ACCOUNTS = 100
const CACHE_BYTES = 64 * 1_024 * 1_024
const CONNECTIONS = 32
const HEAD_BYTES = 2_000
/**
 * Number of short alternating measurements: other load disturbs some of them, so the cheapest of each kind are
 * compared.
 */
const SLICES = 4
const MAX_TENANTS = 50

/**
 * Cached reads by processor time of the server: with tracing off as a share of a build without tracing, and with tracing
 * as shares of the same server with tracing off. All take turns in one run.
 */
export async function benchTracing(effort: Effort): Promise<Figure[]> {
  await moveToLoadCores(process.pid)
  const tool = chooseLoadTool()
  const deployment = await openDeployment(openBank(ACCOUNTS))
  const collector = await listen(createServer((request, response) => request.resume().on('end', () => response.end())))
  const address = collector.address()
  const tracesUrl = typeof address === 'object' ? `http://127.0.0.1:${address?.port}/v1/traces` : ''
  const closers: (() => Promise<unknown>)[] = []
  try {
    const readers = await addReaders(deployment, Math.min(effort.tenants, MAX_TENANTS))
    const requests = readers.map((reader) => toPageRequest(reader, deployment.serviceId))
    const open = async (name: string, ratio: number | null, before: readonly string[] = []): Promise<Subject> => {
      const { databaseUrl, dataDir } = deployment
      const tracing = ratio === null ? {} : { tracing: { tracesUrl, ratio } }
      const server = await startServer('countinghouse', { databaseUrl, dataDir, pageCacheBytes: CACHE_BYTES, ...tracing }, { before })
      closers.push(() => server.close())
      await moveToServerCore(server.pid)
      let bytes = 0
      for (const request of requests) bytes += (await read(server, request)).body.length / requests.length
      return { name, server, requests, bytes: { least: bytes, most: bytes + HEAD_BYTES } }
    }
    const without = await open('without', null, ['without-tracing.ts'])
    const withoutAgain = await open('without again', null, ['without-tracing.ts'])
    const off = await open('off', null)
    const again = await open('off again', null)
    const [hundredth, hundredthAgain, all] = [await open('1 %', 0.01), await open('1 % again', 0.01), await open('100 %', 1)]
    const subjects = [without, off, hundredth, withoutAgain, again, hundredthAgain, all]
    const least = new Map<Subject, number>()
    for (let round = 0; round <= effort.rounds * SLICES; round++) {
      printProgress(`tracing: round ${round} of ${effort.rounds * SLICES}`)
      for (const subject of subjects) {
        const { cpuMicrosPerRequest } = await measure(subject, { tool, connections: CONNECTIONS, seconds: 1 })
        // The first round is a warm-up.
        if (round > 0) least.set(subject, Math.min(cpuMicrosPerRequest, least.get(subject) ?? Number.POSITIVE_INFINITY))
      }
    }
    const costOf = (subject: Subject) => least.get(subject) ?? Number.NaN
    const share = (subject: Subject) => costOf(off) / costOf(subject)
    // The cheaper of two processes each: processes of one build differ by more than tracing costs.
    const cheaper = (one: Subject, other: Subject) => Math.min(costOf(one), costOf(other))
    return [
      untargeted('cached read, microseconds of processor time with tracing off', costOf(off).toFixed(1)),
      atLeast('  off, share of a build without tracing', cheaper(without, withoutAgain) / cheaper(off, again), 0.98, 3),
      untargeted('  without in a second process, share of the first', (costOf(without) / costOf(withoutAgain)).toFixed(3)),
      untargeted('  off in a second process, share of the first', share(again).toFixed(3)),
      atLeast('  with 1 % of traces sampled, share of off', cheaper(off, again) / cheaper(hundredth, hundredthAgain), 0.9, 3),
      untargeted('  with 1 % in a second process, share of the first', (costOf(hundredth) / costOf(hundredthAgain)).toFixed(3)),
      untargeted('  with all sampled', share(all).toFixed(3)),
    ]
  } finally {
    for (const close of closers) await close()
    collector.closeAllConnections()
    collector.close()
    await deployment.close()
  }
}
