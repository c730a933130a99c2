import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { layOut } from '../tools/package/lay-out.ts'
import type { Deployment } from './deployment.ts'
import { answers, findFreePort, processorMs } from './processes.ts'

const run = promisify(execFile)

const ROOT = join(import.meta.dirname, '..')
const ANSWER_LIMIT_MS = 60_000
const ASK_AGAIN_MS = 5
/** What any service in Node costs: a process that answers 200. */
const BARE = "require('node:http').createServer((_, answer) => answer.end()).listen(Number(process.env.PORT), '127.0.0.1')"

/** Lays out the service in `folder` as the packages install it, compiled; returns the folder of its tree. */
export async function installPackaged(folder: string): Promise<string> {
  const tree = join(folder, 'tree')
  await layOut(tree, { node: true, database: false })
  const compiler = spawn(join(tree, 'bin', 'node'), [join(tree, 'bin', 'compile.js')], { env: compiled(folder), stdio: 'ignore' })
  await once(compiler, 'close')
  return tree
}

function compiled(folder: string): Record<string, string> {
  return { NODE_COMPILE_CACHE: join(folder, 'compiled') }
}

export interface Started {
  child: ChildProcess
  /** From the command to the first answer with status 200. */
  ms: number
  /** Processor time of all its threads until then, which the load of the machine changes little. */
  processorMs: number
}

export async function startRole(
  role: 'api' | 'worker' | 'all',
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
    SEED_PASSWORD: 'harbour-violet-teapot-91',
  }
  const command = [join(tree, 'bin', 'countinghouse.js'), 'start', '--role', role]
  const readyAt = `http://127.0.0.1:${role === 'worker' ? metricsPort : port}/readyz`
  return await startProcess(join(tree, 'bin', 'node'), command, settings, readyAt)
}

export async function startBare(): Promise<Started> {
  const port = await findFreePort()
  return await startProcess(process.execPath, ['--eval', BARE], { PORT: String(port) }, `http://127.0.0.1:${port}/`)
}

/** Builds what a start of this checkout uses, where it is missing, as the first one does in the background. */
export async function buildAll(): Promise<void> {
  for (const rest of [[], ['--', 'cluster']]) await run('npm', ['run', 'build', ...rest], { cwd: ROOT })
}

/** `npm start` of this checkout: the service with its own PostgreSQL, whose data are in `dataDir`. */
export async function startByNpm(dataDir: string): Promise<Started> {
  const port = await findFreePort()
  const settings = { PATH: process.env.PATH, HOME: process.env.HOME, DATA_DIR: dataDir, PORT: String(port) }
  return await startProcess('npm', ['start'], settings, `http://127.0.0.1:${port}/readyz`, ROOT)
}

/** `npm start` of a package with nothing but a process that answers 200, made in `folder`. */
export async function startBareByNpm(folder: string): Promise<Started> {
  await writeFile(join(folder, 'bare.cjs'), BARE)
  await writeFile(join(folder, 'package.json'), JSON.stringify({ scripts: { start: 'exec node bare.cjs' } }))
  const port = await findFreePort()
  const settings = { PATH: process.env.PATH, HOME: process.env.HOME, PORT: String(port) }
  return await startProcess('npm', ['start'], settings, `http://127.0.0.1:${port}/`, folder)
}

async function startProcess(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  readyAt: string,
  cwd = process.cwd(),
): Promise<Started> {
  const beganMs = performance.now()
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'ignore', 'inherit'] })
  while (!(await answers(readyAt))) {
    if (child.exitCode !== null) throw new Error(`${program} ended instead of starting`)
    if (performance.now() - beganMs > ANSWER_LIMIT_MS) throw new Error(`${readyAt} does not answer in a minute`)
    await wait(ASK_AGAIN_MS)
  }
  return { child, ms: performance.now() - beganMs, processorMs: await processorMs(child.pid ?? 0) }
}
