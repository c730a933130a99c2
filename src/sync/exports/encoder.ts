import { Worker } from 'node:worker_threads'
import { type EncodeTarget, NotEncodable } from './encode-target.ts'
import type { EncodedPiece, EncodeReply, EncodeRequest } from './encode-thread.ts'

const THREAD = new URL('./encode-thread.ts', import.meta.url)
const HEAP_MEGABYTES = 512

/** Encoder of one export in a worker thread, so that requests are served meanwhile. One piece at a time. */
export class Encoder {
  readonly #worker: Worker
  #failure: Error | null = null
  #settle: ((reply: EncodeReply) => void) | null = null

  constructor(target: EncodeTarget) {
    this.#worker = new Worker(THREAD, {
      workerData: target,
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MEGABYTES, maxYoungGenerationSizeMb: 64 },
    })
    this.#worker.on('message', (reply: EncodeReply) => this.#end(reply))
    this.#worker.on('error', (error) => this.#fail(error instanceof Error ? error : new Error('the encoder failed')))
    this.#worker.on('exit', () => this.#fail(new Error('the encoder ended')))
  }

  /** Transfers the memory of the segments to the thread. Throws `NotEncodable`. */
  async encode(request: EncodeRequest): Promise<EncodedPiece> {
    if (this.#failure) throw this.#failure
    const reply = await new Promise<EncodeReply>((resolve) => {
      this.#settle = resolve
      this.#worker.postMessage(
        request,
        request.segments.map(({ lines }) => lines.buffer),
      )
    })
    if (!('failure' in reply)) return reply
    if (reply.failure === 'notEncodable') throw new NotEncodable()
    throw this.#failure ?? new Error(`the encoder failed: ${reply.stack}`)
  }

  async close(): Promise<void> {
    await this.#worker.terminate()
  }

  #fail(error: Error): void {
    this.#failure ??= error
    this.#end({ failure: 'failed', stack: error.name })
  }

  #end(reply: EncodeReply): void {
    this.#settle?.(reply)
    this.#settle = null
  }
}
