import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { PoolRunnerInitializer, PoolWorker, WorkerRequest } from 'vitest/node'
import { killGroup } from '../process-group.ts'

const ENTRY = join(import.meta.dirname, 'worker.ts')
const NAME = 'reused-process'

/**
 * A process for test runs that outlives them, as a pool of Vitest. Where it is ended, the next run starts a new one, with
 * the environment that is given then.
 */
export class ReusedProcess implements PoolRunnerInitializer {
  readonly name = NAME
  readonly #environment: () => NodeJS.ProcessEnv
  #child: ChildProcess | undefined
  #runs = 0
  #lastRun = Promise.resolve()

  constructor(environment: () => NodeJS.ProcessEnv) {
    this.#environment = environment
  }

  get isOpen(): boolean {
    return this.#child !== undefined
  }

  /** Runs since its start. */
  get runs(): number {
    return this.#child ? this.#runs : 0
  }

  /** The part of one run, which Vitest stops after the run and without waiting for that. */
  createPoolWorker(): PoolWorker {
    return new RunOfProcess(async (ended) => {
      await this.#lastRun
      const child = this.#open()
      this.#runs += 1
      this.#lastRun = Promise.race([ended, new Promise<void>((resolve) => child.once('exit', () => resolve()))])
      return child
    })
  }

  /** Ends the process, after the last run. NOTE Vitest would wait a minute for the end of a run whose process is gone. */
  async replace(): Promise<void> {
    await this.#lastRun
    await this.kill()
  }

  /** Ends the process at once, with what its tests have started; a run fails then. */
  async kill(): Promise<void> {
    const child = this.#child
    if (!child) return
    this.#child = undefined
    if (child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, 'exit')
    killGroup(child)
    await exited
  }

  #open(): ChildProcess {
    if (this.#child) return this.#child
    const env = { ...process.env, NODE_ENV: 'test', VITEST: 'true', ...this.#environment() }
    const child = fork(ENTRY, [], {
      ...{ env, execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'], serialization: 'advanced' },
      // In a group of its own, so that programs which tests start can be ended with it.
      detached: true,
    })
    child.setMaxListeners(0)
    child.once('exit', () => {
      if (this.#child === child) this.#child = undefined
    })
    this.#runs = 0
    this.#child = child
    return child
  }
}

class RunOfProcess implements PoolWorker {
  readonly name = NAME
  readonly #open: (ended: Promise<void>) => Promise<ChildProcess>
  readonly #listeners: [string, Parameters<PoolWorker['on']>[1]][] = []
  readonly #ended = Promise.withResolvers<void>()
  #child: ChildProcess | undefined

  constructor(open: (ended: Promise<void>) => Promise<ChildProcess>) {
    this.#open = open
  }

  async start(): Promise<void> {
    this.#child = await this.#open(this.#ended.promise)
  }

  async stop(): Promise<void> {
    for (const [event, listener] of this.#listeners) this.#child?.off(event, listener)
    this.#ended.resolve()
  }

  on(event: string, listener: Parameters<PoolWorker['on']>[1]): void {
    this.#listeners.push([event, listener])
    this.#child?.on(event, listener)
  }

  off(event: string, listener: Parameters<PoolWorker['off']>[1]): void {
    this.#child?.off(event, listener)
  }

  send(message: WorkerRequest): void {
    if (this.#child?.connected) this.#child.send(message)
  }

  deserialize(data: unknown): unknown {
    return data
  }
}
