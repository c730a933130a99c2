import { BadMailAddress, NoMailServer, TooManyMails } from '../../mail/queue.ts'
import { badField, conflict, tooManyRequests } from './errors.ts'

/**
 * Error response for a mail that was not queued, with the field of the address; any other error is returned unchanged.
 */
export function toMailApiError(error: unknown, field = 'to'): unknown {
  if (error instanceof BadMailAddress) return badField(field, 'is not an e-mail address that mail can be sent to')
  if (error instanceof NoMailServer) return conflict('No mail server is set: the operator sets SMTP_URL and MAIL_FROM.')
  if (!(error instanceof TooManyMails)) return error
  return tooManyRequests(error.retryAfterSeconds, 'Too many mails were sent within an hour, to this address or altogether.')
}
