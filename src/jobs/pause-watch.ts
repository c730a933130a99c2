import { setTimeout as wait } from 'node:timers/promises'
import type { Database } from '../store/db/database.ts'
import { type DeploymentPause, findPause } from '../store/db/deployment-pause.ts'
import type { RestSigns } from './activity.ts'
import { repeat } from './repeat.ts'

const LOOK_EVERY_MS = 1_000
/** Interval while the process rests, and a notification announces a pause. */
const LISTENING_MS = 10_000

/** The deployment's pause as this process knows it; null if it is not paused. */
export interface PauseState {
  /**
   * State at the last poll: at most a second old while the database answers; in a process that rests at most ten, unless a
   * notification announced it.
   */
  current(): DeploymentPause | null
  /** At most a second old while the database answers, also at rest; otherwise the last known state, after a second. */
  find(): Promise<DeploymentPause | null>
}

/** For a process that claims no jobs: it always rests, and uses `find` for each request. */
export const ONLY_ANSWERS: RestSigns = { isResting: () => true, onWork: () => () => undefined }

export interface PauseWatch extends PauseState {
  stop(): Promise<void>
}

/**
 * Pause watch: reads the deployment's pause once before it returns, so that a process on a restored copy never begins
 * work, then every second; in a process that rests, every 10 s and at each notification, which announces a pause.
 * While the database does not answer, the last state holds. `onChange` is also called for a pause found at the start.
 */
export async function watchPause(
  database: Database,
  onChange: (pause: DeploymentPause | null) => void,
  signs?: RestSigns,
  elapsedMs: () => number = () => performance.now(),
): Promise<PauseWatch> {
  let lookedAt = elapsedMs()
  let pause = await findPause(database)
  if (pause !== null) onChange(pause)
  let looking: Promise<void> | null = null
  const look = async (): Promise<void> => {
    // Without the database nothing is claimed, and its loss is reported by those who use it.
    const beganAt = elapsedMs()
    const found = await findPause(database).catch(() => pause)
    lookedAt = beganAt
    const isChanged = (found === null) !== (pause === null)
    pause = found
    if (isChanged) onChange(found)
  }
  const lookNow = (): Promise<void> => {
    looking ??= look().finally(() => {
      looking = null
    })
    return looking
  }
  const timer = repeat({ everyMs: LOOK_EVERY_MS, restMs: LISTENING_MS }, () => void lookNow(), signs)
  return {
    current: () => pause,
    find: async () => {
      if (elapsedMs() - lookedAt >= LOOK_EVERY_MS) await atMostMs(LOOK_EVERY_MS, lookNow())
      return pause
    },
    stop: async () => {
      timer.stop()
      await looking
    },
  }
}

/** Whether this is a paused copy of a deployment, whose original may still run. */
export async function isRestoredCopy(pause: PauseState): Promise<boolean> {
  return (await pause.find())?.reason === 'restored'
}

async function atMostMs(limitMs: number, work: Promise<void>): Promise<void> {
  const timer = new AbortController()
  await Promise.race([work, wait(limitMs, undefined, { signal: timer.signal })])
  timer.abort()
}
