import { setTimeout as wait } from 'node:timers/promises'

const PAUSE_MS = 40

/** Polls until the result is not null, and returns it. Throws with `what` if it takes too long. */
export async function until<T>(what: string, ask: () => Promise<T | null> | T | null, withinMs = 20_000): Promise<T> {
  const deadline = performance.now() + withinMs
  for (;;) {
    const answer = await ask()
    if (answer !== null) return answer
    if (performance.now() > deadline) throw new Error(`timed out after ${withinMs} ms: ${what}`)
    await wait(PAUSE_MS)
  }
}

/** The promise's value; throws an error with `what` if it takes too long. */
export async function within<T>(what: string, promise: Promise<T>, withinMs = 20_000): Promise<T> {
  const giveUp = new AbortController()
  const late = wait(withinMs, undefined, { signal: giveUp.signal }).then(() => {
    throw new Error(`timed out after ${withinMs} ms: ${what}`)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    late.catch((error: unknown) => {
      if (!(error instanceof Error && error.name === 'AbortError')) throw error
    })
    giveUp.abort()
  }
}
