import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { promisify } from 'node:util'
import { SMTPServer } from 'smtp-server'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { checkMailServer } from '../../src/cli/doctor/network-checks.ts'
import { createSmtpTransport, type SendResult } from '../../src/mail/smtp-transport.ts'
import { Secret } from '../../src/model/values/secret.ts'
import { mailTokenOf } from '../../src/process/start-mail.ts'
import { guideBlock } from '../guides/guide-blocks.ts'
import { folderForTests, openForTests } from '../harness/for-tests.ts'
import { hasOpenssl, makeIdentity } from '../harness/identities.ts'
import { isOnPath } from '../packages/podman.ts'

const lacksPrograms = !['curl', 'jq'].every(isOnPath) && process.env.CI !== 'true'
if (lacksPrograms) process.stderr.write('SKIPPED: the command for mail tokens is not tried: no curl or no jq\n')

const MAIL = {
  ...{ id: '7c0f5a4e-6f2e-4d0a-9d5e-0c3f7e6b1a20', to: { address: 'owner@example.com', name: '' }, fromName: 'Lender', replyTo: null },
  ...{ subject: 'Subject', text: 'Text', html: '<p>Text</p>', writtenAt: new Date('2026-11-20T12:00:00Z') },
}

/** A mail server over TLS that takes access tokens only, and those that are valid now. */
async function openTokenServer() {
  const identity = makeIdentity('mail')
  const trusted = getCACertificates('default')
  setDefaultCACertificates([...trusted, identity.certificate])
  const state = { valid: '', tried: [] as string[], sent: 0 }
  const server = new SMTPServer({
    ...{ secure: true, key: identity.privateKey, cert: identity.certificate, authMethods: ['XOAUTH2'], logger: false, closeTimeout: 100 },
    onAuth: ({ method, username, accessToken = '' }, _session, done) => {
      state.tried.push(`${method} ${username} ${accessToken}`)
      if (accessToken === state.valid) done(null, { user: username })
      else done(null, { data: { status: '401', schemes: 'bearer', scope: 'mail' } })
    },
    onData: (stream, _session, done) => {
      stream.resume().once('end', () => {
        state.sent += 1
        done()
      })
    },
  })
  server.on('error', () => undefined)
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  return {
    state,
    url: new Secret(`smtps://post%40example.org@127.0.0.1:${(server.server.address() as AddressInfo).port}`),
    close: async () => {
      setDefaultCACertificates(trusted)
      await new Promise<void>((closed) => server.close(() => closed()))
    },
  }
}

describe.skipIf(!hasOpenssl)('a mail server that takes access tokens only (skipped only where openssl is not installed)', () => {
  const folder = folderForTests()
  const server = openForTests(openTokenServer)
  const file = () => join(folder.path, 'token')
  beforeEach(() => {
    server.state.tried.length = 0
    server.state.sent = 0
  })

  const fromFile = () => mailTokenOf({ smtpToken: { kind: 'file', path: file() } })

  it('gets mails with the token of now: one that was refused is asked for again at once', async () => {
    const post = createSmtpTransport({ url: server.url, from: 'no-reply@example.org', token: fromFile() })
    try {
      server.state.valid = 'first'
      await writeFile(file(), 'first\n')
      expect(await post.send(MAIL)).toEqual({ result: 'sent' })
      server.state.valid = 'second'
      await writeFile(file(), 'second\n')
      expect(await post.send(MAIL)).toEqual({ result: 'sent' })
      const by = (token: string) => `XOAUTH2 post@example.org ${token}`
      expect([server.state.tried, server.state.sent]).toEqual([[by('first'), by('first'), by('second')], 2])
    } finally {
      post.close()
    }
  })

  it.each<[string, () => Promise<string>, RegExp]>([
    ['is refused', async () => 'canary-token', /^(?!.*canary).+/],
    [
      'cannot be had',
      async () => await Promise.reject(new Error('SMTP_TOKEN_COMMAND: the command failed: exit code 3')),
      /SMTP_TOKEN_COMMAND/,
    ],
  ])('keeps mails for later while a token %s', async (_what, token, problem) => {
    server.state.valid = 'other'
    const post = createSmtpTransport({ url: server.url, from: 'no-reply@example.org', token })
    const result: SendResult = await post.send(MAIL).finally(() => post.close())
    expect(result).toEqual({ result: 'later', problem: expect.stringMatching(problem) })
    expect(server.state.sent).toBe(0)
  })

  it('is examined by doctor in the same way', async () => {
    server.state.valid = 'of-now'
    await writeFile(file(), 'of-now')
    const settings = { smtpUrl: server.url, smtpToken: { kind: 'file' as const, path: file() }, mailFrom: 'no-reply@example.org' }
    expect(await checkMailServer(settings)).toEqual([])
    await writeFile(file(), 'of-yesterday')
    expect(await checkMailServer(settings)).toMatchObject([{ id: 'mail-unreachable' }])
  })

  it.skipIf(lacksPrograms)(
    'is reached with the command of the guide, which asks an authorization server with the client’s credentials',
    async () => {
      const asked: URLSearchParams[] = []
      const issuer = createServer((request, response) => {
        void text(request).then((body) => {
          asked.push(new URLSearchParams(body))
          response.end(JSON.stringify({ access_token: 'granted', expires_in: 3600 }))
        })
      }).listen(0, '127.0.0.1')
      await once(issuer, 'listening')
      afterAll(() => issuer.close())
      await writeFile(join(folder.path, 'smtp-client'), 'client_secret=of-the-client')
      const [, line = ''] = /^SMTP_TOKEN_COMMAND='([^\n]*)'$/m.exec(guideBlock('tls.md', 'SMTP_TOKEN_COMMAND=')) ?? []
      const command = line
        .replace('https://login.example.com', `http://127.0.0.1:${(issuer.address() as AddressInfo).port}`)
        .replace('/etc/countinghouse', folder.path)
      const { stdout } = await promisify(execFile)('/bin/sh', ['-c', command])
      expect(stdout.trim()).toBe('granted')
      server.state.valid = 'granted'
      const post = createSmtpTransport({
        url: server.url,
        from: 'no-reply@example.org',
        token: mailTokenOf({ smtpToken: { kind: 'command', command } }),
      })
      expect(await post.send(MAIL).finally(() => post.close())).toEqual({ result: 'sent' })
      expect(Object.fromEntries(asked[0] ?? [])).toMatchObject({ grant_type: 'client_credentials', client_secret: 'of-the-client' })
    },
  )
})
