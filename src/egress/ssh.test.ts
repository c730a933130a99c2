import { tmpdir } from 'node:os'
import ssh2 from 'ssh2'
import { afterEach, expect, it } from 'vitest'
import { LOGIN, type SftpServer, serveSftp } from '../../test/file-feeds/sftp-server.ts'
import { openSftpSession, SshUnreachable, toUnreachable } from './ssh.ts'

let server: SftpServer | null = null
afterEach(async () => {
  await server?.close()
  server = null
})

const fault = (facts: object) => Object.assign(new Error('SECRET of the server'), facts)

it.each([
  ['a refused login', fault({ level: 'client-authentication' }), 'the server refused the login'],
  ['a refused operation', fault({ code: 3 }), 'the server did not allow that'],
  ['another status of SFTP', fault({ code: 4 }), 'the server cannot be reached'],
  ['a broken connection', fault({ level: 'client-socket', code: 'ECONNRESET' }), 'the server cannot be reached'],
  ['a time-out', fault({ level: 'client-timeout' }), 'the server cannot be reached'],
  ['no error at all', { level: 'client-authentication', code: 3 }, 'the server cannot be reached'],
])('%s is told in our own words, with its cause', (_what, error, words) => {
  const told = toUnreachable(error)
  expect([told instanceof SshUnreachable, told.message, told.cause]).toEqual([true, words, error])
})

it('what is told already stays as it is', () => {
  const told = new SshUnreachable('the server shows another key than the one that is pinned')
  expect(toUnreachable(told)).toBe(told)
})

it('a private key under a passphrase signs in with it; another leaves no connection open', async () => {
  const passphrase = 'canary-7731'
  const key = ssh2.utils.generateKeyPairSync('ed25519', { passphrase, cipher: 'aes256-ctr', rounds: 1 })
  server = await serveSftp(tmpdir(), { clientKey: key.public })
  const { port, hostKey } = server
  const open = (secret: string) =>
    openSftpSession({ host: '127.0.0.1', port, user: LOGIN.user, hostKey }, { privateKey: key.private, passphrase: secret }, true)
  const session = await open(passphrase)
  session.close()
  await expect(open('another')).rejects.toThrow(SshUnreachable)
  expect(server.logins()).toBe(1)
})

it('neither a password nor a key signs in nobody', async () => {
  server = await serveSftp(tmpdir())
  const { port, hostKey } = server
  const opening = openSftpSession({ host: '127.0.0.1', port, user: LOGIN.user, hostKey }, {}, true)
  await expect(opening).rejects.toThrow('the server refused the login')
})
