import { joinLarge } from '../../../model/steps/large-bytes.ts'
import { type Examined, InputRefused, type UploadAuthorization } from '../../contract/authorization.ts'
import { type Answers, SourceError, type SourceItem } from '../../contract/contract.ts'
import type { ThreadData, ThreadReply, ThreadRequest } from './file-thread-messages.ts'
import { type Budget, ReaderThread } from './reader-thread.ts'

const BUDGET: Budget = { workMs: 60_000, megabytes: 512, threads: 2, idleMs: 15 * 60_000, pooledMs: 10_000 }

/** A thread that has read more does not go to the pool: its memory is freed when it ends. */
const POOLED_BYTES = 8 * 1024 * 1024

/**
 * Reads uploaded files, each in its own worker thread: whatever a file does to its reader, requests are served at the
 * same time, and the memory is freed when the thread ends. A file that exceeds the limits is refused. Pages of one pull
 * that come one after the other are read by one thread.
 */
export class FileThreads {
  readonly #budget: Budget
  readonly #waiting: (() => void)[] = []
  /** Threads between two pages, at most as many as may run. */
  #pool: ReaderThread[] = []
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
    let isReusable = false
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
      isReusable = input !== undefined && Object.values(answers).reduce((sum, { length }) => sum + length, 0) <= POOLED_BYTES
    } catch (error) {
      throw error instanceof InputRefused ? new SourceError('badData', error.message, { cause: error }) : error
    } finally {
      if (isReusable && !thread.hasEnded) await this.#release(thread)
      else await thread.close()
    }
  }

  async #open(data: ThreadData): Promise<ReaderThread> {
    if (this.#running >= this.#budget.threads) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    else this.#running += 1
    const pooled = this.#pool.find((each) => !each.hasEnded && each.isFor(data))
    this.#pool = this.#pool.filter((each) => !each.hasEnded && each !== pooled)
    const thread = pooled ?? new ReaderThread(data, this.#budget)
    thread.begin(() => {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#running -= 1
    })
    return thread
  }

  async #release(thread: ReaderThread): Promise<void> {
    this.#pool.push(thread)
    thread.release()
    if (this.#pool.length > this.#budget.threads) await this.#pool.shift()?.close()
  }
}

function toError(told: Exclude<ThreadReply, { told: 'examined' | 'items' }> | ThreadReply): Error {
  if (told.told === 'refused') return new InputRefused(told.text, told.field)
  if (told.told === 'badData') return new SourceError('badData', told.message)
  return new Error(told.told === 'failed' ? `the reader of files failed: ${told.stack}` : 'the thread gave another answer')
}
