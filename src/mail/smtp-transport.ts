import { createTransport } from 'nodemailer'
import type { Secret } from '../model/values/secret.ts'
import { toMessageId } from './message-id.ts'
import type { MailContent } from './queue.ts'
import { LOGO_ID } from './render.ts'
import { explainTransport } from './transport-faults.ts'

/** The mail server. */
export interface MailTransport {
  send(mail: OutgoingMail): Promise<SendResult>
  close(): void
}

export interface OutgoingMail extends MailContent {
  /** The same however often the mail is sent. */
  id: string
  writtenAt: Date
}

/** `refused`: it will never be taken; `later`: it may be another time. `problem` names no recipient. */
export type SendResult = { result: 'sent' } | { result: 'refused' | 'later'; problem: string }

export interface MailServer {
  /** `smtp://` or `smtps://`, as `toSmtpUrl` has checked it. */
  url: Secret
  /** Address that mails come from. */
  from: string
}

/** Together they end well before another process may take the mail up. */
const TIMEOUTS = { dnsTimeout: 10_000, connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000 }
const DEFAULT_PORTS: Record<string, number> = { 'smtp:': 587, 'smtps:': 465 }
/** "Authentication required" and "must issue STARTTLS first" are for the operator to mend. Source: https://www.rfc-editor.org/rfc/rfc4954#section-6 */
const OPERATOR_CODES = [530, 534, 535, 538]
const MAX_PROBLEM = 300
/** The recipient in whatever letters the server likes, and whoever else it names. */
const ADDRESSES = /[^\s<>"'()]{1,100}@[^\s<>"'(),;]+/g

export function createSmtpTransport({ url, from }: MailServer): MailTransport {
  const { protocol, hostname, port, username, password } = new URL(url.reveal())
  const host = hostname.replace(/^\[|\]$/g, '')
  const transport = createTransport({
    ...TIMEOUTS,
    host,
    port: port === '' ? (DEFAULT_PORTS[protocol] ?? 587) : Number(port),
    secure: protocol === 'smtps:',
    // A password goes over the net encrypted or not at all.
    requireTLS: protocol === 'smtp:' && username !== '' && !isLoopback(host),
    ...(username === '' ? {} : { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return {
    send: async (mail) => {
      try {
        await transport.sendMail({
          envelope: { from, to: [mail.to.address] },
          from: { name: mail.fromName, address: from },
          to: { name: mail.to.name, address: mail.to.address },
          ...(mail.replyTo === null ? {} : { replyTo: { name: '', address: mail.replyTo } }),
          subject: mail.subject,
          text: mail.text,
          html: mail.html,
          attachments: mail.logo ? [toAttachment(mail.logo)] : [],
          messageId: toMessageId(mail.id, from),
          date: mail.writtenAt,
          // Source: https://www.rfc-editor.org/rfc/rfc3834#section-5
          headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
        })
        return { result: 'sent' }
      } catch (error) {
        return explain(error)
      }
    },
    close: () => transport.close(),
  }
}

function explain(error: unknown): SendResult {
  if (!(error instanceof Error)) throw error
  const responseCode = 'responseCode' in error && typeof error.responseCode === 'number' ? error.responseCode : 0
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  const response = 'response' in error && typeof error.response === 'string' ? error.response : ''
  // What was said of this mail, and not of us.
  const isOfMail = code === 'EENVELOPE' || code === 'EMESSAGE'
  const isForGood = isOfMail && responseCode >= 500 && !OPERATOR_CODES.includes(responseCode)
  const words = response === '' ? explainTransport(error, code) : response
  const problem = words
    .replace(/\s+/g, ' ')
    .slice(0, MAX_PROBLEM * 2)
    .replace(ADDRESSES, '•••')
    .slice(0, MAX_PROBLEM)
  return { result: isForGood ? 'refused' : 'later', problem }
}

function toAttachment({ type, base64 }: { type: string; base64: string }) {
  const content = Buffer.from(base64, 'base64')
  return { cid: LOGO_ID, filename: `logo.${type.replace('image/', '')}`, contentType: type, contentDisposition: 'inline' as const, content }
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host)
}
