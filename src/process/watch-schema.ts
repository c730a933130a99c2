import { startTicker } from '../jobs/ticker.ts'
import { RELEASE } from '../model/release.ts'
import type { Database } from '../store/db/database.ts'
import { findNewerSchema } from '../store/db/schema-release.ts'
import type { Logger } from './log.ts'

const CHECK_EVERY_MS = 5_000

/**
 * Ends the process, by `onFatal`, once a later release has removed something that this one needs: it would only fail
 * the work that it claims.
 */
export function watchSchema(database: Database, log: Logger, onFatal: (error: Error) => void): { stop(): Promise<void> } {
  const check = async (): Promise<void> => {
    const newer = await findNewerSchema(database, RELEASE)
    if (newer !== null) onFatal(new Error(newer))
  }
  // `/readyz` tells that the database does not answer.
  return startTicker([{ name: 'check schema', everyMs: CHECK_EVERY_MS, run: check }], (error) =>
    log.debug({ err: error }, 'the schema could not be checked'),
  )
}
