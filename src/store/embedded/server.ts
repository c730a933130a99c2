import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { readFile, realpath, rm } from 'node:fs/promises'
import { totalmem } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { hasCode } from '../../model/error-code.ts'
import type { Home } from './home.ts'
import { listProcessesIn } from './processes.ts'
import type { Programs } from './programs.ts'

const run = promisify(execFile)

/** Crash recovery replays at most `max_wal_size`, which takes seconds. */
const START_LIMIT_MS = 120_000
const FAST_STOP_LIMIT_MS = 20_000
const POLL_MS = 20
const LINES_KEPT = 20

/**
 * A quarter of the physical memory, within bounds: what does not fit is written and read again for each batch of a
 * large sync. Memory is allocated on demand.
 * Source: https://www.postgresql.org/docs/18/runtime-config-resource.html#GUC-SHARED-BUFFERS
 */
function sharedBuffersMiB(): number {
  const memory = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY)
  return Math.floor(Math.min(2_048, Math.max(128, memory / 4 / 2 ** 20)))
}

/** Sized for one process on a small machine. Statements and row values are not logged: they contain customers' data. */
const SETTINGS: Record<string, string> = {
  shared_buffers: `${sharedBuffersMiB()}MB`,
  max_connections: '100',
  // With 1 GB, checkpoints follow each other in a large sync, and heartbeats wait for pages that they write.
  max_wal_size: '2GB',
  wal_buffers: '32MB',
  max_parallel_workers_per_gather: '0',
  jit: 'off',
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  logging_collector: 'off',
  log_destination: 'stderr',
  log_line_prefix: '',
  log_checkpoints: 'off',
  log_error_verbosity: 'terse',
  log_min_error_statement: 'panic',
  log_timezone: 'UTC',
  timezone: 'UTC',
}

export interface ServerOptions {
  settings: Record<string, string>
  /** Receives each log line of PostgreSQL. */
  log(line: string): void
  onSpawn(): void
  /** Called when PostgreSQL exits although it was not stopped. */
  onUnexpectedExit(error: Error): void
}

export interface Server {
  stop(): Promise<void>
}

/**
 * Starts PostgreSQL and returns when it accepts connections. It runs in its own session, so that Ctrl-C reaches only
 * this process, which then stops PostgreSQL last. Throws with the last lines of its log when it fails to start.
 */
export async function startServer(home: Home, programs: Programs, options: ServerOptions): Promise<Server> {
  const settings = Object.entries({ ...SETTINGS, ...options.settings }).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const { uid, gid, isSwitched } = home.account
  const server = spawn(programs.postgres, ['-D', home.cluster, ...settings], {
    ...(isSwitched ? { uid, gid } : {}),
    cwd: '/',
    env: { LC_ALL: 'C', TZ: 'UTC' },
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const stopWithUs = () => server.kill('SIGINT')
  process.once('exit', stopWithUs)
  server.once('close', () => process.off('exit', stopWithUs))
  const ready = whenReady(server, options.log)
  options.onSpawn()
  await ready
  let isStopping = false
  server.once('close', (code, signal) => {
    if (!isStopping) options.onUnexpectedExit(new Error(`PostgreSQL ended by itself (${signal ?? `status ${code}`})`))
  })
  return {
    stop: async () => {
      isStopping = true
      await stopServer(server, home, programs)
    },
  }
}

function whenReady(server: ChildProcess, log: (line: string) => void): Promise<void> {
  const { stderr } = server
  if (stderr === null) throw new Error('PostgreSQL was started without a pipe for its log')
  return new Promise((resolve, reject) => {
    const lines: string[] = []
    const fail = (reason: string) => {
      clearTimeout(limit)
      reject(new Error(`PostgreSQL did not start: ${reason}${lines.map((line) => `\n  ${line}`).join('')}`))
    }
    const limit = setTimeout(() => {
      server.kill('SIGQUIT')
      fail(`not ready within ${START_LIMIT_MS / 1000} s`)
    }, START_LIMIT_MS)
    server.once('error', (error) => fail(error.message))
    server.once('close', (code, signal) => fail(signal ?? `status ${code}`))
    createInterface({ input: stderr }).on('line', (line) => {
      log(line)
      lines.push(line)
      if (lines.length > LINES_KEPT) lines.shift()
      if (!line.includes('database system is ready to accept connections')) return
      clearTimeout(limit)
      resolve()
    })
  })
}

/**
 * Fast shutdown: ends all sessions, writes a checkpoint, exits. After 20 s immediate shutdown, without a checkpoint,
 * which costs the next start a recovery.
 */
async function stopServer(server: ChildProcess, home: Home, programs: Programs): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return
  const ended = new Promise<void>((resolve) => server.once('close', () => resolve()))
  if (process.platform === 'win32') {
    await run(join(dirname(programs.postgres), 'pg_ctl.exe'), ['stop', '-D', home.cluster, '-m', 'fast', '-w'])
    return ended
  }
  server.kill('SIGINT')
  const limit = setTimeout(() => server.kill('SIGQUIT'), FAST_STOP_LIMIT_MS)
  await ended
  clearTimeout(limit)
}

/**
 * Stops a PostgreSQL that a killed process left running on this cluster: it outlives its parent, and two of them on one
 * cluster would destroy it. Call it while holding the claim. Nothing committed is lost: a fast stop writes all, a hard
 * one is recovered.
 */
export async function stopStaleServer(folder: string): Promise<void> {
  const pidFile = join(folder, 'postmaster.pid')
  const postmaster = await readPid(pidFile)
  if (postmaster === null) return
  const cluster = await realpath(folder)
  if ((await listProcessesIn(cluster, postmaster)).includes(postmaster)) signal(postmaster, 'SIGINT')
  const hardStopAt = performance.now() + FAST_STOP_LIMIT_MS
  let isHard = false
  for (let left = await listProcessesIn(cluster, postmaster); left.length > 0; left = await listProcessesIn(cluster, postmaster)) {
    if (!isHard && performance.now() > hardStopAt) {
      isHard = true
      for (const pid of left) signal(pid, 'SIGQUIT')
    }
    if (performance.now() > hardStopAt + FAST_STOP_LIMIT_MS)
      throw new Error(`PostgreSQL (pid ${left.join(', ')}) on ${cluster} does not stop`)
    await wait(POLL_MS)
  }
  await rm(pidFile, { force: true })
}

/** A process that has exited in the meantime is the desired result. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if (!hasCode(error, 'ESRCH')) throw error
  }
}

/** Source: https://www.postgresql.org/docs/18/storage-file-layout.html (`postmaster.pid`, its first line is the process). */
async function readPid(pidFile: string): Promise<number | null> {
  try {
    return Number.parseInt(await readFile(pidFile, 'utf8'), 10) || null
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null
    throw error
  }
}
