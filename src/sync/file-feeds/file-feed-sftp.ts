import type { SFTPWrapper, Stats } from 'ssh2'
import {
  fetchHostKeys as fetchKeys,
  type HostKey,
  openSftpSession,
  type SshSecret,
  toUnreachable as toSshUnreachable,
} from '../../egress/ssh.ts'
import { hasCode } from '../../model/error-code.ts'
import type { FeedSource } from '../../store/sources/file-feeds.ts'
import { DONE_FOLDERS, freeName, type Inbox, type InboxFile, InboxUnreachable } from './file-feed-inbox.ts'

export type SftpSource = Extract<FeedSource, { kind: 'sftp' }>

/** Deadline of one request to the server, including the transfer of a whole file. */
const CALL_MS = 120_000
/** Source: https://datatracker.ietf.org/doc/html/draft-ietf-secsh-filexfer-02#section-7 */
const NO_SUCH_FILE = 2

/** Opens a folder on a server that has the pinned host key. Throws `InboxUnreachable`. */
export async function openSftp(source: SftpSource, secret: SshSecret, allowPrivate: boolean): Promise<Inbox> {
  try {
    const { sftp, close } = await openSftpSession(source, secret, allowPrivate)
    return sftpInbox(sftp, source.path.replace(/\/+$/, ''), async () => close())
  } catch (error) {
    throw toUnreachable(error)
  }
}

/** Host keys of a server, for an operator to compare and pin one: the preferred one first. Throws `InboxUnreachable`. */
export async function fetchHostKeys(host: string, port: number, allowPrivate: boolean): Promise<HostKey[]> {
  try {
    return await fetchKeys(host, port, allowPrivate)
  } catch (error) {
    throw toUnreachable(error)
  }
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
  return hasCode(error, NO_SUCH_FILE)
}

function toUnreachable(error: unknown): InboxUnreachable {
  if (error instanceof InboxUnreachable) return error
  return new InboxUnreachable(toSshUnreachable(error).message, { cause: error })
}

function toFile(name: string, { size, mtime }: Stats): InboxFile {
  return { name, size, modifiedMs: mtime * 1000 }
}
