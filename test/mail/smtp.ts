import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer } from 'smtp-server'
import { createSmtpTransport, type MailTransport } from '../../src/mail/smtp-transport.ts'
import { Secret } from '../../src/model/values/secret.ts'

/** A scriptable mail server on loopback. */
export interface Smtp {
  url: string
  /** Accepted mails, oldest first. */
  taken: { email: Email; raw: string; recipients: string[] }[]
  /** Refusals for the next recipients, in order; later ones are accepted. */
  refusals: { code: number; text: string }[]
  post: MailTransport
  close(): Promise<void>
}

export async function openSmtp(): Promise<Smtp> {
  const taken: Smtp['taken'] = []
  const refusals: Smtp['refusals'] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    disableReverseLookup: true,
    logger: false,
    closeTimeout: 500,
    onRcptTo: (_address, _session, done) => {
      const refusal = refusals.shift()
      if (refusal) done(Object.assign(new Error(refusal.text), { responseCode: refusal.code }))
      else done()
    },
    onData: (stream, session, done) => {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const raw = Buffer.concat(chunks)
        PostalMime.parse(raw).then((email) => {
          taken.push({ email, raw: raw.toString(), recipients: session.envelope.rcptTo.map(({ address }) => address) })
          done()
        }, done)
      })
    },
  })
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  const url = `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`
  const post = createSmtpTransport({ url: new Secret(url), from: 'no-reply@example.org' })
  return {
    url,
    taken,
    refusals,
    post,
    close: async () => {
      post.close()
      await new Promise<void>((closed) => server.close(() => closed()))
    },
  }
}
