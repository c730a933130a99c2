import { ownScope, withinActor } from '../../src/audit/actor.ts'
import { auditWriter } from '../../src/audit/record.ts'
import { type MailContent, mailContext } from '../../src/mail/queue.ts'
import { listAudit } from '../../src/store/access/audit.ts'
import type { Database } from '../../src/store/db/database.ts'
import { openJson } from '../../src/store/keys/sealed-json.ts'
import type { Sealer } from '../../src/store/keys/sealing.ts'
import { testKeys } from '../harness/keys.ts'

/** Entries and mails that the functions of owners leave behind. */
export interface Recorded {
  /** Runs `work` as an actor, so that it leaves audit entries. */
  acting<T>(work: () => Promise<T>): Promise<T>
  /** Entries of an instance, oldest first. */
  entriesOf(instanceId: string): Promise<object[]>
  /** Mails of an instance, oldest first. */
  mailsOf(instanceId: string): Promise<QueuedMail[]>
}

export interface QueuedMail {
  id: string
  kind: string
  companyId: string | null
  to: string
  replyTo: string | null
  fromName: string
  subject: string
  text: string
}

export async function openRecorded(database: Database, sealer: Sealer): Promise<Recorded> {
  const writer = auditWriter({ keys: await testKeys(), now: () => new Date() })
  return {
    acting: (work) => withinActor(ownScope(writer, 'job', 'test'), work),
    entriesOf: async (instanceId) =>
      (await listAudit(database, instanceId, 100)).toReversed().map(({ entry: { action, subject, after, details } }) => ({
        ...{ action, subject },
        ...(after === undefined ? {} : { after }),
        ...(details === undefined ? {} : { details }),
      })),
    mailsOf: async (instanceId) => {
      const { rows } = await database.query<{ id: string; kind: string; companyId: string | null; sealed: Uint8Array }>(
        `select id, kind, company_id as "companyId", sealed from mails where instance_id = $1 order by created_at, id`,
        [instanceId],
      )
      return rows.map(({ sealed, ...mail }) => {
        const { to, replyTo, fromName, subject, text } = openJson<MailContent>(sealer, mailContext(instanceId, mail.id), sealed)
        return { ...mail, to: to.address, replyTo, fromName, subject, text }
      })
    },
  }
}
