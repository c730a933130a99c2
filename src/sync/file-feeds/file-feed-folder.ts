import { constants } from 'node:fs'
import { link, lstat, mkdir, open, readdir, realpath, rename, unlink, writeFile } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { DONE_FOLDERS, type DoneFolder, freeName, type Inbox, type InboxFile, InboxUnreachable } from './file-feed-inbox.ts'

/** Path of folders below an instance's own: no `..`, nothing hidden. */
export const FOLDER_PATH = '^[A-Za-z0-9_][A-Za-z0-9_. -]*(/[A-Za-z0-9_][A-Za-z0-9_. -]*)*$'

/**
 * Opens a folder below `<root>/<instanceId>`, created on demand. Symbolic links cannot lead out of it: an instance's
 * administrator is not an administrator of the machine.
 */
export async function openFolder(root: string, instanceId: string, path: string): Promise<Inbox> {
  const own = join(root, instanceId)
  const inbox = join(own, ...path.split('/'))
  try {
    await mkdir(inbox, { recursive: true, mode: 0o750 })
    const real = await realpath(inbox)
    if (!`${real}${sep}`.startsWith(`${await realpath(own)}${sep}`))
      throw new InboxUnreachable('the folder lies outside of the feeds’ folder')
    return folderInbox(real)
  } catch (error) {
    throw asUnreachable(error)
  }
}

function folderInbox(root: string): Inbox {
  const at = (folder: string, ...rest: string[]) => join(root, folder, ...rest)

  async function look(folder: string, name: string): Promise<InboxFile | null> {
    const stats = await orNull(lstat(at(folder, name)))
    return stats?.isFile() ? { name, size: stats.size, modifiedMs: Math.floor(stats.mtimeMs) } : null
  }

  return {
    listFolders: async () => {
      const entries = await readdir(root, { withFileTypes: true }).catch(rethrow)
      return entries.filter((entry) => entry.isDirectory() && !DONE_FOLDERS.includes(entry.name)).map((entry) => entry.name)
    },
    list: async (folder) => {
      const names = (await orNull(readdir(at(folder)))) ?? []
      const files = await Promise.all(names.map((name) => look(folder, name)))
      return files.filter((file) => file !== null)
    },
    look,
    read: async (folder, name, mostBytes) => {
      const file = await orNull(open(at(folder, name), constants.O_RDONLY | constants.O_NOFOLLOW))
      if (!file) return null
      try {
        const { size } = await file.stat()
        return size > mostBytes ? null : await file.readFile()
      } finally {
        await file.close()
      }
    },
    move: async (folder, name, to) => {
      await mkdir(at(folder, to), { recursive: true, mode: 0o750 })
      await moveInto(at(folder, name), at(folder, to), name)
    },
    write: async (folder, to: DoneFolder, name, text) => {
      await mkdir(at(folder, to), { recursive: true, mode: 0o750 })
      const aside = at(folder, to, `.${name}.new`)
      await writeFile(aside, text, { mode: 0o640 })
      await rename(aside, at(folder, to, name))
    },
    close: async () => undefined,
  }
}

/**
 * Atomic move without overwriting: linking fails where the name is taken; a file that was moved concurrently is done.
 */
async function moveInto(from: string, folder: string, name: string): Promise<void> {
  const free = await freeName(name, async (candidate) => {
    try {
      await link(from, join(folder, candidate))
      return false
    } catch (error) {
      if (codeOf(error) === 'EEXIST') return !(await isSameFile(from, join(folder, candidate)))
      if (codeOf(error) === 'ENOENT') return false
      // Some file systems have no hard links.
      if (await orNull(lstat(join(folder, candidate)))) return true
      await rename(from, join(folder, candidate)).catch(rethrow)
      return false
    }
  })
  if (free !== '') await orNull(unlink(from))
}

/** A process was killed between the two halves of a move. */
async function isSameFile(one: string, other: string): Promise<boolean> {
  const [a, b] = await Promise.all([orNull(lstat(one)), orNull(lstat(other))])
  return a !== null && b !== null && a.ino === b.ino && a.dev === b.dev
}

async function orNull<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ELOOP') return null
    throw asUnreachable(error)
  }
}

function rethrow(error: unknown): never {
  throw asUnreachable(error)
}

/** The error code alone: paths of the machine are not exposed. */
function asUnreachable(error: unknown): Error {
  if (error instanceof InboxUnreachable) return error
  return new InboxUnreachable(`the folder cannot be used (${codeOf(error)})`, { cause: error })
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'no code'
}
