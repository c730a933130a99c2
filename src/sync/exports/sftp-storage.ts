import { posix } from 'node:path'
import type { SFTPWrapper, Stats } from 'ssh2'
import { openSftpSession, type SftpSession, type SshSecret, SshUnreachable, toUnreachable } from '../../egress/ssh.ts'
import { StorageRefused } from '../../object-storage/s3-object.ts'
import type { DestinationOf } from '../../store/exports/destinations.ts'
import { type DeliveredObject, NO_SUCH_UPLOAD, type PartPosition } from './stored-object.ts'

/** Deadline of one request. */
const CALL_MS = 120_000
/**
 * Length that every server accepts in one request.
 * Source: https://datatracker.ietf.org/doc/html/draft-ietf-secsh-filexfer-02#section-3
 */
const WRITE_BYTES = 32 * 1024
/** Concurrent writes. */
const WRITES = 16
/** Sources: the same, section 7; draft-ietf-secsh-filexfer-13, section 9.1 (14 and 15). */
const NO_SUCH_FILE = 2
const FAILURE = 4
const NO_SPACE = new Set([14, 15])

/**
 * File on an SFTP server: written under a temporary name that contains the id of the upload, and renamed once it is
 * complete.
 */
export function openSftpFile(server: DestinationOf<'sftp'>, secret: SshSecret, objectKey: string, allowPrivate: boolean): DeliveredObject {
  let session: Promise<SftpSession> | null = null
  const sftpOf = async (): Promise<SFTPWrapper> => {
    session ??= openSftpSession(server, secret, allowPrivate)
    try {
      return (await session).sftp
    } catch (error) {
      session = null
      throw toRefusal(error, true)
    }
  }
  const partial = `${objectKey}.part`
  const file: DeliveredObject = {
    put: async (body) => {
      const uploadId = await file.begin()
      await file.putPart(uploadId, { number: 1, start: 0 }, body)
      await file.finish(uploadId, [], body.length)
    },
    begin: async () => {
      const sftp = await sftpOf()
      const handle = await call<Buffer>((done) => sftp.open(partial, 'w', done)).catch(
        missing('The folder does not exist on the server.', ''),
      )
      await call<void>((done) => sftp.close(handle, done))
      return partial
    },
    putPart: async (uploadId, { start }: PartPosition, body) => {
      const sftp = await sftpOf()
      const known = await sizeOf(sftp, uploadId)
      if (known === null || known < start) throw gone()
      const handle = await call<Buffer>((done) => sftp.open(uploadId, 'r+', done)).catch(missing('', NO_SUCH_UPLOAD))
      try {
        await writeAll(sftp, handle, start, body)
      } finally {
        await call<void>((done) => sftp.close(handle, done)).catch(() => undefined)
      }
      return String(body.length)
    },
    finish: async (uploadId, _tags, bytes) => {
      const sftp = await sftpOf()
      const written = await sizeOf(sftp, uploadId)
      // An earlier attempt has renamed it, but its response was lost.
      if (written === null && (await sizeOf(sftp, objectKey)) === bytes) return
      if (written !== bytes) throw gone()
      await rename(sftp, uploadId, objectKey)
    },
    abort: async (uploadId) => await unlink(await sftpOf(), uploadId),
    remove: async () => {
      const sftp = await sftpOf()
      await unlink(sftp, objectKey)
      await unlink(sftp, partial)
    },
    close: () => {
      session?.then(({ close }) => close()).catch(() => undefined)
    },
  }
  return file
}

/** Object key of a file in the folder of a destination. */
export function sftpPath({ path }: DestinationOf<'sftp'>, name: string): string {
  return posix.join(path, name)
}

async function writeAll(sftp: SFTPWrapper, handle: Buffer, start: number, body: Uint8Array): Promise<void> {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  let at = 0
  const write = async () => {
    while (at < bytes.length) {
      const offset = at
      const length = Math.min(WRITE_BYTES, bytes.length - offset)
      at += length
      await call<void>((done) => sftp.write(handle, bytes, offset, length, start + offset, done))
    }
  }
  await Promise.all(Array.from({ length: WRITES }, write))
}

/** Replaces an earlier file of the same name: atomically if the server can. */
async function rename(sftp: SFTPWrapper, from: string, to: string): Promise<void> {
  const isReplaced = await call<boolean>((done) => sftp.ext_openssh_rename(from, to, (error) => done(error, true))).catch(
    (error: unknown) => {
      if (isRefused(error)) throw error
      return false
    },
  )
  if (isReplaced) return
  await unlink(sftp, to)
  await call<void>((done) => sftp.rename(from, to, done))
}

/** Whether the error is more than an unsupported request. */
function isRefused(error: unknown): boolean {
  return error instanceof StorageRefused && !/does not support/.test(error.cause instanceof Error ? error.cause.message : '')
}

async function unlink(sftp: SFTPWrapper, path: string): Promise<void> {
  if ((await sizeOf(sftp, path)) === null) return
  await call<void>((done) => sftp.unlink(path, done))
}

/** Null if the file does not exist. */
async function sizeOf(sftp: SFTPWrapper, path: string): Promise<number | null> {
  try {
    return (await call<Stats>((done) => sftp.stat(path, done))).size
  } catch (error) {
    if (codeOf(error) === NO_SUCH_FILE) return null
    throw error
  }
}

function gone(): StorageRefused {
  return new StorageRefused('What was uploaded so far is not on the server any more.', 0, NO_SUCH_UPLOAD)
}

function missing(message: string, code: string): (error: unknown) => never {
  return (error) => {
    if (codeOf(error) !== NO_SUCH_FILE) throw error
    throw code === NO_SUCH_UPLOAD ? gone() : new StorageRefused(message, 0, code, true)
  }
}

function call<T>(start: (done: (error: Error | null | undefined, value: T) => void) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    const deadline = setTimeout(() => reject(toRefusal(new SshUnreachable('the server was too slow'), false)), CALL_MS)
    const end = (settle: () => void) => {
      clearTimeout(deadline)
      settle()
    }
    try {
      start((error, value) => end(() => (error ? reject(toRefusal(error, false)) : resolve(value))))
    } catch (error) {
      end(() => reject(toRefusal(error, false)))
    }
  })
}

function codeOf(error: unknown): number | null {
  const cause = error instanceof StorageRefused ? error.cause : error
  return cause instanceof Error && 'code' in cause && typeof cause.code === 'number' ? cause.code : null
}

/** `isCertain`: no request was sent to the server yet. */
function toRefusal(error: unknown, isCertain: boolean): StorageRefused {
  if (error instanceof StorageRefused) return error
  const code = codeOf(error)
  const isFull = code === FAILURE || (code !== null && NO_SPACE.has(code))
  const reason = isFull ? 'the server could not write the file: its disk may be full' : toUnreachable(error).message
  const refused = new StorageRefused(`${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`, 0, '', isCertain)
  refused.cause = error
  return refused
}
