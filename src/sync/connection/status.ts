import { isLegalTransition, type StatusCode } from '../../model/statuses.ts'
import type { StatusMessage } from '../../model/texts/status-messages.ts'
import { type Connection, writeStatus } from '../../store/connections/connections.ts'
import type { Db } from '../../store/db/database.ts'

/**
 * Status transition of a locked connection, with its timeline entry; throws on a transition that the table does not
 * allow, which is our own fault.
 */
export async function moveStatus(db: Db, connection: Connection, to: StatusCode, detail: string | StatusMessage = ''): Promise<void> {
  if (!isLegalTransition(connection.status, to)) throw new Error(`no move from status ${connection.status} to ${to}`)
  await writeStatus(db, connection, to, detail)
}
