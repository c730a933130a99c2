import type { FastifyInstance, RouteOptions } from 'fastify'

/** Concurrent requests of one instance in this process while others ask too. */
const AT_ONCE = 1
/**
 * A request that takes longer waits for something else, such as a source, and no longer counts. Well above what a query
 * takes on a database that a load keeps busy: there, too, the load has to wait.
 */
const COUNTED_MS = 250
/** How long an instance that has asked counts as asking. */
const CONTENDED_MS = 1_000

/**
 * Fair shares: while several instances ask, the requests of each wait for each other beyond `AT_ONCE`, so that the load
 * of one delays those of others by one request at most. An instance that is alone has the whole process. To be called
 * before the routes are added, and before whatever waits for locks.
 */
export function addInstanceShares(scope: FastifyInstance, shares: InstanceShares): void {
  scope.addHook('onRoute', (route: RouteOptions) => {
    if (route.config?.roles === 'public') return
    const { handler } = route
    route.handler = async function (request, reply) {
      return await shares.run(request.caller.instanceId, async () => await handler.call(this, request, reply))
    }
  })
}

interface Share {
  running: number
  waiting: (() => void)[]
}

export class InstanceShares {
  readonly #shares = new Map<string, Share>()
  readonly #nowMs: () => number
  #last = ''
  #contendedUntilMs = Number.NEGATIVE_INFINITY

  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs
  }

  async run<T>(instanceId: string, work: () => Promise<T>): Promise<T> {
    const nowMs = this.#nowMs()
    if (this.#last !== instanceId) {
      if (this.#last !== '') this.#contendedUntilMs = nowMs + CONTENDED_MS
      this.#last = instanceId
    }
    const share = this.#shares.get(instanceId) ?? { running: 0, waiting: [] }
    this.#shares.set(instanceId, share)
    if (this.#hasRoom(share)) share.running += 1
    else await new Promise<void>((resolve) => void share.waiting.push(resolve))
    let isCounted = true
    const leave = (): void => {
      if (!isCounted) return
      isCounted = false
      this.#leave(instanceId, share)
    }
    const slow = setTimeout(leave, COUNTED_MS)
    try {
      return await work()
    } finally {
      clearTimeout(slow)
      leave()
    }
  }

  #hasRoom({ running }: Share): boolean {
    return running < AT_ONCE || this.#nowMs() >= this.#contendedUntilMs
  }

  /**
   * Admits the requests that have waited longest. NOTE more than the share may be running, from a time without
   * competition.
   */
  #leave(instanceId: string, share: Share): void {
    share.running -= 1
    while (share.waiting.length > 0 && this.#hasRoom(share)) {
      share.running += 1
      share.waiting.shift()?.()
    }
    if (share.running === 0) this.#shares.delete(instanceId)
  }
}
