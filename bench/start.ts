import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { layOut } from '../tools/package/lay-out.ts'
import { openBank } from './bank/bank.ts'
import { type Deployment, openDeployment } from './deployment.ts'
import { atMost, type Figure, untargeted } from './figures.ts'
import type { Effort } from './options.ts'
import { answers, endProcess, findFreePort, processorMs, residentMiB } from './processes.ts'
import { printProgress } from './progress.ts'
import { median } from './statistics.ts'

const ANSWER_LIMIT_MS = 60_000
const ASK_AGAIN_MS = 5
/** What any service in Node costs: a process that answers 200. */
const BARE = "require('node:http').createServer((_, answer) => answer.end()).listen(Number(process.env.PORT), '127.0.0.1')"

/**
 * Start and memory of the packaged service in production, installed as the packages install it (compiled, one arena of
 * memory): an API and a worker on a database that is migrated.
 */
export async function benchStart({ rounds, idleSeconds }: Effort): Promise<Figure[]> {
  printProgress('start: laying out the packaged service')
  const folder = await mkdtemp(join(tmpdir(), 'countinghouse-start-'))
  const deployment = await openDeployment(openBank(0))
  try {
    const tree = join(folder, 'tree')
    await layOut(tree, { node: true, database: false })
    const compiler = spawn(join(tree, 'bin', 'node'), [join(tree, 'bin', 'compile.js')], { env: compiled(folder), stdio: 'ignore' })
    await once(compiler, 'close')
    const starts: Started[] = []
    const bare: Started[] = []
    for (let round = 0; round < rounds; round += 1) {
      printProgress(`start: round ${round + 1} of ${rounds}`)
      for (const [list, start] of [
        [bare, () => startBare()],
        [starts, () => startRole('api', { tree, folder, deployment })],
      ] as const) {
        const started = await start()
        list.push(started)
        await endProcess(started.child)
      }
    }
    printProgress(`start: an API and a worker, then ${idleSeconds} s of rest`)
    const running = [await startRole('api', { tree, folder, deployment }), await startRole('worker', { tree, folder, deployment })]
    const idle = await startBare()
    await wait(idleSeconds * 1_000)
    const [api = 0, worker = 0, bareMiB = 0] = await Promise.all([...running, idle].map(({ child }) => residentMiB(child.pid ?? 0)))
    for (const { child } of [...running, idle]) await endProcess(child)
    return [
      atMost('start of the API in production until the first 200, s', medianMs(starts) / 1_000, 2),
      untargeted('  processor time of it, s', (median(starts.map((each) => each.processorMs)) / 1_000).toFixed(2)),
      untargeted('  of a bare server, s', (medianMs(bare) / 1_000).toFixed(2)),
      untargeted('  times a bare server', (medianMs(starts) / medianMs(bare)).toFixed(1)),
      atMost(`resident memory of an API and a worker after ${idleSeconds} s of rest, MB`, toMb(api + worker), 250, 0),
      untargeted('  of the API and of the worker, MB', `${toMb(api).toFixed(0)} and ${toMb(worker).toFixed(0)}`),
      untargeted('  times two bare servers', ((api + worker) / (2 * bareMiB)).toFixed(1)),
    ]
  } finally {
    await deployment.close()
    await rm(folder, { recursive: true, force: true })
  }
}

function toMb(mebibytes: number): number {
  return (mebibytes * 2 ** 20) / 1e6
}

function medianMs(starts: readonly Started[]): number {
  return median(starts.map(({ ms }) => ms))
}

function compiled(folder: string): Record<string, string> {
  return { NODE_COMPILE_CACHE: join(folder, 'compiled') }
}

interface Started {
  child: ChildProcess
  /** From the command to the first answer with status 200. */
  ms: number
  /** Processor time of all its threads until then, which the load of the machine changes little. */
  processorMs: number
}

async function startRole(
  role: 'api' | 'worker',
  { tree, folder, deployment }: { tree: string; folder: string; deployment: Deployment },
): Promise<Started> {
  const [port, metricsPort] = [await findFreePort(), await findFreePort()]
  const settings = {
    PATH: process.env.PATH,
    ENVIRONMENT: 'production',
    NODE_ENV: 'production',
    ...compiled(folder),
    MALLOC_ARENA_MAX: '1',
    DATA_DIR: join(folder, 'data'),
    DATABASE_URL: deployment.databaseUrl,
    PORT: String(port),
    METRICS_LISTEN: String(metricsPort),
  }
  const command = [join(tree, 'bin', 'countinghouse.js'), 'start', '--role', role]
  const readyAt = role === 'api' ? `http://127.0.0.1:${port}/readyz` : `http://127.0.0.1:${metricsPort}/readyz`
  return await startProcess(join(tree, 'bin', 'node'), command, settings, readyAt)
}

async function startBare(): Promise<Started> {
  const port = await findFreePort()
  return await startProcess(process.execPath, ['--eval', BARE], { PORT: String(port) }, `http://127.0.0.1:${port}/`)
}

async function startProcess(program: string, args: readonly string[], env: NodeJS.ProcessEnv, readyAt: string): Promise<Started> {
  const beganMs = performance.now()
  const child = spawn(program, args, { env, stdio: ['ignore', 'ignore', 'inherit'] })
  while (!(await answers(readyAt))) {
    if (child.exitCode !== null) throw new Error(`${program} ended instead of starting`)
    if (performance.now() - beganMs > ANSWER_LIMIT_MS) throw new Error(`${readyAt} does not answer in a minute`)
    await wait(ASK_AGAIN_MS)
  }
  return { child, ms: performance.now() - beganMs, processorMs: await processorMs(child.pid ?? 0) }
}
