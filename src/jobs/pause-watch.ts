import type { Database } from '../store/db/database.ts'
import { type DeploymentPause, findPause } from '../store/db/deployment-pause.ts'
import type { RestSigns } from './activity.ts'
import { repeat } from './repeat.ts'

const LOOK_EVERY_MS = 1_000
/** Where a pause is announced to this process. */
const LISTENING_MS = 10_000

/**
 * The deployment's pause as this process knows it: at most a second old while the database answers, in a process that
 * rests at most ten unless it is announced.
 */
export interface PauseState {
  /** Returns null if the deployment is not paused. */
  current(): DeploymentPause | null
}

export interface PauseWatch extends PauseState {
  stop(): Promise<void>
}

/**
 * Pause watch: reads the deployment's pause once before it returns, so that a process on a restored copy never begins
 * work, then every second; in a process that rests, every 10 s and at each notification, by which a pause is announced.
 * While the database does not answer, the last state holds. `onChange` is also told of a pause that is found first.
 */
export async function watchPause(
  database: Database,
  onChange: (pause: DeploymentPause | null) => void,
  signs?: RestSigns,
): Promise<PauseWatch> {
  let pause = await findPause(database)
  if (pause !== null) onChange(pause)
  let looking: Promise<void> | null = null
  const look = async (): Promise<void> => {
    // Without the database nothing is claimed, and its loss is reported by those who use it.
    const found = await findPause(database).catch(() => pause)
    const isChanged = (found === null) !== (pause === null)
    pause = found
    if (isChanged) onChange(found)
  }
  const lookNow = (): void => {
    looking ??= look().finally(() => {
      looking = null
    })
  }
  const timer = repeat({ everyMs: LOOK_EVERY_MS, restMs: LISTENING_MS }, lookNow, signs)
  return {
    current: () => pause,
    stop: async () => {
      timer.stop()
      await looking
    },
  }
}
