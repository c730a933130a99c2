import { setTimeout as wait } from 'node:timers/promises'

const PAUSE_MS = 40

/** Asks again and again until there is an answer other than null, and returns it. Throws with `what` when it takes too long. */
export async function until<T>(what: string, ask: () => Promise<T | null> | T | null, withinMs = 20_000): Promise<T> {
  const deadline = performance.now() + withinMs
  for (;;) {
    const answer = await ask()
    if (answer !== null) return answer
    if (performance.now() > deadline) throw new Error(`waited ${withinMs} ms in vain: ${what}`)
    await wait(PAUSE_MS)
  }
}

/** The promise's value, or an error with `what` when it takes too long. */
export async function within<T>(what: string, promise: Promise<T>, withinMs = 20_000): Promise<T> {
  const giveUp = new AbortController()
  const late = wait(withinMs, undefined, { signal: giveUp.signal }).then(() => {
    throw new Error(`waited ${withinMs} ms in vain: ${what}`)
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
