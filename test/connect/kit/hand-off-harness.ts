import { afterAll, beforeAll, beforeEach, expect } from 'vitest'
import { sendMails } from '../../harness/app/jobs.ts'
import { openSmtp, type Smtp } from '../../mail/smtp.ts'
import { type ConnectHarness, openConnectHarness } from './harness.ts'
import { type LoadedPage, Owner } from './owner.ts'

/** Values that the form source accepts. */
export const VALUES = { address: 'https://books.example.com', password: 'secret ' }

/** The owner's pages with an SMTP server, for owners who forward the sign-in to another person. */
interface HandOffHarness {
  connectHarness: ConnectHarness
  smtp: Smtp
  /** An owner at the source's own step, after the consent, with the page that forwards the step. */
  stand(source?: 'quickbooks' | 'plaid' | 'form-source' | 'bank-files', language?: string): Promise<Standing>
  /** Sends the queued mails; returns the link in the last one. */
  mailed(): Promise<string>
  /** Another person with a forwarded link, at the source's own step. */
  helperAt(link: string): Promise<{ helper: Owner; step: LoadedPage }>
  close(): Promise<void>
}

interface Standing {
  owner: Owner
  link: string
  step: LoadedPage
  form: LoadedPage
  companyId: string
}

/** Returns the harness of a file's tests: opened before them, emptied of mails before each, closed after them. */
export function handOffHarness(): () => HandOffHarness {
  let opened: HandOffHarness | undefined
  const syncHarness = () => opened ?? expect.fail('the harness is not open')
  beforeAll(async () => {
    opened = await openHandOffHarness()
  })
  beforeEach(() => {
    syncHarness().smtp.taken.length = 0
    syncHarness().smtp.refusals.length = 0
  })
  afterAll(async () => await opened?.close())
  return syncHarness
}

async function openHandOffHarness(): Promise<HandOffHarness> {
  const [harness, smtp] = [await openConnectHarness(), await openSmtp()]
  const { sealer, hashToken } = harness.deps
  harness.deps.mail = { sealer, hashToken }
  return {
    connectHarness: harness,
    smtp,
    stand: async (source = 'form-source', language = 'en-CA') => {
      const companyId = await harness.addCompany('Boulangerie du Plateau')
      const link = await harness.link(source, companyId)
      const owner = new Owner(harness.origin, { language })
      const step = await owner.agree(link)
      const form = await owner.get(step.linkTo(language.startsWith('fr') ? 'comptable' : 'my accountant'))
      return { owner, link, step, form, companyId }
    },
    mailed: async () => {
      const { database, sealer } = harness.deps
      await sendMails({ database, sealer, transport: smtp.post })
      return linkIn(smtp.taken.at(-1)?.email.text ?? '')
    },
    helperAt: async (link) => {
      const helper = new Owner(harness.origin)
      return { helper, step: await helper.submit(await helper.get(link), { choice: 'go' }) }
    },
    close: async () => {
      await harness.close()
      await smtp.close()
    },
  }
}

const linkIn = (text: string) => /https?:\S+token=[\w-]+/.exec(text)?.[0] ?? ''

/** The link that a page shows for copying. */
export function copiedLinkOf(page: LoadedPage): string {
  return linkIn(/<textarea[^>]*>([^<]*)</.exec(page.markup)?.[1]?.replaceAll('&amp;', '&') ?? '')
}
