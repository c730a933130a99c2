import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { Worker } from 'node:worker_threads'
import { hasCode } from '../../../model/error-code.ts'
import type { LocalizedText } from '../../../model/values/text.ts'
import { InputRefused } from '../../contract/authorization.ts'
import type { ThreadData, ThreadReply, ThreadRequest } from './file-thread-messages.ts'

/** Resource limits for reading one file. */
export interface Budget {
  /** CPU time limit in milliseconds over all responses; idle time does not count. */
  workMs: number
  /** Heap limit in megabytes of JavaScript objects; the bytes of the file itself come on top. */
  megabytes: number
  /** Concurrent threads in this process; further files wait. */
  threads: number
  /** Idle timeout of a thread in milliseconds. */
  idleMs: number
  /** Time in milliseconds for which a thread that has read a page stays in the pool, for the next of the same pull. */
  pooledMs: number
}

const THREAD = new URL('./file-thread.ts', import.meta.url)

const TOO_MUCH_WORK: LocalizedText = {
  en: 'The file takes too long to read. Export a shorter period and upload the parts.',
  'fr-CA': 'Le fichier est trop long à lire. Exportez une période plus courte et téléversez les parties.',
}
const TOO_MUCH_MEMORY: LocalizedText = {
  en: 'The file takes too much memory to read. Export a shorter period and upload the parts.',
  'fr-CA': 'La lecture du fichier demande trop de mémoire. Exportez une période plus courte et téléversez les parties.',
}

/** Worker thread that reads a file, or one page after the other. */
export class ReaderThread {
  readonly #worker: Worker
  readonly #data: ThreadData
  readonly #budget: Budget
  #leftMs = 0
  /** Called once when its use ends; null in the pool. */
  #onReturned: (() => void) | null = null
  #failure: Error | null = null
  #fail: ((error: Error) => void) | null = null
  #idle: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(data: ThreadData, budget: Budget) {
    this.#data = data
    this.#budget = budget
    this.#worker = new Worker(THREAD, {
      workerData: data,
      // The reader gets no settings of this process, but what has been compiled before: most of its time otherwise.
      env: compiledBefore(),
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: budget.megabytes, maxYoungGenerationSizeMb: 32 },
    })
    this.#worker.on('error', (error) => this.#end(toThreadError(error)))
    this.#worker.on('exit', () => this.#end(new Error('the thread ended without an answer')))
  }

  /** Begins the reading of a file or page with a budget of its own. */
  begin(onReturned: () => void): void {
    clearTimeout(this.#idle)
    this.#onReturned = onReturned
    this.#leftMs = this.#budget.workMs
    this.#worker.ref()
    this.#idle = this.#closeAfter(this.#budget.idleMs)
  }

  get hasEnded(): boolean {
    return this.#failure !== null
  }

  /** Whether its reader is the one of `data`. */
  isFor(data: ThreadData): boolean {
    return isDeepStrictEqual(this.#data, data)
  }

  /** Ends the reading of a page: the thread waits in the pool, which saves its start, and does not keep the process alive. */
  release(): void {
    clearTimeout(this.#idle)
    this.#worker.unref()
    this.#idle = this.#closeAfter(this.#budget.pooledMs)
    this.#returned()
  }

  async ask(ask: ThreadRequest, transfer: ArrayBuffer[]): Promise<ThreadReply> {
    clearTimeout(this.#idle)
    const startedMs = performance.now()
    let deadline: NodeJS.Timeout | undefined
    try {
      return await new Promise<ThreadReply>((resolve, reject) => {
        if (this.#failure) return reject(this.#failure)
        this.#fail = reject
        deadline = setTimeout(() => this.#end(new InputRefused(TOO_MUCH_WORK)), this.#leftMs)
        this.#worker.once('message', resolve)
        this.#worker.postMessage(ask, transfer)
      })
    } finally {
      clearTimeout(deadline)
      this.#fail = null
      this.#leftMs -= performance.now() - startedMs
      this.#idle = this.#closeAfter(this.#budget.idleMs)
    }
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    clearTimeout(this.#idle)
    this.#failure ??= new Error('the thread was closed')
    await this.#worker.terminate()
    this.#returned()
  }

  #returned(): void {
    const onReturned = this.#onReturned
    this.#onReturned = null
    onReturned?.()
  }

  #end(error: Error): void {
    this.#failure ??= error
    this.#fail?.(error)
  }

  #closeAfter(ms: number): NodeJS.Timeout {
    return setTimeout(() => void this.close(), ms).unref()
  }
}

/**
 * Folder where compiled code is kept, if this process has one.
 * Source: https://nodejs.org/api/module.html#module-compile-cache (the folder of a process is below that of the setting)
 */
function compiledBefore(): { NODE_COMPILE_CACHE?: string } {
  const folder = getCompileCacheDir()
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) }
}

function toThreadError(error: unknown): Error {
  if (!(error instanceof Error)) return new Error('the thread failed')
  return hasCode(error, 'ERR_WORKER_OUT_OF_MEMORY') ? new InputRefused(TOO_MUCH_MEMORY) : error
}
