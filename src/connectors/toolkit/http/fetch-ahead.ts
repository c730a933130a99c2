import { SourceError } from '../../contract/contract.ts'

/** Concurrent calls for one page of ours, unless a source sets fewer. Limits and pauses are up to the rate limiter. */
const AT_ONCE = 8

interface FetchAheadOptions {
  /** Called before each request: whether the page is full already. Requests in flight still complete. */
  isEnough?: () => boolean
  atOnce?: number
  /**
   * The others are requested only after the first response has been consumed: it may fill the page alone, and a source
   * that rate limits us does so once.
   */
  isFirstAlone?: boolean
}

/**
 * Concurrent requests whose responses are yielded in the order of the items. A failure is thrown in its turn, after the
 * responses of all items before it, so that a cursor after the last response neither skips nor repeats anything. No
 * request outlives the loop over the responses.
 */
export async function* fetchAhead<Item, Answer>(
  items: Iterable<Item>,
  ask: (item: Item) => Promise<Answer>,
  { isEnough = () => false, atOnce = AT_ONCE, isFirstAlone = false }: FetchAheadOptions = {},
): AsyncGenerator<Answer, void> {
  const underWay: Promise<Answer>[] = []
  const rest = items[Symbol.iterator]()
  let most = isFirstAlone ? 1 : atOnce
  try {
    for (;;) {
      while (underWay.length < most && !isEnough()) {
        const next = rest.next()
        if (next.done) break
        const answer = ask(next.value)
        // The error reaches the waiter; it may occur before anyone waits.
        answer.catch(() => undefined)
        underWay.push(answer)
      }
      const [first] = underWay
      if (first === undefined) return
      const answer = await first
      underWay.shift()
      yield answer
      most = atOnce
    }
  } finally {
    await Promise.allSettled(underWay)
  }
}

/**
 * Whether a page may end before the item that failed, for the next page to retry it: the source is down or rate limits
 * us.
 */
export function isTransient(error: unknown): boolean {
  return error instanceof SourceError && (error.kind === 'rateLimited' || error.kind === 'unavailable')
}
