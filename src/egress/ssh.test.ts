import { tmpdir } from 'node:os'
import ssh2 from 'ssh2'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { LOGIN, makeKey, type SftpServer, serveSftp } from '../../test/file-feeds/sftp-server.ts'
import { makeEd25519Pair } from '../../test/file-feeds/ssh-keys.ts'
import { fetchHostKeys, openSftpSession, SshUnreachable, toUnreachable } from './ssh.ts'

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
  const key = makeEd25519Pair({ passphrase, cipher: 'aes256-ctr', rounds: 1 })
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

describe('a server with a key of each kind', () => {
  const keys = new Map<string, string>()
  beforeAll(() => {
    keys.set('ssh-ed25519', makeEd25519Pair().private)
    for (const bits of [256, 384, 521] as const)
      keys.set(`ecdsa-sha2-nistp${bits}`, ssh2.utils.generateKeyPairSync('ecdsa', { bits }).private)
    keys.set('ssh-rsa', makeKey())
  })

  /** A server that hangs up when somebody wants to sign in. */
  async function serve(hostKeys: string[]): Promise<number> {
    const hangsUp = new ssh2.Server({ hostKeys }, (client) => {
      client.on('error', () => undefined)
      client.on('authentication', () => client.end())
    })
    await new Promise<void>((resolve) => void hangsUp.listen(0, '127.0.0.1', resolve))
    opened.push(() => new Promise((resolve) => void hangsUp.close(() => resolve(undefined))))
    const address = hangsUp.address()
    return address && typeof address === 'object' ? address.port : 0
  }
  const opened: (() => Promise<unknown>)[] = []
  afterEach(async () => {
    for (const close of opened.splice(0)) await close()
  })

  it('shows all of them, with their fingerprints, without a login', async () => {
    const shown = await fetchHostKeys('127.0.0.1', await serve([...keys.values()]), true)
    expect(shown.map(({ type }) => type)).toEqual([...keys.keys()])
    for (const { hostKey } of shown) expect(hostKey).toMatch(/^SHA256:[A-Za-z0-9+/]{43}$/)
    expect(new Set(shown.map(({ hostKey }) => hostKey)).size).toBe(keys.size)
  })

  it('other than the pinned one is refused, with the keys that it shows', async () => {
    const port = await serve([keys.get('ssh-ed25519') ?? '', keys.get('ssh-rsa') ?? ''])
    const [first, second] = (await fetchHostKeys('127.0.0.1', port, true)).map(({ hostKey }) => hostKey)
    const opening = openSftpSession({ host: '127.0.0.1', port, user: 'u', hostKey: 'SHA256:other' }, { password: 'p' }, true)
    await expect(opening).rejects.toThrow(`the server shows other keys (${first}, ${second}) than the one that is pinned`)
  })

  it('that hangs up at the login is told so', async () => {
    const port = await serve([keys.get('ssh-ed25519') ?? ''])
    const [key] = await fetchHostKeys('127.0.0.1', port, true)
    const opening = openSftpSession({ host: '127.0.0.1', port, user: 'u', hostKey: key?.hostKey ?? '' }, { password: 'p' }, true)
    await expect(opening).rejects.toThrow('the server closed the connection')
  })
})

it('the keys of a server that cannot be reached are none, and an error', async () => {
  await expect(fetchHostKeys('127.0.0.1', 1, true)).rejects.toThrow('the server cannot be reached')
})
