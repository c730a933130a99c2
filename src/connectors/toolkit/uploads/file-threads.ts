import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { hasCode } from '../../../model/error-code.ts'
import { joinLarge } from '../../../model/steps/large-bytes.ts'
import type { LocalizedText } from '../../../model/values/text.ts'
import { type Examined, InputRefused, type UploadAuthorization } from '../../contract/authorization.ts'
import { type Answers, SourceError, type SourceItem } from '../../contract/contract.ts'
import type { ThreadData, ThreadReply, ThreadRequest } from './file-thread-messages.ts'

/** Resource limits for reading one file. */
interface Budget {
  /** CPU time limit in milliseconds over all responses; idle time does not count. */
  workMs: number
  /** Heap limit in megabytes of JavaScript objects; the bytes of the file itself come on top. */
  megabytes: number
  /** Concurrent threads in this process; further files wait. */
  threads: number
  /** Idle timeout of a thread in milliseconds. */
  idleMs: number
}

const BUDGET: Budget = { workMs: 60_000, megabytes: 512, threads: 2, idleMs: 15 * 60_000 }

const THREAD = new URL('./file-thread.ts', import.meta.url)

const TOO_MUCH_WORK: LocalizedText = {
  en: 'The file takes too long to read. Export a shorter period and upload the parts.',
  'fr-CA': 'Le fichier est trop long à lire. Exportez une période plus courte et téléversez les parties.',
}
const TOO_MUCH_MEMORY: LocalizedText = {
  en: 'The file takes too much memory to read. Export a shorter period and upload the parts.',
  'fr-CA': 'La lecture du fichier demande trop de mémoire. Exportez une période plus courte et téléversez les parties.',
}

/**
 * Reads uploaded files, each in its own worker thread: whatever a file does to its reader, requests are served at the
 * same time, and the memory is freed when the thread ends. A file that exceeds the limits is refused.
 */
export class FileThreads {
  readonly #budget: Budget
  readonly #waiting: (() => void)[] = []
  #running = 0

  constructor(budget: Partial<Budget> = {}) {
    this.#budget = { ...BUDGET, ...budget }
  }

  /** Validates a file; throws `InputRefused` when nothing of it can be imported or it exceeds the limits. */
  async examine({ reader }: Pick<UploadAuthorization, 'reader'>, bytes: Uint8Array): Promise<Examined> {
    const thread = await this.#open({ reader: reader.href, input: undefined })
    try {
      const own = await joinLarge([bytes])
      const told = await thread.ask({ ask: 'examine', bytes: own }, [own.buffer])
      if (told.told === 'examined') return told.examined
      throw toError(told)
    } finally {
      await thread.close()
    }
  }

  /**
   * Records of a stored file, some at a time; throws `SourceError` for one that is unreadable or exceeds the limits.
   * `input`: what the reader's module takes besides.
   */
  async *read(
    { reader, input }: Pick<UploadAuthorization, 'reader'> & { input?: unknown },
    answers: Answers,
  ): AsyncGenerator<SourceItem[], void> {
    const thread = await this.#open({ reader: reader.href, input })
    try {
      const own: Record<string, Uint8Array<ArrayBuffer>> = {}
      for (const [name, bytes] of Object.entries(answers)) own[name] = await joinLarge([bytes])
      let transfer = Object.values(own).map(({ buffer }) => buffer)
      for (let ask: ThreadRequest = { ask: 'read', answers: own }, isDone = false; !isDone; ask = { ask: 'next' }) {
        const told = await thread.ask(ask, transfer)
        transfer = []
        if (told.told !== 'items') throw toError(told)
        if (told.items.length > 0) yield told.items
        isDone = told.isDone
      }
    } catch (error) {
      throw error instanceof InputRefused ? new SourceError('badData', error.message, { cause: error }) : error
    } finally {
      await thread.close()
    }
  }

  async #open(data: ThreadData): Promise<Thread> {
    if (this.#running >= this.#budget.threads) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    else this.#running += 1
    return new Thread(data, this.#budget, () => {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#running -= 1
    })
  }
}

/** Worker thread of one file. */
class Thread {
  readonly #worker: Worker
  readonly #onClosed: () => void
  readonly #idleMs: number
  #leftMs: number
  #failure: Error | null = null
  #fail: ((error: Error) => void) | null = null
  #idle: NodeJS.Timeout
  #isClosed = false

  constructor(workerData: ThreadData, { workMs, megabytes, idleMs }: Budget, onClosed: () => void) {
    this.#onClosed = onClosed
    this.#leftMs = workMs
    this.#idleMs = idleMs
    this.#worker = new Worker(THREAD, {
      workerData,
      // The reader gets no settings of this process, but what has been compiled before: most of its time otherwise.
      env: compiledBefore(),
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: megabytes, maxYoungGenerationSizeMb: 32 },
    })
    this.#worker.on('error', (error) => this.#end(toThreadError(error)))
    this.#worker.on('exit', () => this.#end(new Error('the thread ended without an answer')))
    this.#idle = this.#waitForAsks()
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
      this.#idle = this.#waitForAsks()
    }
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    clearTimeout(this.#idle)
    this.#failure ??= new Error('the thread was closed')
    await this.#worker.terminate()
    this.#onClosed()
  }

  #end(error: Error): void {
    this.#failure ??= error
    this.#fail?.(error)
  }

  #waitForAsks(): NodeJS.Timeout {
    return setTimeout(() => void this.close(), this.#idleMs).unref()
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

function toError(told: Exclude<ThreadReply, { told: 'examined' | 'items' }> | ThreadReply): Error {
  if (told.told === 'refused') return new InputRefused(told.text, told.field)
  if (told.told === 'badData') return new SourceError('badData', told.message)
  return new Error(told.told === 'failed' ? `the reader of files failed: ${told.stack}` : 'the thread gave another answer')
}
