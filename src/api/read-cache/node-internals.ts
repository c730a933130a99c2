import type { ServerResponse } from 'node:http'

// Undocumented parts of Node that the read path uses; every such use is in this file. Each is checked in use, and where
// the running Node has changed, the documented way takes its place and the log says so once.

interface InternalsLog {
  warn(fields: object, message: string): void
}

/** Where Node keeps the serialized head of a response. */
interface HeadStore {
  read(response: ServerResponse): unknown
  /** Null withdraws a head. */
  store(response: ServerResponse, head: string | null): void
}

// Source: https://github.com/nodejs/node/blob/v26.x/lib/_http_outgoing.js
const HEAD_STORE: HeadStore = {
  read: (response) => ('_header' in response ? response._header : undefined),
  store: (response, head) => {
    if ('_header' in response) response._header = head
  },
}

/**
 * Setter of serialized response heads. It sets none before the first head that Node writes itself has been compared, and
 * none after the first that Node does not accept. NOTE checked on real responses only: a response that was sent to a
 * stream of ours at the start halved the rate of 304 responses for the life of the process (V8's inline caches of `http`).
 */
export class HeadSetter {
  readonly #log: InternalsLog
  readonly #heads: HeadStore
  /** Null until a head has been compared. */
  #works: boolean | null = null

  constructor(log: InternalsLog, heads: HeadStore = HEAD_STORE) {
    this.#log = log
    this.#heads = heads
  }

  /** Sets status and head, ready for `end`. False: no head is set, and the caller uses `writeHead`. */
  set(response: ServerResponse, status: number, head: string): boolean {
    if (this.#works !== true) return false
    try {
      response.statusCode = status
      this.#heads.store(response, head)
      if (response.headersSent) return true
      // A Node that finds this head later would send both.
      this.#heads.store(response, null)
    } catch {
      // An exception of a future Node counts as a head that it did not accept.
    }
    this.#works = false
    this.#warn()
    return false
  }

  /** Compares the head that Node wrote for a response with the text that would have been set; only the first is compared. */
  compare(response: ServerResponse, head: string): void {
    if (this.#works !== null) return
    this.#works = passes(() => this.#heads.read(response) === head)
    if (!this.#works) this.#warn()
  }

  #warn(): void {
    this.#log.warn({ node: process.version }, 'this Node keeps response heads elsewhere: cached reads take longer')
  }
}

/**
 * Frees the memory of an exclusively owned buffer at once; where the running Node does not allow it, the garbage
 * collector does so later.
 */
export type MemoryReleaser = (bytes: Buffer) => void

export function memoryReleaser(log: InternalsLog, detach = (memory: ArrayBuffer): void => void memory.transfer(0)): MemoryReleaser {
  // NOTE checked at the first use only: once any buffer is detached, V8 checks every access to a typed array of the process.
  let works: boolean | null = null
  const check = (): boolean => {
    const detaches = passes(() => isDetachedBy(detach))
    if (!detaches) log.warn({ node: process.version }, 'this Node does not give memory back at once: large reads take longer')
    return detaches
  }
  return ({ buffer }) => {
    works ??= check()
    if (works && buffer instanceof ArrayBuffer) detach(buffer)
  }
}

/** An exception of a future Node counts as a failed check. */
function passes(check: () => boolean): boolean {
  try {
    return check()
  } catch {
    return false
  }
}

function isDetachedBy(detach: (memory: ArrayBuffer) => void): boolean {
  const bytes = Buffer.allocUnsafeSlow(8)
  const { buffer } = bytes
  if (!(buffer instanceof ArrayBuffer) || buffer.byteLength !== bytes.length) return false
  detach(buffer)
  return bytes.length === 0
}
