import { type Catcher, startCatcher } from '../mail/catcher.ts'
import type { MailServer, MailTransport } from '../mail/smtp-transport.ts'
import type { SecretRedactor } from '../model/secret-redactor.ts'
import { Secret } from '../model/values/secret.ts'
import { explainPort } from './port.ts'
import type { Config } from './settings/config.ts'
import { askFresh } from './settings/secret-source.ts'

/** Offset of the mail catcher's port from the service's port: after the simulators. */
const CATCHER_OFFSET = 100
/** A reserved domain. Source: https://www.rfc-editor.org/rfc/rfc2606#section-3 */
const SANDBOX_SENDER = 'no-reply@countinghouse.example'

export interface StartedMail {
  /** Null if mails cannot be sent. */
  server: MailServer | null
  /** Only in the sandbox, in the process that serves the portal. */
  catcher: Catcher | null
}

/** Mail server of the settings, or in the sandbox the mail catcher, which is started here. */
export async function openMail(config: Config, secrets: SecretRedactor, closers: (() => Promise<unknown>)[]): Promise<StartedMail> {
  const { environment, role, smtpUrl, mailCatcherPort } = config
  const token = mailTokenOf(config)
  if (smtpUrl) secrets.add(decodeURIComponent(new URL(smtpUrl.reveal()).password))
  const from = config.mailFrom ?? SANDBOX_SENDER
  if (environment !== 'sandbox') return { server: smtpUrl && { url: smtpUrl, from, token }, catcher: null }
  const port = mailCatcherPort ?? config.port + CATCHER_OFFSET
  // A worker-only process sends to the catcher of the process with the portal.
  if (role === 'worker') return { server: { url: smtpUrl ?? new Secret(`smtp://127.0.0.1:${port}`), from, token }, catcher: null }
  const isExact = mailCatcherPort !== null || role !== 'all'
  const catcher = await startCatcher({ port, isExact }).catch((error: unknown) => {
    throw explainPort(error, '127.0.0.1', port, 'MAIL_CATCHER_PORT')
  })
  closers.push(() => catcher.close())
  return { server: { url: smtpUrl ?? new Secret(catcher.url), from, token }, catcher }
}

/** Access token of the settings; null where a password, or no login, is used. */
export function mailTokenOf({ smtpToken }: Pick<Config, 'smtpToken'>): (() => Promise<string>) | null {
  return smtpToken && (async () => await askFresh(smtpToken, 'SMTP_TOKEN'))
}

/** Mail transport whose SMTP client is loaded with the first mail. */
export function lazySmtpTransport(server: MailServer): MailTransport {
  let transport: Promise<MailTransport> | null = null
  return {
    send: async (mail) => {
      transport ??= import('../mail/smtp-transport.ts').then(({ createSmtpTransport }) => createSmtpTransport(server))
      return await (await transport).send(mail)
    },
    close: () => void transport?.then((opened) => opened.close()),
  }
}
