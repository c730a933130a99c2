import { SourceError } from '../contract/contract.ts'

/** Calls of one page of ours that are under way at a time, unless a source says less. Limits and pauses are the gate's. */
const AT_ONCE = 8

interface FetchAheadOptions {
  /** Asked before each call: whether the page has enough already. What is under way still comes. */
  isEnough?: () => boolean
  atOnce?: number
  /** The others are asked for when the first answer has been taken: it may fill the page alone, and a source that asks to wait says so once. */
  isFirstAlone?: boolean
}

/**
 * Asks for several things at once and gives the answers in the order of the items. A failure is thrown in its turn, after the answers of all
 * items before it, so that a cursor behind the last answer skips nothing and doubles nothing. No call outlives the loop over the answers.
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
        // Whoever waits for it hears of a failure; nobody may be waiting yet when it comes.
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

/** Whether a page may end before the item that failed, for the next page to ask for it again: the source is away or asks to wait. */
export function isTransient(error: unknown): boolean {
  return error instanceof SourceError && (error.kind === 'rateLimited' || error.kind === 'unavailable')
}
