import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type Static, Type } from 'typebox'
import { Assert } from 'typebox/value'
import { stopStaleServer } from '../../src/store/embedded/server.ts'
import { until, within } from './deadline.ts'

const CHECKOUT = resolve(import.meta.dirname, '..', '..')
/**
 * Source: /proc/sys/net/ipv4/ip_local_port_range starts at 32768, and the last port that `fetch` refuses is 10080
 * (https://fetch.spec.whatwg.org/#port-blocking).
 */
const [FIRST_PORT, LAST_PORT] = [10_100, 32_000]
const PORTS_OF_A_SANDBOX = 48
/** Vitest numbers its workers. Each has ports of its own: while a service is restarted, no other test takes its port. */
const WORKERS = 4
const PORTS_OF_A_WORKER = Math.floor((LAST_PORT - FIRST_PORT) / WORKERS)
const READY_LIMIT_MS = 60_000
const END_LIMIT_MS = 30_000
const STOP_LIMIT_MS = 40_000

const Login = Type.Object({ email: Type.String(), password: Type.String() }, { additionalProperties: false })

export interface Ended {
  code: number | null
  signal: NodeJS.Signals | null
}

/** The service in its own process, as run by `npm start`. */
export interface Service {
  pid: number
  baseUrl: string
  dataDir: string
  /** Output so far, of both streams. */
  output(): string
  /** Resolves when it ends by itself. */
  end(): Promise<Ended>
  /** Sends SIGTERM; resolves with the exit. */
  stop(): Promise<Ended>
  /** Sends SIGKILL to the process only, as the system would; does nothing if it has ended. */
  kill(): Promise<void>
}

export interface ServiceSettings {
  dataDir: string
  /** Defaults to a free port. */
  port?: number
  environment?: Record<string, string>
  /** Output to wait for; defaults to the last line of a start. */
  until?: string
  /** Tree of another version. */
  checkout?: string
  /** Files that the process may open (`ulimit -n`). */
  openFiles?: number
}

const GREETING = 'Countinghouse is ready.'

/** Starts the service and waits for its greeting, or another text. Throws with its output if it ends before. */
export async function startService({
  dataDir,
  port,
  environment = {},
  until: text = GREETING,
  checkout,
  openFiles,
}: ServiceSettings): Promise<Service> {
  const chosen = port ?? (await findFreePort())
  const run = spawnService({ DATA_DIR: dataDir, PORT: String(chosen), ...environment }, [], {
    ...(checkout ? { checkout } : {}),
    ...(openFiles ? { openFiles } : {}),
  })
  const failed = run.ended.then(({ code, signal }) => {
    throw new Error(`the service ended with ${signal ?? `status ${code}`}:\n${run.output()}`)
  })
  const greeted = until(text, () => (run.stdout().includes(text) ? true : null), READY_LIMIT_MS)
  await Promise.race([greeted, failed]).catch((error: unknown) => {
    run.kill()
    throw new Error(`${String(error)}\n${run.output()}`, { cause: error })
  })
  failed.catch(() => 'from now on an end is what a test asks for')
  return {
    pid: run.pid,
    baseUrl: `http://127.0.0.1:${chosen}`,
    dataDir,
    output: run.output,
    end: () => within('the service ends', run.ended, END_LIMIT_MS),
    stop: async () => {
      process.kill(run.pid, 'SIGTERM')
      return await within('the service stops', run.ended, STOP_LIMIT_MS)
    },
    kill: async () => {
      run.kill()
      await run.ended
    },
  }
}

/** Starts a service that is expected to end by itself, and waits for that. */
export async function runToEnd(
  environment: Record<string, string>,
  args: readonly string[] = [],
): Promise<Ended & { stdout: string; stderr: string }> {
  return await whenEnded(spawnService(environment, args))
}

/** Sends a signal to a starting service as soon as `at` is true. */
export async function interruptStart(
  environment: Record<string, string>,
  interrupt: { at: () => boolean; signal: NodeJS.Signals },
): Promise<Ended & { stdout: string; stderr: string }> {
  const run = spawnService(environment)
  await until('the place of the interruption', () => (interrupt.at() ? true : null), READY_LIMIT_MS)
  process.kill(run.pid, interrupt.signal)
  return await whenEnded(run)
}

async function whenEnded(run: ReturnType<typeof spawnService>): Promise<Ended & { stdout: string; stderr: string }> {
  const ended = await within('the service ends', run.ended, END_LIMIT_MS).finally(() => run.kill())
  return { ...ended, stdout: run.stdout(), stderr: run.stderr() }
}

function spawnService(
  environment: Record<string, string>,
  args: readonly string[] = [],
  { checkout, openFiles }: Pick<ServiceSettings, 'checkout' | 'openFiles'> = {},
) {
  const command = [process.execPath, 'src/main.ts', 'start', ...args]
  const [program = '', ...rest] = openFiles ? ['/bin/sh', '-c', `ulimit -n ${openFiles}; exec "$0" "$@"`, ...command] : command
  const child = spawn(program, rest, {
    cwd: checkout ?? CHECKOUT,
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const printed = { stdout: '', stderr: '', both: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      printed[name] += text
      printed.both += text
    })
  }
  return {
    pid: child.pid ?? 0,
    stdout: () => printed.stdout,
    stderr: () => printed.stderr,
    output: () => printed.both,
    /** Does nothing if the process has ended. */
    kill: () => child.kill('SIGKILL'),
    ended: once(child, 'close').then((): Ended => ({ code: child.exitCode, signal: child.signalCode })),
  }
}

/** Logins read so far, since the file is deleted at the first sign-in. */
const logins = new Map<string, Static<typeof Login>>()

/** The login that the service stores in its data directory until the first sign-in, cached from the first read. */
export async function readLogin(dataDir: string): Promise<Static<typeof Login>> {
  const known = logins.get(dataDir)
  if (known && !existsSync(join(dataDir, 'login.json'))) return known
  const login: unknown = JSON.parse(await readFile(join(dataDir, 'login.json'), 'utf8'))
  Assert(Login, login)
  logins.set(dataDir, login)
  return login
}

/**
 * A temporary folder that PostgreSQL's own user may traverse; `remove` first ends the PostgreSQL that a killed service
 * left behind.
 */
export async function openTestFolder(): Promise<{ path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'countinghouse-service-'))
  await chmod(path, 0o711)
  return {
    path,
    remove: async () => {
      for (const dataDir of [path, join(path, 'data')]) await stopStaleServer(join(dataDir, 'postgres', 'cluster'))
      await rm(path, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/**
 * A free port followed by free ones, which a sandbox's simulators use. Below the ephemeral ports of the system, one of
 * which another test's connection could take in the meantime.
 */
export async function findFreePort(): Promise<number> {
  const first = FIRST_PORT + (Number(process.env.VITEST_POOL_ID ?? 0) % WORKERS) * PORTS_OF_A_WORKER
  for (;;) {
    const port = randomInt(first, first + PORTS_OF_A_WORKER - PORTS_OF_A_SANDBOX)
    const range = Array.from({ length: PORTS_OF_A_SANDBOX }, (_, index) => port + index)
    if ((await Promise.all(range.map(isFree))).every(Boolean)) return port
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  const outcome = await Promise.race([
    once(server.listen(port, '127.0.0.1'), 'listening').then(() => true),
    once(server, 'error').then(() => false),
  ]).catch(() => false)
  await new Promise((done) => server.close(done))
  return outcome
}
