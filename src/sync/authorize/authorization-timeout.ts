import type { Sources } from '../../connectors/sources.ts'
import { Status } from '../../model/statuses.ts'
import { faultMessage } from '../../model/texts/status-messages.ts'
import { expireAuthorizations, hasAuthorization, listAbandoned } from '../../store/connections/authorizations.ts'
import { lockConnection } from '../../store/connections/connections.ts'
import { countStep } from '../../store/connections/link-progress.ts'
import { type Database, inTransaction } from '../../store/db/database.ts'
import { endAuthorization } from './authorization-failure.ts'

const BATCH = 200
const NOT_BACK = faultMessage('timedOut', 'the owner did not come back from the source in time')
const NEVER_WENT = faultMessage('timedOut', 'the owner agreed and went no further while the link was valid')

/**
 * Expires pending authorizations, and those whose link ended before they continued: records it on their connections.
 * Returns their number.
 */
export async function timeOutAuthorizations(database: Database, sources: Sources): Promise<number> {
  return await inTransaction(database, async (db) => {
    const expired = await expireAuthorizations(db)
    const abandoned = await listAbandoned(db, BATCH)
    const all = [
      ...expired.map((one) => ({ ...one, fault: NOT_BACK })),
      ...abandoned.map((one) => ({ ...one, linkId: null, fault: NEVER_WENT })),
    ]
    for (const { instanceId, connectionId, linkId, fault } of all) {
      const connection = await lockConnection(db, instanceId, connectionId)
      if (connection?.status !== Status.Authorization || (await hasAuthorization(db, instanceId, connectionId))) continue
      await endAuthorization(db, sources, connection, Status.AuthorizationTimedOut, fault)
      if (linkId !== null) await countStep(db, { instanceId, id: linkId }, 'left')
    }
    return all.length
  })
}
