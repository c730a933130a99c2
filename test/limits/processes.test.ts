import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { SourceLimit } from '../../src/connectors/contract/limits.ts'
import { SourcePaused } from '../../src/connectors/contract/rate-limiter.ts'
import { type LoopbackServer, serveHttp } from '../../src/egress/loopback-server.ts'
import { SharedRateLimiter } from '../../src/sync/rate-limits/shared-rate-limiter.ts'
import { type TestDatabase, testDatabase } from '../harness/database.ts'
import { until } from '../process/deadline.ts'
import { effort } from '../prove/effort.ts'
import { reportFigure } from '../prove/figures.ts'
import { CountingProvider } from './counting-provider.ts'
import { VirtualClock } from './virtual-clock.ts'

const ANSWER_MS = 15
const LIMITS: SourceLimit[] = [
  { name: 'concurrent', scope: 'entity', concurrent: 4 },
  { name: 'window', scope: 'entity', calls: 50, perMs: 1_500 },
]

let home: TestDatabase
let children: ChildProcess[]
let server: LoopbackServer | null

beforeEach(async () => {
  home = await testDatabase()
  children = []
  server = null
})
afterEach(async () => {
  await Promise.all(children.map(kill))
  await server?.close()
  await home.drop()
})

function startCaller(url: string, limits: SourceLimit[], atOnce: number): ChildProcess {
  const program = new URL('./caller.ts', import.meta.url).pathname
  const child = spawn(process.execPath, [program, home.url, url, JSON.stringify(limits), String(atOnce)], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  children.push(child)
  return child
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}

describe('worker processes of one source', () => {
  it('stay within its limits together, whatever is killed', async () => {
    const provider = new CountingProvider(LIMITS)
    server = await serveHttp((_request, response) => {
      const leave = provider.arrive('bakery', performance.now())
      setTimeout(() => {
        leave()
        response.end('{}')
      }, ANSWER_MS)
    })
    for (let index = 0; index < effort.limitedProcesses; index++) startCaller(server.url, LIMITS, 2)
    const served = (share: number) => () => (provider.served.get('bakery') ?? 0) >= share * effort.limitedCalls || null
    await until('half of the calls', served(0.5), 300_000)
    // NOTE a call of a killed process may still be open here, and the provider still counts it; it ends with its
    // response.
    if (children[0]) await kill(children[0])
    startCaller(server.url, LIMITS, 2)
    await until('the calls', served(1), 300_000)
    reportFigure('limits: calls over a limit, real processes', provider.total())
    reportFigure('limits: calls, real processes', provider.served.get('bakery') ?? 0)
    expect([...provider.tooMany]).toEqual([])
    expect(provider.most('window', 'bakery')).toBeGreaterThan(0)
  }, 700_000)

  it('get the slots of a killed one back within a minute, and not before', async () => {
    const limits: SourceLimit[] = [{ name: 'concurrent', scope: 'entity', concurrent: 2 }]
    const open: ServerResponse[] = []
    server = await serveHttp((_request, response) => open.push(response))
    const child = startCaller(server.url, limits, 3)
    await until('two open calls', () => open.length >= 2 || null)
    const startedAt = Date.now()
    await kill(child)
    expect(open).toHaveLength(2)

    const clock = new VirtualClock(startedAt)
    const limiter = new SharedRateLimiter(clock.watch(home.database), { clock, onError: () => undefined })
    const call = { connectorKey: 'counted', limits, entity: 'bakery', place: { host: 'api' }, timeoutMs: 30_000 }
    const send = async () => ({ status: 200, headers: {}, body: new Uint8Array() })
    await expect(clock.runUntil(limiter.run(call, send))).rejects.toBeInstanceOf(SourcePaused)
    await clock.runUntil(clock.sleep(60_000))
    await expect(clock.runUntil(limiter.run(call, send))).resolves.toMatchObject({ status: 200 })
  })
})
