import { setTimeout as wait } from 'node:timers/promises'
import type { Database } from '../store/db/database.ts'
import { type DeploymentPause, findPause } from '../store/db/deployment-pause.ts'
import type { RestSigns } from './activity.ts'
import { repeat } from './repeat.ts'

const LOOK_EVERY_MS = 1_000
/** Where a pause is announced to this process. */
const LISTENING_MS = 10_000

/** The deployment's pause as this process knows it; null if it is not paused. */
export interface PauseState {
  /**
   * As of the last look: at most a second old while the database answers, in a process that rests at most ten unless it is
   * announced.
   */
  current(): DeploymentPause | null
  /** At most a second old while the database answers, whether the process rests or not; otherwise the last state after a second. */
  find(): Promise<DeploymentPause | null>
}

/** Rest of a process that claims nothing and uses `find` for what it is asked. */
export const ONLY_ANSWERS: RestSigns = { isResting: () => true, onWork: () => () => undefined }

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

/** A paused copy of a deployment that may still run. */
export async function isRestoredCopy(pause: PauseState): Promise<boolean> {
  return (await pause.find())?.reason === 'restored'
}

async function atMostMs(limitMs: number, work: Promise<void>): Promise<void> {
  const timer = new AbortController()
  await Promise.race([work, wait(limitMs, undefined, { signal: timer.signal })])
  timer.abort()
}
