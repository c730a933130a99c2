import { createHash } from 'node:crypto'
import type { Client, ConnectConfig, ServerHostKeyAlgorithm, SFTPWrapper } from 'ssh2'
import { hasCode } from '../model/error-code.ts'
import { openGuardedSocket } from './guarded-socket.ts'

/** Server, and the fingerprint of the host key that is pinned. */
export interface SshServer {
  host: string
  port: number
  user: string
  hostKey: string
}

/** Password or private key; one of the two. */
export interface SshSecret {
  password?: string
  privateKey?: string
  passphrase?: string
}

/** Thrown when a server cannot be used; the message is our own short text, since the server's could contain anything. */
export class SshUnreachable extends Error {}

const CONNECT_MS = 15_000

/**
 * Host key algorithms, as servers have one key of each; in the order in which the client prefers them.
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

export interface SftpSession {
  sftp: SFTPWrapper
  close(): void
}

/** Signs in to a server that has the pinned host key, of any algorithm. Throws `SshUnreachable`. */
export async function openSftpSession(server: SshServer, secret: SshSecret, allowPrivate: boolean): Promise<SftpSession> {
  const { host, port, user, hostKey } = server
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
      // NOTE without a listener a connection that breaks later would end the process; requests under way fail by themselves.
      client.on('error', () => undefined)
      return { sftp, close: () => client.end() }
    } catch (error) {
      if (shown.hostKey === hostKey || (kind === undefined && shown.hostKey === '')) throw toUnreachable(error)
      // A server without a key of this algorithm shows none.
      if (shown.hostKey !== '') others.add(shown.hostKey)
    }
  }
  const keys = [...others].join(', ')
  throw new SshUnreachable(
    others.size === 1
      ? `the server shows another key (${keys}) than the one that is pinned`
      : `the server shows other keys (${keys}) than the one that is pinned`,
  )
}

/** Host keys of a server, for an operator to compare and pin one: the preferred one first. Without a login. */
export async function fetchHostKeys(host: string, port: number, allowPrivate: boolean): Promise<HostKey[]> {
  const keys: HostKey[] = []
  for (const [type, kind] of [['', undefined] as const, ...Object.entries(KEY_KINDS)]) {
    const shown = { hostKey: '' }
    const config: ConnectConfig = { username: 'host-key', ...connectConfigOf(kind, shown, null) }
    const tried = await connect(host, port, allowPrivate, config).catch((error: unknown) => error)
    if (kind === undefined && shown.hostKey === '') throw toUnreachable(tried)
    if (kind !== undefined && shown.hostKey !== '') keys.push({ type, hostKey: shown.hostKey })
  }
  return keys
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
  // 32 bytes end in one sign of padding, which fingerprints leave out.
  return `SHA256:${createHash('sha256').update(key).digest('base64').replace('=', '')}`
}

async function connect(host: string, port: number, allowPrivate: boolean, config: ConnectConfig) {
  const ssh2 = await import('ssh2')
  const sock = await openGuardedSocket(host, port, { allowPrivate, timeoutMs: CONNECT_MS })
  const client = new ssh2.default.Client()
  try {
    return await new Promise<{ client: Client; sftp: SFTPWrapper }>((resolve, reject) => {
      client.on('error', reject)
      client.on('close', () => reject(new SshUnreachable('the server closed the connection')))
      client.on('ready', () => client.sftp((error, sftp) => (error ? reject(error) : resolve({ client, sftp }))))
      client.connect({ ...config, sock, readyTimeout: CONNECT_MS, keepaliveInterval: 10_000 })
    })
  } catch (error) {
    client.destroy()
    // NOTE the client does not have it yet if it refuses the key, as with a wrong passphrase.
    sock.destroy()
    throw error
  }
}

/** Our own short text. */
export function toUnreachable(error: unknown): SshUnreachable {
  if (error instanceof SshUnreachable) return error
  const level = error instanceof Error && 'level' in error ? String(error.level) : ''
  if (level === 'client-authentication') return new SshUnreachable('the server refused the login', { cause: error })
  if (hasCode(error, 3)) return new SshUnreachable('the server did not allow that', { cause: error })
  return new SshUnreachable('the server cannot be reached', { cause: error })
}
