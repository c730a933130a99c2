/** How much may be uploaded at a time, and how long it may take. */
export interface UploadLimits {
  /** Uploads that this process receives. */
  all: number
  /** Of those, with one link and those handed on from it. */
  perLink: number
  /** Uploads that are read and stored; the others wait, on the disk. */
  stored: number
  /** Milliseconds for all of one upload. */
  totalMs: number
  /** Milliseconds without a byte. */
  silentMs: number
}

const BOUNDS: UploadLimits = { all: 20, perLink: 2, stored: 2, totalMs: 300_000, silentMs: 30_000 }

/** Uploads under way in this process. */
export class UploadLimiter {
  readonly bounds: UploadLimits
  readonly #byLink = new Map<string, number>()
  readonly #waiting: (() => void)[] = []
  #all = 0
  #storing = 0

  constructor(bounds: Partial<UploadLimits> = {}) {
    this.bounds = { ...BOUNDS, ...bounds }
  }

  /** Uploads that come in, or are read and stored. */
  get activeCount(): number {
    return this.#all
  }

  /** A place for one upload, to be given back; or why there is none. */
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

  /** Reads and stores what was received, a few at a time: each lies in memory meanwhile. */
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
