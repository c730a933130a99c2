import { instanceScopedHandler } from '../jobs/instance-scoped-handler.ts'
import type { Handler } from '../jobs/worker.ts'
import type { CrashHook } from '../model/crash-points.ts'
import { scrub } from '../model/scrub.ts'
import type { Database } from '../store/db/database.ts'
import { openJson } from '../store/keys/sealed-json.ts'
import type { Sealer } from '../store/keys/sealing.ts'
import { findWaitingMail, noteMailAttempt, settleMail } from '../store/mail/mails.ts'
import { type MailContent, mailContext } from './queue.ts'
import type { MailTransport } from './smtp-transport.ts'

export interface MailJobDeps {
  database: Database
  sealer: Pick<Sealer, 'open'>
  transport: MailTransport
  log: { warn(fields: Record<string, unknown>, message: string): void }
  /** Called after each attempt is recorded. */
  onAttempt?(result: 'sent' | 'retried' | 'refused' | 'failed'): void
  /** Crash hook of tests that kill processes at named points. */
  crashPoint?: CrashHook
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
/** Delays between the eight attempts, some 22 hours in all. */
const WAITS_MS = [MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS, HOUR_MS, 3 * HOUR_MS, 6 * HOUR_MS, 12 * HOUR_MS]

/**
 * Mail job: sends a queued mail at least once, always with the same Message-ID, and stops after a permanent rejection
 * by the mail server.
 */
export function mailHandlers(work: MailJobDeps): Record<'mail', Handler> {
  const { database, transport, log } = work
  return {
    mail: instanceScopedHandler(async (job) => {
      const { instanceId } = job
      const mail = await findWaitingMail(database, instanceId, String(job.payload.mailId))
      if (!mail) return { done: true }
      const content = openJson<MailContent>(work.sealer, mailContext(instanceId, mail.id), mail.sealed)
      await work.crashPoint?.('before-mail-send')
      const posted = await transport.send({ ...content, id: mail.id, writtenAt: mail.createdAt })
      await work.crashPoint?.('after-mail-send')
      if (posted.result === 'sent') {
        await settleMail(database, instanceId, mail.id, 'sent', null)
        work.onAttempt?.('sent')
        return { done: true }
      }
      const problem = scrub(posted.problem)
      const waitMs = posted.result === 'refused' ? undefined : WAITS_MS[mail.attempts]
      log.warn({ instanceId, mailId: mail.id, attempt: mail.attempts + 1, problem }, 'the mail server did not accept a mail')
      if (waitMs === undefined) {
        const result = posted.result === 'refused' ? 'refused' : 'failed'
        await settleMail(database, instanceId, mail.id, result, problem)
        work.onAttempt?.(result)
        return { done: true }
      }
      await noteMailAttempt(database, instanceId, mail.id, problem)
      work.onAttempt?.('retried')
      return { done: false, inMs: Math.ceil(waitMs * (0.9 + Math.random() * 0.2)), isFailure: false, reason: problem }
    }),
  }
}
