import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { SMTPServer } from 'smtp-server'
import { afterEach, describe, expect, it } from 'vitest'
import { checkMailServer } from '../../src/cli/doctor/network-checks.ts'
import { createSmtpTransport, type SendResult, verifyMailServer } from '../../src/mail/smtp-transport.ts'
import { Secret } from '../../src/model/values/secret.ts'
import { mailProblemInFrench } from '../../src/portal/texts/messages/mail-problems.ts'
import { hasOpenssl, makeIdentity, makeIdentityFor } from '../harness/identities.ts'
import { openSmtp, type Smtp } from './smtp.ts'

const MAIL = {
  ...{ id: '7c0f5a4e-6f2e-4d0a-9d5e-0c3f7e6b1a20', to: { address: 'owner@example.com', name: '' }, fromName: 'Lender', replyTo: null },
  ...{ subject: 'Subject', text: 'Text', html: '<p>Text</p>', writtenAt: new Date('2026-11-20T12:00:00Z') },
}

async function sendTo(url: string): Promise<SendResult> {
  const post = createSmtpTransport({ url: new Secret(url), from: 'no-reply@example.org' })
  return await post.send(MAIL).finally(() => post.close())
}

const atPort = async (port: number): Promise<SendResult> => await sendTo(`smtps://127.0.0.1:${port}`)

/** What happens at a mail server with this certificate. */
async function meet<Result>(identity: ReturnType<typeof makeIdentity>, meeting: (port: number) => Promise<Result>): Promise<Result> {
  const server = new SMTPServer({ secure: true, key: identity.privateKey, cert: identity.certificate, logger: false, closeTimeout: 100 })
  // A client that disconnects because of the certificate.
  server.on('error', () => undefined)
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  const { port } = server.server.address() as AddressInfo
  return await meeting(port).finally(() => new Promise<void>((closed) => server.close(() => closed())))
}

function problemOf(posted: SendResult): string {
  expect(posted.result).toBe('later')
  return posted.result === 'sent' ? '' : posted.problem
}

describe.skipIf(!hasOpenssl)('a certificate of the mail server', () => {
  it('that is not trusted here is reported as such, with the fix and the transport’s own words', async () => {
    const problem = problemOf(await meet(makeIdentity('mail.example'), atPort))
    expect(problem).toMatch(/^The certificate of the mail server is not trusted here: .*NODE_EXTRA_CA_CERTS \(.*self-signed certificate/)
    expect(mailProblemInFrench(problem)).toMatch(/^Le certificat du serveur de courriel n’est pas reconnu ici/)
  })

  describe('that is trusted here', () => {
    const trusted = getCACertificates('default')
    afterEach(() => setDefaultCACertificates(trusted))

    it.each([
      ['but has expired', () => makeIdentityFor(['20200101', '20200201'], 'mail'), 'has expired: it has to be renewed there', 'est expiré'],
      [
        'but is not valid yet',
        () => makeIdentityFor(['20900101', '20910101'], 'mail'),
        'is not valid yet: check the clocks',
        'n’est pas encore',
      ],
      [
        'but bears another name',
        () => makeIdentity('mail', 'DNS:other.example'),
        'is for another name: put the name',
        'est à un autre nom',
      ],
    ])('%s keeps the mail for later and says so, in both languages and by doctor', async (_what, make, english, french) => {
      const identity = make()
      setDefaultCACertificates([...trusted, identity.certificate])
      const problem = problemOf(await meet(identity, atPort))
      expect(problem).toContain(`The certificate of the mail server ${english}`)
      expect(mailProblemInFrench(problem)).toContain(`Le certificat du serveur de courriel ${french}`)
      const settings = (port: number) => ({
        smtpToken: null,
        smtpUrl: new Secret(`smtps://127.0.0.1:${port}`),
        mailFrom: 'no-reply@example.org',
      })
      const found = await meet(identity, (port) => checkMailServer(settings(port)))
      expect(found).toMatchObject([{ id: 'mail-unreachable', fact: expect.stringContaining(english) }])
    })

    it('and is valid gets the mail', async () => {
      const identity = makeIdentity('mail')
      setDefaultCACertificates([...trusted, identity.certificate])
      expect(
        await meet(identity, async (port) => await verifyMailServer({ url: new Secret(`smtps://127.0.0.1:${port}`), from: '' })),
      ).toBeNull()
    })
  })
})

describe('a mail server without encryption', () => {
  // Loopback, but under an address that the transport does not recognize as this machine.
  const sendInClear = async (query: string, smtp: Smtp) => await sendTo(`${smtp.url.replace('127.0.0.1', '[::ffff:127.0.0.1]')}${query}`)

  it('gets no mail across a network, and the fix is reported', async () => {
    const smtp = await openSmtp()
    const problem = problemOf(await sendInClear('', smtp))
    expect(problem).toMatch(/^The mail server offers no encryption: .* or \?tls=off where nobody else can read the network \(.*STARTTLS/)
    expect(mailProblemInFrench(problem)).toMatch(/^Le serveur de courriel n’offre aucun chiffrement/)
    expect(smtp.taken).toEqual([])
    await smtp.close()
  })

  it.each([
    ['where the operator says so', '?tls=off'],
    ['on this machine', null],
  ])('gets it %s', async (_where, query) => {
    const smtp = await openSmtp()
    const sent = query === null ? await sendTo(smtp.url) : await sendInClear(query, smtp)
    expect([sent, smtp.taken.length]).toEqual([{ result: 'sent' }, 1])
    await smtp.close()
  })
})

it('an unreachable server is reported as such', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await new Promise<void>((closed) => server.close(() => closed()))
  const problem = problemOf(await sendTo(`smtp://127.0.0.1:${port}`))
  expect(problem).toMatch(/^Nothing listens at the address of the mail server: .*\(ECONNREFUSED/)
  expect(mailProblemInFrench(problem)).toMatch(/^Rien n’écoute à l’adresse du serveur de courriel/)
})
