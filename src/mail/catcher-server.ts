import { randomBytes } from 'node:crypto'
import type { Socket } from 'node:net'
import PostalMime, { type Address, type Email } from 'postal-mime'
import { SMTPServer } from 'smtp-server'
import { toMailId } from './message-id.ts'

/** Mail as received. */
export interface CaughtMail {
  /** Unguessable key, part of its URL. */
  key: string
  /** Id of our own mail; null for mails from elsewhere. */
  mailId: string | null
  at: Date
  from: string
  to: string
  subject: string
  text: string
  /** Empty when there is none. */
  html: string
}

const MAX_BYTES = 512 * 1024

/** SMTP server on sockets handed to it; passes received mails to `keep`. */
export function createCatcherServer(keep: (mail: CaughtMail) => void): { take(socket: Socket): void } {
  const smtp = new SMTPServer({
    name: 'mail-catcher',
    banner: 'every mail is kept here and goes nowhere',
    disabledCommands: ['AUTH', 'STARTTLS'],
    authOptional: true,
    disableReverseLookup: true,
    logger: false,
    size: MAX_BYTES,
    socketTimeout: 30_000,
    // Lets developers see a rejected recipient.
    onRcptTo: ({ address }, _session, done) => {
      if (/^bounce@/i.test(address)) done(withCode(new Error('no such mailbox; the catcher refuses every bounce@'), 550))
      else done()
    },
    onData: (stream, _session, done) => {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => {
        if (!stream.sizeExceeded) chunks.push(chunk)
      })
      stream.on('error', (error: Error) => done(error))
      stream.on('end', () => {
        if (stream.sizeExceeded) return done(withCode(new Error('the mail is too large'), 552))
        PostalMime.parse(Buffer.concat(chunks)).then(
          (email) => {
            keep(toCaught(email))
            done()
          },
          () => done(withCode(new Error('the mail cannot be read'), 554)),
        )
      })
    },
  })
  smtp.on('error', () => undefined)
  return { take: (socket) => void smtp.server.emit('connection', socket) }
}

function toCaught(email: Email): CaughtMail {
  return {
    key: randomBytes(18).toString('base64url'),
    mailId: toMailId(email.messageId),
    at: new Date(),
    from: toText(email.from),
    to: (email.to ?? []).map(toText).join(', '),
    subject: email.subject ?? '',
    text: email.text ?? '',
    html: showPictures(email),
  }
}

/** HTML body with its attached pictures inlined, as a mail program shows it. */
function showPictures({ html = '', attachments }: Email): string {
  return attachments.reduce((page, { contentId, mimeType, content }) => {
    if (!contentId || !mimeType.startsWith('image/') || typeof content === 'string') return page
    const data = `data:${mimeType};base64,${Buffer.from(content instanceof Uint8Array ? content : new Uint8Array(content)).toString('base64')}`
    return page.replaceAll(`cid:${contentId.replace(/^<|>$/g, '')}`, data)
  }, html)
}

function toText(address: Address | undefined): string {
  if (!address?.address) return address?.name ?? ''
  return address.name === '' ? address.address : `${address.name} <${address.address}>`
}

function withCode(error: Error, responseCode: number): Error {
  return Object.assign(error, { responseCode })
}
