import type { Database } from '../store/db/database.ts'
import { type DeploymentPause, findPause } from '../store/db/deployment-pause.ts'

const LOOK_EVERY_MS = 1_000

/** The deployment's pause as this process knows it, at most a second old while the database answers. */
export interface PauseState {
  /** Returns null if the deployment is not paused. */
  current(): DeploymentPause | null
}

export interface PauseWatch extends PauseState {
  stop(): Promise<void>
}

/**
 * Pause watch: reads the deployment's pause once before it returns, so that a process on a restored copy never begins
 * work, then every second. While the database does not answer, the last state holds.
 */
export async function watchPause(database: Database, onChange: (pause: DeploymentPause | null) => void): Promise<PauseWatch> {
  let pause = await findPause(database)
  let looking: Promise<void> | null = null
  const look = async (): Promise<void> => {
    // Without the database nothing is claimed, and its loss is reported by those who use it.
    const found = await findPause(database).catch(() => pause)
    const isChanged = (found === null) !== (pause === null)
    pause = found
    if (isChanged) onChange(found)
  }
  const timer = setInterval(() => {
    looking ??= look().finally(() => {
      looking = null
    })
  }, LOOK_EVERY_MS)
  timer.unref()
  return {
    current: () => pause,
    stop: async () => {
      clearInterval(timer)
      await looking
    },
  }
}
