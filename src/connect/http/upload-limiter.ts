import type { IncomingMessage } from 'node:http'

/** Limits on number and duration of uploads. */
export interface UploadLimits {
  /** Concurrent uploads in this process. */
  all: number
  /** Limit per link, including its hand-offs. */
  perLink: number
  /** Uploads being read and stored concurrently; the others wait, on disk. */
  stored: number
  /** Deadline of one upload in milliseconds. */
  totalMs: number
  /** Idle timeout in milliseconds. */
  silentMs: number
  /** Called with each request whose sender may upload: the limits above replace the server's own deadline. */
  onAdmitted(request: IncomingMessage): void
}

const BOUNDS: UploadLimits = { all: 20, perLink: 2, stored: 2, totalMs: 300_000, silentMs: 30_000, onAdmitted: () => undefined }

/** Concurrency limit for uploads in this process. */
export class UploadLimiter {
  readonly bounds: UploadLimits
  readonly #byLink = new Map<string, number>()
  readonly #waiting: (() => void)[] = []
  #all = 0
  #storing = 0

  constructor(bounds: Partial<UploadLimits> = {}) {
    this.bounds = { ...BOUNDS, ...bounds }
  }

  /** Uploads being received, read or stored. */
  get activeCount(): number {
    return this.#all
  }

  /** Slot for one upload, as its release function; otherwise the reason why there is none. */
  tryAcquire(linkId: string): (() => void) | 'underWay' | 'full' {
    const ofLink = this.#byLink.get(linkId) ?? 0
    if (ofLink >= this.bounds.perLink) return 'underWay'
    if (this.#all >= this.bounds.all) return 'full'
    this.#all += 1
    this.#byLink.set(linkId, ofLink + 1)
    return () => {
      this.#all -= 1
      const left = (this.#byLink.get(linkId) ?? 1) - 1
      if (left === 0) this.#byLink.delete(linkId)
      else this.#byLink.set(linkId, left)
    }
  }

  /** Reads and stores received uploads, a few at a time, since each is in memory during that. */
  async runStore<T>(work: () => Promise<T>): Promise<T> {
    if (this.#storing >= this.bounds.stored) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    else this.#storing += 1
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#storing -= 1
    }
  }
}
