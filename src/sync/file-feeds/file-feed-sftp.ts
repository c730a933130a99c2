import { createHash } from 'node:crypto'
import { lookup } from 'node:dns/promises'
import type { Socket } from 'node:net'
import type { Client, ConnectConfig, ServerHostKeyAlgorithm, SFTPWrapper, Stats } from 'ssh2'
import { guardedConnector } from '../../egress/connector.ts'
import type { FeedSource } from '../../store/sources/file-feeds.ts'
import { DONE_FOLDERS, freeName, type Inbox, type InboxFile, InboxUnreachable } from './file-feed-inbox.ts'

export type SftpSource = Extract<FeedSource, { kind: 'sftp' }>

/** Password or private key; one of the two. */
export interface SftpSecret {
  password?: string
  privateKey?: string
  passphrase?: string
}

const CONNECT_MS = 15_000
/** Deadline of one request to the server, including the transfer of a whole file. */
const CALL_MS = 120_000
/** Source: https://datatracker.ietf.org/doc/html/draft-ietf-secsh-filexfer-02#section-7 */
const NO_SUCH_FILE = 2

/**
 * Host key algorithms, as servers have one key of each; newer ones first.
 * Source: https://www.iana.org/assignments/ssh-parameters (public key algorithm names)
 */
const KEY_KINDS: Readonly<Record<string, ServerHostKeyAlgorithm[]>> = {
  'ssh-ed25519': ['ssh-ed25519'],
  'ecdsa-sha2-nistp256': ['ecdsa-sha2-nistp256'],
  'ecdsa-sha2-nistp384': ['ecdsa-sha2-nistp384'],
  'ecdsa-sha2-nistp521': ['ecdsa-sha2-nistp521'],
  'ssh-rsa': ['rsa-sha2-512', 'rsa-sha2-256', 'ssh-rsa'],
}

/** Host key fingerprint, `SHA256:…`, with its algorithm. */
export interface HostKey {
  type: string
  hostKey: string
}

/** Opens a folder on a server that has the pinned host key, of any algorithm. Throws `InboxUnreachable`. */
export async function openSftp(source: SftpSource, secret: SftpSecret, allowPrivate: boolean): Promise<Inbox> {
  const { host, port, user, hostKey, path } = source
  const login: ConnectConfig = {
    username: user,
    ...(secret.privateKey === undefined
      ? { password: secret.password ?? '' }
      : { privateKey: secret.privateKey, ...(secret.passphrase === undefined ? {} : { passphrase: secret.passphrase }) }),
  }
  const others = new Set<string>()
  // First the server's preferred key, which is usually the pinned one.
  for (const kind of [undefined, ...Object.values(KEY_KINDS)]) {
    const shown = { hostKey: '' }
    try {
      const { client, sftp } = await connect(host, port, allowPrivate, { ...login, ...connectConfigOf(kind, shown, hostKey) })
      return sftpInbox(sftp, path.replace(/\/+$/, ''), async () => {
        client.end()
      })
    } catch (error) {
      if (shown.hostKey === hostKey || (kind === undefined && shown.hostKey === '')) throw toUnreachable(error)
      // A server without a key of this algorithm shows none.
      if (shown.hostKey !== '') others.add(shown.hostKey)
    }
  }
  const keys = [...others].join(', ')
  throw new InboxUnreachable(
    others.size === 1
      ? `the server shows another key (${keys}) than the one that is pinned`
      : `the server shows other keys (${keys}) than the one that is pinned`,
  )
}

/** Host keys of a server, for an operator to compare and pin one: the preferred one first. Without a login. */
export async function fetchHostKeys(host: string, port: number, allowPrivate: boolean): Promise<HostKey[]> {
  const keys: HostKey[] = []
  let preferred = ''
  for (const [type, kind] of [['', undefined] as const, ...Object.entries(KEY_KINDS)]) {
    const shown = { hostKey: '' }
    const config: ConnectConfig = { username: 'host-key', ...connectConfigOf(kind, shown, null) }
    const tried = await connect(host, port, allowPrivate, config).catch((error: unknown) => error)
    if (kind === undefined && shown.hostKey === '') throw toUnreachable(tried)
    if (kind === undefined) preferred = shown.hostKey
    else if (shown.hostKey !== '') keys.push({ type, hostKey: shown.hostKey })
  }
  return keys.sort((a, b) => Number(b.hostKey === preferred) - Number(a.hostKey === preferred))
}

/**
 * Records the server's host key and continues only with the wanted one; `kind` undefined accepts the server's preferred
 * algorithm.
 */
function connectConfigOf(kind: ServerHostKeyAlgorithm[] | undefined, shown: { hostKey: string }, wanted: string | null): ConnectConfig {
  return {
    ...(kind === undefined ? {} : { algorithms: { serverHostKey: kind } }),
    hostVerifier: (key: Buffer) => {
      shown.hostKey = fingerprintOf(key)
      return shown.hostKey === wanted
    },
  }
}

function fingerprintOf(key: Buffer): string {
  return `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`
}

async function connect(host: string, port: number, allowPrivate: boolean, config: ConnectConfig) {
  const ssh2 = await import('ssh2')
  const sock = await openSocket(host, port, allowPrivate)
  const client = new ssh2.default.Client()
  try {
    return await new Promise<{ client: Client; sftp: SFTPWrapper }>((resolve, reject) => {
      client.on('error', reject)
      client.on('close', () => reject(new InboxUnreachable('the server closed the connection')))
      client.on('ready', () => client.sftp((error, sftp) => (error ? reject(error) : resolve({ client, sftp }))))
      client.connect({ ...config, sock, readyTimeout: CONNECT_MS, keepaliveInterval: 10_000 })
    })
  } catch (error) {
    client.destroy()
    throw error
  }
}

/** NOTE addresses come from customers: internal ones are blocked unless the deployment allows them. */
function openSocket(hostname: string, port: number, allowPrivate: boolean): Promise<Socket> {
  const open = guardedConnector({
    reach: allowPrivate ? 'private' : 'public',
    lookup: (name) => lookup(name, { all: true }),
    timeoutMs: CONNECT_MS,
  })
  return new Promise((resolve, reject) => {
    open({ hostname, host: hostname, port: String(port), protocol: 'sftp:' }, (error, socket) => {
      if (error) reject(error)
      else resolve(socket as Socket)
    })
  })
}

function sftpInbox(sftp: SFTPWrapper, root: string, close: () => Promise<void>): Inbox {
  const at = (folder: string, ...rest: string[]) => [root, folder, ...rest].filter((part) => part !== '').join('/') || '/'
  const stat = (path: string) => call<Stats>((done) => sftp.lstat(path, done))
  const mkdir = async (path: string) => {
    if (!(await orNull(stat(path)))) await call<void>((done) => sftp.mkdir(path, (error) => done(error ?? undefined, undefined)))
  }

  /** The feed's own folder must exist: without it no file could ever arrive. */
  const readRoot = async () => {
    const entries = await orNull(call<{ filename: string; attrs: Stats }[]>((done) => sftp.readdir(root || '/', done)))
    if (entries === null) throw new InboxUnreachable('the folder does not exist on the server')
    return entries
  }

  return {
    listFolders: async () => {
      const entries = await readRoot()
      return entries
        .filter(({ filename, attrs }) => attrs.isDirectory() && !DONE_FOLDERS.includes(filename))
        .map(({ filename }) => filename)
    },
    list: async (folder) => {
      const entries =
        folder === ''
          ? await readRoot()
          : ((await orNull(call<{ filename: string; attrs: Stats }[]>((done) => sftp.readdir(at(folder), done)))) ?? [])
      return entries.filter(({ attrs }) => attrs.isFile()).map(({ filename, attrs }) => toFile(filename, attrs))
    },
    look: async (folder, name) => {
      const stats = await orNull(stat(at(folder, name)))
      return stats?.isFile() ? toFile(name, stats) : null
    },
    read: (folder, name, mostBytes) => readWhole(sftp, at(folder, name), mostBytes),
    move: async (folder, name, to) => {
      await mkdir(at(folder, to))
      const free = await freeName(name, async (candidate) => (await orNull(stat(at(folder, to, candidate)))) !== null)
      await call<void>((done) => sftp.rename(at(folder, name), at(folder, to, free), (error) => done(error ?? undefined, undefined)))
    },
    write: async (folder, to, name, text) => {
      await mkdir(at(folder, to))
      await call<void>((done) => sftp.writeFile(at(folder, to, name), text, (error) => done(error ?? undefined, undefined)))
    },
    close,
  }
}

/** Null when the file is longer than that, or gone. */
async function readWhole(sftp: SFTPWrapper, path: string, mostBytes: number): Promise<Uint8Array | null> {
  const chunks: Buffer[] = []
  let length = 0
  const stream = sftp.createReadStream(path, { end: mostBytes })
  const deadline = setTimeout(() => stream.destroy(new InboxUnreachable('the server was too slow')), CALL_MS)
  try {
    for await (const chunk of stream) {
      const bytes = Buffer.from(chunk)
      length += bytes.length
      chunks.push(bytes)
    }
    return length > mostBytes ? null : Buffer.concat(chunks)
  } catch (error) {
    if (isMissing(error)) return null
    throw toUnreachable(error)
  } finally {
    clearTimeout(deadline)
  }
}

function call<T>(start: (done: (error: Error | undefined, value: T) => void) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    const deadline = setTimeout(() => reject(new InboxUnreachable('the server was too slow')), CALL_MS)
    start((error, value) => {
      clearTimeout(deadline)
      if (error) reject(isMissing(error) ? error : toUnreachable(error))
      else resolve(value)
    })
  })
}

async function orNull<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === NO_SUCH_FILE
}

/** Our own short text: the server's could contain anything. */
function toUnreachable(error: unknown): InboxUnreachable {
  if (error instanceof InboxUnreachable) return error
  const level = error instanceof Error && 'level' in error ? String(error.level) : ''
  if (level === 'client-authentication') return new InboxUnreachable('the server refused the login', { cause: error })
  if (error instanceof Error && 'code' in error && error.code === 3)
    return new InboxUnreachable('the server did not allow that', { cause: error })
  return new InboxUnreachable('the server cannot be reached', { cause: error })
}

function toFile(name: string, { size, mtime }: Stats): InboxFile {
  return { name, size, modifiedMs: mtime * 1000 }
}
