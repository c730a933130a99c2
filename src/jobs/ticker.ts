/** Something to do again and again, e.g. to queue what is due. */
export interface Tick {
  name: string
  everyMs: number
  run(): Promise<unknown>
}

/** Runs each tick at its pace, never twice at the same time; a failure is reported and the next turn comes all the same. The process stays until it is stopped. */
export function startTicker(ticks: readonly Tick[], onError: (error: unknown, name: string) => void): { stop(): Promise<void> } {
  const inFlight = new Map<string, Promise<void>>()
  const timers = ticks.map((tick) => {
    const turn = (): void => {
      if (inFlight.has(tick.name)) return
      const work = tick
        .run()
        .then(() => undefined)
        .catch((error: unknown) => onError(error, tick.name))
        .finally(() => inFlight.delete(tick.name))
      inFlight.set(tick.name, work)
    }
    turn()
    return setInterval(turn, tick.everyMs)
  })
  return {
    stop: async () => {
      for (const timer of timers) clearInterval(timer)
      await Promise.all(inFlight.values())
    },
  }
}
