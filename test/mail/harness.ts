import { randomUUID } from 'node:crypto'
import type { Outcome } from '../../src/jobs/worker.ts'
import { mailHandlers } from '../../src/mail/jobs.ts'
import type { MailContext } from '../../src/mail/queue.ts'
import { queueMail } from '../../src/mail/queue.ts'
import type { Database } from '../../src/store/db/database.ts'
import { inTransaction } from '../../src/store/db/database.ts'
import type { Job } from '../../src/store/jobs/jobs.ts'
import { createSealer, type Sealer } from '../../src/store/keys/sealing.ts'
import { tokenHasher } from '../../src/store/keys/token-hash.ts'
import { addInstance } from '../harness/app/tenants.ts'
import { testDatabase } from '../harness/database.ts'
import { testKeys } from '../harness/keys.ts'
import { openSmtp, type Smtp } from './smtp.ts'

export const LINK = 'https://data.example.com/connect?token=abcdefghijklmnopqrstuvwxyzABCDEFGHIJ0123456'

/** A desk, a mail server, and what sends from one to the other. */
export interface MailHarness {
  database: Database
  sealer: Sealer
  desk: MailContext
  smtp: Smtp
  instanceId: string
  addInstance(): Promise<string>
  /** Queues a link, in a transaction of its own. */
  queue(to?: string, options?: { note?: string; name?: string; company?: string; instanceId?: string }): Promise<string>
  /** Works off the job of a mail, now. */
  work(mailId: string, instanceId?: string): Promise<Outcome>
  row(mailId: string): Promise<Record<string, unknown>>
  close(): Promise<void>
}

export async function openMailHarness(): Promise<MailHarness> {
  const { database, drop } = await testDatabase()
  const keys = await testKeys()
  const sealer = createSealer(keys)
  const desk: MailContext = { sealer, hashToken: tokenHasher(keys) }
  const smtp = await openSmtp()
  const handlers = mailHandlers({ database, sealer, transport: smtp.post, log: { warn: () => undefined } })
  const open = () => addInstance(database, 'Érable Lending')
  const first = await open()
  return {
    database,
    sealer,
    desk,
    smtp,
    instanceId: first,
    addInstance: open,
    queue: async (to = 'owner@example.com', { note = '', name, company = 'Boulangerie du Plateau', instanceId = first } = {}) =>
      await inTransaction(database, (db) =>
        queueMail(db, desk, {
          instanceId,
          kind: 'link',
          facts: { requester: 'Érable Lending', company, service: 'Xero', address: LINK, expiresAt: new Date('2026-12-01'), note },
          locale: 'fr-CA',
          to: { address: to, ...(name === undefined ? {} : { name }) },
          companyId: null,
        }),
      ),
    work: async (mailId, instanceId = first) => {
      const job: Job = { id: randomUUID(), instanceId, kind: 'mail', key: `mail/${mailId}`, payload: { mailId }, attempts: 1 }
      return await handlers.mail(job, { isStopping: () => false })
    },
    row: async (mailId) => (await database.query('select * from mails where id = $1', [mailId])).rows[0],
    close: async () => {
      await smtp.close()
      await drop()
    },
  }
}
