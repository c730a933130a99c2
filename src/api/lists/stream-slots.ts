import { tooManyRequests, unavailable } from '../errors/errors.ts'

const RETRY_SECONDS = 5

/** Maximum number of concurrent streams. Each holds at most one piece in memory, for as long as its client takes. */
export interface StreamLimits {
  ofInstance: number
  ofProcess: number
}

/** Counts the streams of this process. */
export class StreamSlots {
  readonly #limits: StreamLimits
  readonly #open = new Map<string, number>()
  #all = 0

  constructor(limits: StreamLimits) {
    this.#limits = limits
  }

  /** Runs `work` as a counted stream; a 429 or 503 above the limits. */
  async run<T>(instanceId: string, work: () => Promise<T>): Promise<T> {
    const { ofInstance, ofProcess } = this.#limits
    const open = this.#open.get(instanceId) ?? 0
    if (open >= ofInstance)
      throw tooManyRequests(RETRY_SECONDS, `Too many requests: ${ofInstance} lists of the instance are being streamed.`)
    if (this.#all >= ofProcess) throw unavailable(RETRY_SECONDS)
    this.#open.set(instanceId, open + 1)
    this.#all += 1
    try {
      return await work()
    } finally {
      this.#all -= 1
      const left = (this.#open.get(instanceId) ?? 1) - 1
      if (left === 0) this.#open.delete(instanceId)
      else this.#open.set(instanceId, left)
    }
  }
}
