import type { Outcome } from '../../src/jobs/worker.ts'
import { type MailContext, queueMail } from '../../src/mail/queue.ts'
import { type Database, inTransaction } from '../../src/store/db/database.ts'
import { createSealer, type Sealer } from '../../src/store/keys/sealing.ts'
import { tokenHasher } from '../../src/store/keys/token-hash.ts'
import { sendMail } from '../harness/app/jobs.ts'
import { addInstance } from '../harness/app/tenants.ts'
import { testDatabase } from '../harness/database.ts'
import { testKeys } from '../harness/keys.ts'
import { openSmtp, type Smtp } from './smtp.ts'

export const LINK = 'https://data.example.com/connect?token=abcdefghijklmnopqrstuvwxyzABCDEFGHIJ0123456'

/** Mail queue and SMTP server with a separate database. */
export interface MailHarness {
  database: Database
  sealer: Sealer
  mailContext: MailContext
  smtp: Smtp
  instanceId: string
  addInstance(): Promise<string>
  /** Queues a link, in its own transaction. */
  queue(to?: string, options?: { note?: string; name?: string; company?: string; instanceId?: string }): Promise<string>
  /** Sends a queued mail, now. */
  work(mailId: string, instanceId?: string): Promise<Outcome>
  row(mailId: string): Promise<Record<string, unknown>>
  close(): Promise<void>
}

export async function openMailHarness(): Promise<MailHarness> {
  const { database, drop } = await testDatabase()
  const keys = await testKeys()
  const sealer = createSealer(keys)
  const mailContext: MailContext = { sealer, hashToken: tokenHasher(keys) }
  const smtp = await openSmtp()
  const open = () => addInstance(database, 'Érable Lending')
  const first = await open()
  return {
    database,
    sealer,
    mailContext,
    smtp,
    instanceId: first,
    addInstance: open,
    queue: async (to = 'owner@example.com', { note = '', name, company = 'Boulangerie du Plateau', instanceId = first } = {}) =>
      await inTransaction(database, (db) =>
        queueMail(db, mailContext, {
          instanceId,
          kind: 'link',
          facts: { requester: 'Érable Lending', company, service: 'Xero', address: LINK, expiresAt: new Date('2026-12-01'), note },
          locale: 'fr-CA',
          to: { address: to, ...(name === undefined ? {} : { name }) },
          companyId: null,
        }),
      ),
    work: (mailId, wanted = first) => sendMail({ database, sealer, transport: smtp.post }, { instanceId: wanted, mailId }),
    row: async (mailId) => (await database.query('select * from mails where id = $1', [mailId])).rows[0],
    close: async () => {
      await smtp.close()
      await drop()
    },
  }
}
