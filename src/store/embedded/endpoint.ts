import { createHash, randomBytes } from 'node:crypto'
import { chmod, chown, lstat, mkdir, readFile, realpath, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { hasCode } from '../../model/error-code.ts'
import { writeDurably } from '../keys/durable-file.ts'
import type { Home } from './home.ts'

/** Endpoint at which PostgreSQL accepts connections. */
export interface Endpoint {
  /** Settings for the server's command line. */
  settings: Record<string, string>
  /** Content of pg_hba.conf and pg_ident.conf (access rules). */
  access: string
  users: string
  /** Initial password of both roles; null where the operating system authenticates. */
  password: string | null
  urlOf(role: string, database: string): string
  /** Removes the socket's folder, which may be outside the home. Call it after PostgreSQL has stopped. */
  close(): Promise<void>
}

/** Source: https://man7.org/linux/man-pages/man7/unix.7.html (`sun_path` has 108 bytes with its closing zero; macOS has 104). */
const MAX_SOCKET_PATH = 103
const SOCKET_NAME = '.s.PGSQL.5432'

/**
 * Unix socket in a folder of mode 0700 with `peer` authentication: only the user of this process can connect, and no
 * port is open. Windows: a random loopback port with a random password. Call it while no PostgreSQL runs here.
 */
export async function openEndpoint(home: Home): Promise<Endpoint> {
  return process.platform === 'win32' ? openLoopback(home) : openSocket(home)
}

async function openSocket(home: Home): Promise<Endpoint> {
  const folder = await makeSocketFolder(home)
  const caller = userInfo().username
  return {
    settings: { listen_addresses: '', port: '5432', unix_socket_directories: folder, unix_socket_permissions: '0700' },
    access: 'local all all peer map=countinghouse\n',
    users: `countinghouse "${caller}" postgres\ncountinghouse "${caller}" countinghouse\n`,
    password: null,
    urlOf: (role, database) => `postgres://${role}@/${database}?host=${encodeURIComponent(folder)}`,
    close: () => rm(folder, { recursive: true, force: true }),
  }
}

/** The home's own `socket`; where that path is too long for a socket, a folder below /tmp, the same at every start. */
async function makeSocketFolder(home: Home): Promise<string> {
  const inside = join(home.folder, 'socket')
  if (Buffer.byteLength(join(inside, SOCKET_NAME)) <= MAX_SOCKET_PATH) return ownFolder(inside, home)
  const mark = createHash('sha256').update(home.folder).digest('hex').slice(0, 16)
  return ownFolder(join(await realpath('/tmp'), `countinghouse-${home.account.uid}-${mark}`), home)
}

/**
 * In /tmp another user may have created the folder first, to listen in PostgreSQL's place: only a folder of our own
 * user is accepted. Leftovers of a killed PostgreSQL are removed, because its lock would be honoured for as long as the
 * dead process is not reaped.
 */
async function ownFolder(folder: string, { account }: Home): Promise<string> {
  try {
    await mkdir(folder, { mode: 0o700 })
    if (account.isSwitched) await chown(folder, account.uid, account.gid)
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error
    const found = await lstat(folder)
    if (!found.isDirectory() || found.uid !== account.uid) throw new Error(`${folder} belongs to somebody else; remove it`)
  }
  await chmod(folder, 0o700)
  await rm(join(folder, SOCKET_NAME), { force: true })
  await rm(join(folder, `${SOCKET_NAME}.lock`), { force: true })
  return folder
}

async function openLoopback(home: Home): Promise<Endpoint> {
  const port = await findFreePort()
  const password = await keepPassword(join(home.folder, 'password'))
  return {
    settings: { listen_addresses: '127.0.0.1', port: String(port), unix_socket_directories: '' },
    access: 'host all all 127.0.0.1/32 scram-sha-256\n',
    users: '',
    password,
    urlOf: (role, database) => `postgres://${role}:${password}@127.0.0.1:${port}/${database}`,
    close: async () => {},
  }
}

async function keepPassword(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error
    const password = randomBytes(24).toString('hex')
    await writeDurably(path, password)
    return password
  }
}

function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => (address && typeof address === 'object' ? resolve(address.port) : reject(new Error('no free port'))))
    })
  })
}
