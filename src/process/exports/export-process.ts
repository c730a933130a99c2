import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import type { JobSignal } from '../../jobs/running-job.ts'
import type { Outcome } from '../../jobs/worker.ts'
import type { Job } from '../../store/jobs/jobs.ts'
import type { Log, Store } from '../../sync/context/groups.ts'
import { afterInterruption } from '../../sync/exports/run-export.ts'
import type { ExportSettings, FromExportProcess, ToExportProcess } from './messages.ts'

const MAIN = new URL('./main.ts', import.meta.url)
/** Time without an export after which the process ends. */
const IDLE_MS = 60_000
/** Time that it has to end by itself. */
const END_LIMIT_MS = 5_000

interface ExportProcessOptions extends Store {
  settings: ExportSettings
  log: Log
  /** Default: a minute. */
  idleMs?: number
}

/**
 * Process that writes the exports of this one, with a lower priority: neither its garbage collection nor its work on
 * records delays an answer. It is started for an export, ends after a minute without, and ends with this process. A job
 * keeps its lease here, where its outcome is recorded.
 */
export class ExportProcess {
  readonly #options: ExportProcessOptions
  #current: Child | null = null
  #idle: NodeJS.Timeout | undefined

  constructor(options: ExportProcessOptions) {
    this.#options = options
  }

  /** Process id; null while there is none. */
  get pid(): number | null {
    return this.#current?.pid ?? null
  }

  /** Runs an export job there. Safe to kill, as `runExport` is: the next attempt starts another process. */
  async run(job: Job, signal: JobSignal): Promise<Outcome> {
    const { settings, log } = this.#options
    clearTimeout(this.#idle)
    this.#current ??= new Child(settings, log, (ended) => {
      if (this.#current === ended) this.#current = null
    })
    const child = this.#current
    try {
      return await child.run(job, signal)
    } catch (error) {
      if (!(error instanceof ProcessEnded)) throw error
      return await afterInterruption(this.#options, job, error)
    } finally {
      if (child === this.#current && child.isIdle) this.#endLater()
    }
  }

  /** Ends the process; call it when no export is wanted any more. */
  async close(): Promise<void> {
    clearTimeout(this.#idle)
    await this.#current?.end()
  }

  #endLater(): void {
    clearTimeout(this.#idle)
    this.#idle = setTimeout(() => {
      const child = this.#current
      // The next export starts another.
      this.#current = null
      void child?.end()
    }, this.#options.idleMs ?? IDLE_MS)
    this.#idle.unref()
  }
}

/** Thrown when the process ended before the export did: killed, or out of memory. */
class ProcessEnded extends Error {
  override readonly name = 'ProcessEnded'
}

interface Run {
  signal: JobSignal
  resolve(outcome: Outcome): void
  reject(error: Error): void
}

/** One process. */
class Child {
  readonly #process: ChildProcess
  readonly #log: Log
  readonly #runs = new Map<number, Run>()
  #lastRun = 0
  #failure: ProcessEnded | null = null

  constructor(settings: ExportSettings, log: Log, onEnd: (child: Child) => void) {
    this.#log = log
    // A session of its own: what is sent to that of this process, as by Ctrl-C, does not end an export in the middle, and
    // the scheduler lowers the priority of a whole session only.
    this.#process = fork(MAIN, [], {
      detached: process.platform !== 'win32',
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      serialization: 'advanced',
    })
    const end = (reason: string): void => {
      this.#failure ??= new ProcessEnded(`the process of exports ended (${reason})`)
      onEnd(this)
      for (const { reject } of this.#runs.values()) reject(this.#failure)
      this.#runs.clear()
    }
    this.#process.on('message', (message: FromExportProcess) => this.#take(message))
    this.#process.on('error', (error) => end(error.message))
    this.#process.on('exit', (code, signal) => end(signal ?? `status ${code}`))
    this.#send({ ask: 'open', settings })
  }

  get pid(): number | null {
    return this.#process.pid ?? null
  }

  get isIdle(): boolean {
    return this.#runs.size === 0
  }

  async run(job: Job, signal: JobSignal): Promise<Outcome> {
    if (this.#failure) throw this.#failure
    const run = ++this.#lastRun
    return await new Promise<Outcome>((resolve, reject) => {
      this.#runs.set(run, { signal, resolve, reject })
      this.#send({ ask: 'run', run, job })
    }).finally(() => this.#runs.delete(run))
  }

  async end(): Promise<void> {
    if (this.#failure) return
    const ended = once(this.#process, 'exit')
    const limit = setTimeout(() => this.#process.kill('SIGKILL'), END_LIMIT_MS)
    if (this.#process.connected) this.#process.disconnect()
    await ended
    clearTimeout(limit)
  }

  /** A process that is ending takes no message; its end rejects the runs. */
  #send(message: ToExportProcess): void {
    this.#process.send(message, () => undefined)
  }

  #take(message: FromExportProcess): void {
    if (message.told === 'logged') {
      this.#log[message.level](message.fields, message.message)
      return
    }
    const run = this.#runs.get(message.run)
    if (!run) return
    if (message.told === 'ended') run.resolve(message.outcome)
    else if (message.told === 'failed') run.reject(message.error)
    else {
      run.signal.advance(message.position)
      if (run.signal.isStopping()) this.#send({ ask: 'stop', run: message.run })
    }
  }
}
