import { recordChange } from '../../../audit/record.ts'
import type { Source } from '../../../connectors/sources.ts'
import type { Db } from '../../../store/db/database.ts'
import type { Caller } from '../../access/caller.ts'

/** Recorder of a change of a source's keys, for the transaction that makes it. */
export function recordKeys(
  { instanceId }: Caller,
  action: 'source-keys.saved' | 'source-keys.removed' | 'source-keys.tested',
  source: Source,
  details?: Record<string, string | boolean>,
): (db: Db) => Promise<void> {
  return (db) => recordChange(db, { instanceId, action, subject: subjectOf(source), ...(details ? { details } : {}) })
}

export function subjectOf({ description }: Source): string {
  return `source/${description.key}`
}
