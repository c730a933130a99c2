import { type Catcher, startCatcher } from '../mail/catcher.ts'
import type { MailServer, MailTransport } from '../mail/smtp-transport.ts'
import type { SecretRedactor } from '../model/secret-redactor.ts'
import { Secret } from '../model/values/secret.ts'
import type { Config } from './config.ts'
import { explainPort } from './port.ts'

/** How far above the port of the service the sandbox catches mails: behind the simulators. */
const CATCHER_OFFSET = 100
/** Nobody answers there. Source: https://www.rfc-editor.org/rfc/rfc2606#section-3 */
const SANDBOX_SENDER = 'no-reply@countinghouse.example'

export interface StartedMail {
  /** Null: mails cannot be sent. */
  server: MailServer | null
  /** In the sandbox only, in the process that serves the portal. */
  catcher: Catcher | null
}

/** The mail server of the settings, or in the sandbox the catcher, which is started here. */
export async function openMail(config: Config, secrets: SecretRedactor, closers: (() => Promise<unknown>)[]): Promise<StartedMail> {
  const { environment, role, smtpUrl, mailCatcherPort } = config
  if (smtpUrl) secrets.add(decodeURIComponent(new URL(smtpUrl.reveal()).password))
  const from = config.mailFrom ?? SANDBOX_SENDER
  if (environment !== 'sandbox') return { server: smtpUrl && { url: smtpUrl, from }, catcher: null }
  const port = mailCatcherPort ?? config.port + CATCHER_OFFSET
  // A worker of its own sends to where the process with the portal catches.
  if (role === 'worker') return { server: { url: smtpUrl ?? new Secret(`smtp://127.0.0.1:${port}`), from }, catcher: null }
  const isExact = mailCatcherPort !== null || role !== 'all'
  const catcher = await startCatcher({ port, isExact }).catch((error: unknown) => {
    throw explainPort(error, '127.0.0.1', port, 'MAIL_CATCHER_PORT')
  })
  closers.push(() => catcher.close())
  return { server: { url: smtpUrl ?? new Secret(catcher.url), from }, catcher }
}

/** A mail server whose client is loaded with the first mail. */
export function lazySmtpTransport(server: MailServer): MailTransport {
  let post: Promise<MailTransport> | null = null
  return {
    send: async (mail) => {
      post ??= import('../mail/smtp-transport.ts').then(({ createSmtpTransport }) => createSmtpTransport(server))
      return await (await post).send(mail)
    },
    close: () => void post?.then((opened) => opened.close()),
  }
}
