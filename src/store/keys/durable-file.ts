import { randomUUID } from 'node:crypto'
import { type FileHandle, link, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

const OWNER_ONLY = 0o600

/** Atomic, durable write: the file is complete and flushed to disk on return; a reader never sees a part. Mode 0600 by default. */
export async function writeDurably(path: string, content: string | Uint8Array, mode = OWNER_ONLY): Promise<void> {
  const draft = await writeDraft(path, content, mode)
  await rename(draft, path)
  await syncFolder(dirname(path))
}

/** Like `writeDurably`, but throws `EEXIST` when the file exists. */
export async function createDurably(path: string, content: string | Uint8Array): Promise<void> {
  const draft = await writeDraft(path, content, OWNER_ONLY)
  try {
    await link(draft, path)
  } finally {
    await rm(draft)
  }
  await syncFolder(dirname(path))
}

/** Flushes renames and new names in a folder to disk. Windows cannot open folders and needs no such step. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  await withFile(await open(folder, 'r'), (handle) => handle.sync())
}

async function writeDraft(path: string, content: string | Uint8Array, mode: number): Promise<string> {
  const draft = `${path}.${randomUUID()}.draft`
  await withFile(await open(draft, 'wx', mode), async (file) => {
    await file.writeFile(content)
    await file.sync()
  })
  return draft
}

async function withFile(file: FileHandle, work: (file: FileHandle) => Promise<void>): Promise<void> {
  try {
    await work(file)
  } finally {
    await file.close()
  }
}
