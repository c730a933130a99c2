import { createTransport } from 'nodemailer'
import type { Secret } from '../model/values/secret.ts'
import { toMessageId } from './message-id.ts'
import type { MailContent } from './queue.ts'
import { LOGO_ID } from './render.ts'
import { explainTransport } from './transport-faults.ts'

/** Mail transport (SMTP client). */
export interface MailTransport {
  send(mail: OutgoingMail): Promise<SendResult>
  close(): void
}

export interface OutgoingMail extends MailContent {
  /** The same for every attempt. */
  id: string
  writtenAt: Date
}

/** `refused`: permanent rejection; `later`: temporary failure. `problem` names no recipient. */
export type SendResult = { result: 'sent' } | { result: 'refused' | 'later'; problem: string }

export interface MailServer {
  /** `smtp://` or `smtps://`, validated by `toSmtpUrl`; with `?tls=off` also without encryption. */
  url: Secret
  /** Sender address. */
  from: string
  /** Access token for the user of `url`, asked for again when it is a minute old, or was refused; null for a password. */
  token?: (() => Promise<string>) | null
}

/** In sum well below the time after which another process may take over the mail. */
const TIMEOUTS = { dnsTimeout: 10_000, connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000 }
const DEFAULT_PORTS: Record<string, number> = { 'smtp:': 587, 'smtps:': 465 }
/**
 * "Authentication required" and "must issue STARTTLS first": to be fixed by the operator.
 * Source: https://www.rfc-editor.org/rfc/rfc4954#section-6
 */
const OPERATOR_CODES = [530, 534, 535, 538]
const MAX_PROBLEM = 300
/** The recipient, in whatever case the server repeats it, and all other addresses. */
const ADDRESSES = /[^\s<>"'()]{1,100}@[^\s<>"'(),;]+/g

export function createSmtpTransport(server: MailServer): MailTransport {
  const { from } = server
  const transport = openTransport(server)
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

const TOKEN_MS = 60_000

/**
 * Login with an access token (SASL XOAUTH2), or with a password; none without a user.
 * Source: https://developers.google.com/workspace/gmail/imap/xoauth2-protocol
 */
function toAuth(user: string, pass: string, token: MailServer['token']): object {
  if (user === '') return {}
  if (!token) return { auth: { user, pass } }
  const provisionCallback: ProvisionCallback = (_user, _renew, done) => {
    token().then(
      (text) => done(null, text, Date.now() + TOKEN_MS),
      (error: unknown) => done(error instanceof Error ? error : new Error(String(error))),
    )
  }
  return { auth: { type: 'OAuth2', user, provisionCallback } }
}

type ProvisionCallback = (user: string, renew: boolean, done: (error: Error | null, token?: string, expiresMs?: number) => void) => void

function openTransport({ url, token }: MailServer) {
  const { protocol, hostname, port, username, password, search } = new URL(url.reveal())
  const host = hostname.replace(/^\[|\]$/g, '')
  return createTransport({
    ...TIMEOUTS,
    host,
    port: port === '' ? (DEFAULT_PORTS[protocol] ?? 587) : Number(port),
    secure: protocol === 'smtps:',
    // Mails hold links that open a company, and the login a password.
    requireTLS: protocol === 'smtp:' && search === '' && !isLoopback(host),
    ...toAuth(decodeURIComponent(username), decodeURIComponent(password), token),
    disableFileAccess: true,
    disableUrlAccess: true,
  })
}

/** Connects and logs in without sending; returns what keeps us from it, null for nothing. */
export async function verifyMailServer(server: MailServer): Promise<string | null> {
  const transport = openTransport(server)
  try {
    await transport.verify()
    return null
  } catch (error) {
    const result = explain(error)
    return result.result === 'sent' ? null : result.problem
  } finally {
    transport.close()
  }
}

function explain(error: unknown): SendResult {
  if (!(error instanceof Error)) throw error
  const responseCode = 'responseCode' in error && typeof error.responseCode === 'number' ? error.responseCode : 0
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  const response = 'response' in error && typeof error.response === 'string' ? error.response : ''
  // About this mail, not about our connection or login.
  const isOfMail = code === 'EENVELOPE' || code === 'EMESSAGE'
  const isForGood = isOfMail && responseCode >= 500 && !OPERATOR_CODES.includes(responseCode)
  // Answers to STARTTLS differ between servers, and say less than that there is no encryption.
  const words = response === '' || code === 'ETLS' ? explainTransport(error, code) : response
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
