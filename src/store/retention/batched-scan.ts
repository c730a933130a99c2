/** Steps of one run. */
const STEPS = 100

/** Result of one step of a scan. */
interface Step<Position> {
  /** Number of changed rows. */
  count: number
  /** Position of the next step; null at the end of the scan. */
  next: Position | null
}

/**
 * Periodic scan of a table in steps: each run continues where the last one stopped, and the next after the end begins
 * at `start`. Returns the number of changed rows.
 */
export function batchedScan<Position>(start: Position, step: (from: Position) => Promise<Step<Position>>): () => Promise<number> {
  let position = start
  return async () => {
    let changed = 0
    for (let steps = 0; steps < STEPS; steps += 1) {
      const { count, next } = await step(position)
      changed += count
      position = next ?? start
      if (next === null) break
    }
    return changed
  }
}
