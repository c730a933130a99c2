import { hasUnknownLogins, OTHER_NETWORKS, takeUnknownLogins } from '../store/access/unknown-logins.ts'
import { type Database, inTransaction } from '../store/db/database.ts'
import { type AuditWriter, withinActor } from './actor.ts'
import { recordBy } from './record.ts'

/**
 * Turns the failed logins of unknown addresses of past minutes into entries of the deployment's chain, one for each
 * network and minute; a periodic task.
 */
export async function recordUnknownLogins(database: Database, writer: AuditWriter): Promise<void> {
  if (!(await hasUnknownLogins(database, writer.now()))) return
  await inTransaction(database, async (db) => {
    for (const { minute, network, attempts, addresses } of await takeUnknownLogins(db, writer.now())) {
      const actor = { kind: 'visitor', id: null, network: network === OTHER_NETWORKS ? null : network, requestId: null } as const
      const details = { reason: 'unknown', minute: minute.toISOString(), attempts, addresses: addresses.join(' ') }
      const change = { instanceId: null, action: 'login.failed', subject: null, details } as const
      await withinActor({ writer, actor, actions: null }, () => recordBy(writer, db, change))
    }
  })
}
