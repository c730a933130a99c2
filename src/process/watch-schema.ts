import type { RestSigns } from '../jobs/activity.ts'
import { startTicker } from '../jobs/ticker.ts'
import { RELEASE } from '../model/release.ts'
import type { Database } from '../store/db/database.ts'
import { findNewerSchema } from '../store/db/schema-release.ts'
import type { Logger } from './log.ts'

const CHECK_EVERY_MS = 5_000
/** A process that rests claims no work. */
const REST_MS = 10_000

/**
 * Ends the process, by `onFatal`, once a later release has removed something that this one needs: it would only fail
 * the work that it claims. With `signs`, for a process that answers no requests, it looks less often at rest.
 */
export function watchSchema(
  database: Database,
  log: Logger,
  onFatal: (error: Error) => void,
  signs?: RestSigns,
): { stop(): Promise<void> } {
  const check = async (): Promise<void> => {
    const newer = await findNewerSchema(database, RELEASE)
    if (newer !== null) onFatal(new Error(newer))
  }
  // `/readyz` tells that the database does not answer.
  const onError = (error: unknown): void => log.debug({ err: error }, 'the schema could not be checked')
  return startTicker([{ name: 'check schema', everyMs: CHECK_EVERY_MS, restMs: REST_MS, run: check }], onError, undefined, signs)
}
