import { execFileSync, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openSftpFile } from '../../src/sync/exports/sftp-storage.ts'
import { until } from '../process/deadline.ts'
import { findFreePort } from '../process/service.ts'

const SSHD = '/usr/sbin/sshd'
const isSkipped = !existsSync(SSHD) && process.env.CI !== 'true'
if (isSkipped) process.stderr.write(`SKIPPED: deliveries are not tried with OpenSSH: no ${SSHD}\n`)

/** The server that most banks and lenders run: the other tests have one of the library that the client is of. */
describe.skipIf(isSkipped)(`a file on a server of OpenSSH${isSkipped ? ` (SKIPPED: no ${SSHD})` : ''}`, () => {
  let folder: string
  let port: number
  let hostKey: string
  let stop: () => Promise<void>

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'openssh-'))
    await mkdir(join(folder, 'inbox'))
    for (const name of ['host', 'user']) execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(folder, name)])
    hostKey =
      execFileSync('ssh-keygen', ['-lf', join(folder, 'host.pub')])
        .toString()
        .split(' ')[1] ?? ''
    port = await findFreePort()
    const settings = {
      ...{ Port: port, ListenAddress: '127.0.0.1', HostKey: join(folder, 'host'), AuthorizedKeysFile: join(folder, 'user.pub') },
      ...{ StrictModes: 'no', UsePAM: 'no', PermitRootLogin: 'yes', PasswordAuthentication: 'no', PidFile: 'none' },
      Subsystem: 'sftp internal-sftp',
    }
    const lines = Object.entries(settings).map(([name, value]) => `${name} ${value}\n`)
    await writeFile(join(folder, 'sshd_config'), lines.join(''))
    // Asked for where it is started by root.
    if (userInfo().uid === 0) mkdirSync('/run/sshd', { recursive: true })
    const server = spawn(SSHD, ['-D', '-f', join(folder, 'sshd_config'), '-E', join(folder, 'log')], { stdio: 'ignore' })
    const ended = once(server, 'close')
    stop = async () => {
      server.kill()
      await ended
    }
    await until('OpenSSH', () => answers(port))
  })
  afterAll(async () => {
    await stop?.()
    if (folder) await rm(folder, { recursive: true, force: true })
  })

  async function open(path: string, pinned = hostKey) {
    const head = { id: randomUUID(), instanceId: randomUUID(), name: 'OpenSSH', secret: Buffer.alloc(0), createdAt: new Date(0) }
    const server = {
      ...head,
      kind: 'sftp',
      host: '127.0.0.1',
      port,
      user: userInfo().username,
      hostKey: pinned,
      path,
      authentication: 'key',
    } as const
    const privateKey = await readFile(join(folder, 'user'), 'utf8')
    return openSftpFile(server, { privateKey }, join(path, 'accounts.csv'), true)
  }
  const listed = () => readdir(join(folder, 'inbox'))
  const content = () => readFile(join(folder, 'inbox/accounts.csv'), 'utf8')

  it('is seen once it is whole, goes on in another session, and replaces an earlier one', async () => {
    const [first, second] = [await open(join(folder, 'inbox')), await open(join(folder, 'inbox'))]
    await first.put(Buffer.from('earlier'))
    const parts = ['a'.repeat(100_000), 'b'.repeat(50_000)]
    const id = await first.begin()
    await first.putPart(id, { number: 1, start: 0 }, Buffer.from(parts[0] ?? ''))
    first.close()
    expect([await listed(), await content()]).toEqual([['accounts.csv', 'accounts.csv.part'], 'earlier'])
    await second.putPart(id, { number: 2, start: 100_000 }, Buffer.from(parts[1] ?? ''))
    await second.finish(id, [], 150_000)
    // Its answer was lost.
    await second.finish(id, [], 150_000)
    expect([await listed(), (await content()) === parts.join('')]).toEqual([['accounts.csv'], true])
    await second.remove()
    await second.remove()
    second.close()
    expect(await listed()).toEqual([])
  })

  it('is refused with the reason: no such folder, another host key', async () => {
    const [nowhere, other] = [await open(join(folder, 'nowhere')), await open(join(folder, 'inbox'), `SHA256:${'A'.repeat(43)}`)]
    await expect(nowhere.put(Buffer.from('x'))).rejects.toThrow('The folder does not exist on the server.')
    await expect(other.put(Buffer.from('x'))).rejects.toThrow(`The server shows another key (${hostKey})`)
    nowhere.close()
    other.close()
  })
})

async function answers(port: number): Promise<true | null> {
  const socket = connect(port, '127.0.0.1')
  const isOpen = await once(socket, 'connect').then(
    () => true as const,
    () => null,
  )
  socket.destroy()
  return isOpen
}
