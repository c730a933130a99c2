import { once } from 'node:events'
import { pipeline, type Readable, Transform, type Writable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import {
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  type RequestId,
  type Transport,
} from '@modelcontextprotocol/server'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'

/** A request that is answered when it is cancelled, which cannot happen after the end of the input. */
const UNENDING = 'subscriptions/listen'

/**
 * Transport over standard input and output that answers what was asked before the input ended, then closes; that of the
 * SDK aborts it. A last line without a newline is a message, too.
 */
export class FinishingTransport implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: NonNullable<Transport['onmessage']>
  /** Resolved when it is closed, by the end of the input or a fault of a stream. */
  readonly closed: Promise<void>
  readonly #end: () => void
  readonly #wire: StdioServerTransport
  readonly #open = new Set<RequestId>()
  readonly #answered = new EventTarget()

  constructor(input: Readable, output: Writable) {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.closed = promise
    this.#end = resolve
    const through = this.#untilAnswered()
    pipeline(input, through, (fault) => (fault ? this.onerror?.(fault) : undefined))
    this.#wire = new StdioServerTransport(through, output)
  }

  async start(): Promise<void> {
    this.#wire.onclose = () => {
      this.#open.clear()
      this.#answered.dispatchEvent(new Event('answer'))
      this.onclose?.()
      this.#end()
    }
    this.#wire.onerror = (error) => this.onerror?.(error)
    this.#wire.onmessage = (message: JSONRPCMessage) => {
      this.#note(message)
      this.onmessage?.(message)
    }
    await this.#wire.start()
  }

  async send(message: JSONRPCMessage): Promise<void> {
    await this.#wire.send(message)
    if ((isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message)) && message.id !== undefined) this.#settle(message.id)
  }

  async close(): Promise<void> {
    await this.#wire.close()
  }

  #note(message: JSONRPCMessage): void {
    if (isJSONRPCRequest(message) && message.method !== UNENDING) this.#open.add(message.id)
    if (!isJSONRPCNotification(message) || message.method !== 'notifications/cancelled') return
    const id = message.params?.requestId
    if (typeof id === 'string' || typeof id === 'number') this.#settle(id)
  }

  #settle(id: RequestId): void {
    this.#open.delete(id)
    this.#answered.dispatchEvent(new Event('answer'))
  }

  /** Passes the input on, but for its end, which waits for the answers. */
  #untilAnswered(): Transform {
    let last = ''
    const finish = async (through: Transform) => {
      if (last !== '' && !last.endsWith('\n')) through.push('\n')
      while (through.readableLength > 0) await setImmediate()
      while (this.#open.size > 0) await once(this.#answered, 'answer')
    }
    return new Transform({
      transform(chunk: Buffer, _encoding, done) {
        last = chunk.toString('latin1', chunk.length - 1)
        done(null, chunk)
      },
      flush(done) {
        finish(this).then(() => done(), done)
      },
    })
  }
}
