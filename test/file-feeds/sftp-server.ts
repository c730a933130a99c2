import { createHash, generateKeyPairSync } from 'node:crypto'
import { constants, type Stats } from 'node:fs'
import { lstat, mkdir, open, readdir, rename, unlink } from 'node:fs/promises'
import { join, normalize } from 'node:path'
import ssh2, { type FileEntry, type Server, type SFTPWrapper } from 'ssh2'
import { makeEd25519Pair } from './ssh-keys.ts'

const { OPEN_MODE, STATUS_CODE, flagsToString } = ssh2.utils.sftp

/** An SFTP server on loopback that serves a real folder. */
export interface SftpServer {
  port: number
  hostKey: string
  /** Number of successful logins. */
  logins(): number
  /** Number of open connections. */
  connections(): number
  /** Refuses every change from now on, or no more. */
  refuseChanges(isRefused?: boolean): void
  /** Has room for this many more bytes from now on. */
  leaveRoom(bytes: number): void
  close(): Promise<void>
}

export const LOGIN = { user: 'lender', password: 'sftp-canary-5521' }

/** An RSA key, since ssh2 cannot read the format in which Node.js writes other types. */
export function makeKey(): string {
  return generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
    publicKeyEncoding: { type: 'pkcs1', format: 'pem' },
  }).privateKey
}

function makeOtherKey(type: 'ed25519' | 'ecdsa'): string {
  return type === 'ed25519' ? makeEd25519Pair().private : ssh2.utils.generateKeyPairSync(type, { bits: 256 }).private
}

/** One for all servers, since generating it takes long. */
const HOST_KEY = makeKey()

export async function serveSftp(
  root: string,
  options: { clientKey?: string; moreHostKeys?: ('ed25519' | 'ecdsa')[] } = {},
): Promise<SftpServer> {
  const key = HOST_KEY
  let logins = 0
  let isReadOnly = false
  const room = { bytes: Number.POSITIVE_INFINITY }
  const allowed = options.clientKey === undefined ? null : publicOf(options.clientKey)
  const clients = new Set<{ end(): void }>()
  const server: Server = new ssh2.Server({ hostKeys: [key, ...(options.moreHostKeys ?? []).map(makeOtherKey)] }, (client) => {
    clients.add(client)
    client.on('close', () => clients.delete(client))
    client.on('error', () => undefined)
    client.on('authentication', (attempt) => {
      const isPassword = attempt.method === 'password' && attempt.username === LOGIN.user && attempt.password === LOGIN.password
      const isKey = attempt.method === 'publickey' && allowed !== null && attempt.key.data.equals(allowed)
      if (isPassword || isKey) attempt.accept()
      else attempt.reject(['password', 'publickey'])
    })
    client.on('ready', () => {
      logins += 1
      client.on('session', (accept) => {
        accept().on('sftp', (acceptSftp) => answer(acceptSftp(), root, () => isReadOnly, room))
      })
    })
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const address = server.address()
  return {
    port: address && typeof address === 'object' ? address.port : 0,
    hostKey: `SHA256:${createHash('sha256').update(publicOf(key)).digest('base64').replace(/=+$/, '')}`,
    logins: () => logins,
    connections: () => clients.size,
    refuseChanges: (isRefused = true) => {
      isReadOnly = isRefused
    },
    leaveRoom: (bytes) => {
      room.bytes = bytes
    },
    close: async () => {
      for (const client of clients) client.end()
      await new Promise<void>((resolve) => {
        server.close(() => resolve())
      })
    },
  }
}

function publicOf(key: string): Buffer {
  const parsed = ssh2.utils.parseKey(key)
  if (parsed instanceof Error) throw parsed
  return parsed.getPublicSSH()
}

function answer(sftp: SFTPWrapper, root: string, isReadOnly: () => boolean, room: { bytes: number }): void {
  const at = (path: string) => join(root, normalize(`/${path}`))
  const handles = new Map<number, { path: string; listed: boolean; file: Awaited<ReturnType<typeof open>> | null }>()
  let next = 0
  const guard = (id: number, work: () => Promise<void>): void => {
    work().catch((error: NodeJS.ErrnoException) =>
      sftp.status(id, error.code === 'ENOENT' ? STATUS_CODE.NO_SUCH_FILE : STATUS_CODE.FAILURE),
    )
  }
  const change = (id: number, work: () => Promise<unknown>): void => {
    if (isReadOnly()) sftp.status(id, STATUS_CODE.PERMISSION_DENIED)
    else
      guard(id, async () => {
        await work()
        sftp.status(id, STATUS_CODE.OK)
      })
  }
  const handleOf = (bytes: Buffer) => handles.get(bytes.readUInt32BE(0))
  const give = (id: number, entry: { path: string; listed: boolean; file: Awaited<ReturnType<typeof open>> | null }): void => {
    const handle = Buffer.alloc(4)
    handle.writeUInt32BE(next)
    handles.set(next++, entry)
    sftp.handle(id, handle)
  }
  const attributes = (stats: Stats) => ({
    mode: stats.mode,
    uid: 0,
    gid: 0,
    size: stats.size,
    atime: Math.floor(stats.atimeMs / 1000),
    mtime: Math.floor(stats.mtimeMs / 1000),
  })
  const stat = (id: number, path: string) => guard(id, async () => void sftp.attrs(id, attributes(await lstat(at(path)))))
  sftp.on('LSTAT', stat)
  sftp.on('STAT', stat)
  sftp.on('OPENDIR', (id, path) =>
    guard(id, async () => {
      await readdir(at(path))
      give(id, { path: at(path), listed: false, file: null })
    }),
  )
  sftp.on('READDIR', (id, bytes) => {
    const handle = handleOf(bytes)
    if (!handle || handle.listed) return void sftp.status(id, STATUS_CODE.EOF)
    handle.listed = true
    guard(id, async () => {
      const names = await readdir(handle.path)
      const entries: FileEntry[] = []
      for (const filename of names)
        entries.push({ filename, longname: filename, attrs: attributes(await lstat(join(handle.path, filename))) })
      sftp.name(id, entries)
    })
  })
  sftp.on('OPEN', (id, path, flags) => {
    const isWrite = (flags & OPEN_MODE.WRITE) !== 0
    if (isWrite && isReadOnly()) return void sftp.status(id, STATUS_CODE.PERMISSION_DENIED)
    guard(id, async () =>
      give(id, { path, listed: false, file: await open(at(path), isWrite ? (flagsToString(flags) ?? 'w') : constants.O_RDONLY) }),
    )
  })
  sftp.on('READ', (id, bytes, offset, length) =>
    guard(id, async () => {
      const buffer = Buffer.alloc(length)
      const read = await handleOf(bytes)?.file?.read(buffer, 0, length, offset)
      if (!read?.bytesRead) sftp.status(id, STATUS_CODE.EOF)
      else sftp.data(id, buffer.subarray(0, read.bytesRead))
    }),
  )
  sftp.on('WRITE', (id, bytes, offset, data) =>
    change(id, async () => {
      room.bytes -= data.length
      if (room.bytes < 0) throw new Error('no space left on device')
      await handleOf(bytes)?.file?.write(data, 0, data.length, offset)
    }),
  )
  sftp.on('FSTAT', (id, bytes) => guard(id, async () => void sftp.attrs(id, attributes(await lstat(at(handleOf(bytes)?.path ?? ''))))))
  sftp.on('FSETSTAT', (id) => sftp.status(id, STATUS_CODE.OK))
  sftp.on('CLOSE', (id, bytes) =>
    guard(id, async () => {
      await handleOf(bytes)?.file?.close()
      sftp.status(id, STATUS_CODE.OK)
    }),
  )
  sftp.on('REMOVE', (id, path) => change(id, () => unlink(at(path))))
  sftp.on('MKDIR', (id, path) => change(id, () => mkdir(at(path))))
  sftp.on('RENAME', (id, from, to) => change(id, () => rename(at(from), at(to))))
  sftp.on('REALPATH', (id, path) => sftp.name(id, [{ filename: normalize(`/${path}`), longname: '', attrs: attributes(EMPTY) }]))
}

const EMPTY = { mode: 0, size: 0, atimeMs: 0, mtimeMs: 0 } as Stats
