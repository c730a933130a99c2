import { type FileHandle, open } from 'node:fs/promises'
import type { Secret } from '../../model/values/secret.ts'
import { readChunks } from './chunks.ts'
import { decodeFrames, type End, type Frame, MAX_FILE_BYTES, type Manifest } from './entries.ts'
import { BackupDamaged } from './errors.ts'
import { HEADER_BYTES, openHeader } from './header.ts'

/** Backup file whose passphrase is right. */
export interface OpenBackup {
  /** Reads from the beginning each time. Throws `BackupDamaged`. */
  frames(): AsyncGenerator<Frame>
  close(): Promise<void>
}

/** Metadata of a backup. */
export interface BackupFacts {
  manifest: Manifest
  /** Files by path below DATA_DIR. */
  files: Map<string, Buffer>
  tables: End['tables']
}

/** Throws `BackupDamaged` and `WrongPassphrase`. */
export async function openBackup(path: string, passphrase: Secret): Promise<OpenBackup> {
  const file = await open(path, 'r')
  try {
    const header = await readHeader(file)
    const key = await openHeader(header, passphrase)
    return { frames: () => decodeFrames(readChunks(file, key, HEADER_BYTES)), close: () => file.close() }
  } catch (error) {
    await file.close()
    throw error
  }
}

async function readHeader(file: FileHandle): Promise<Buffer> {
  const header = Buffer.alloc(HEADER_BYTES)
  const { bytesRead } = await file.read(header, 0, HEADER_BYTES, 0)
  return header.subarray(0, bytesRead)
}

/**
 * Reads a backup to its end, so that every byte is checked, and returns what is not rows. Throws `BackupDamaged`.
 */
export async function readFacts(backup: OpenBackup): Promise<BackupFacts> {
  let manifest: Manifest | null = null
  let end: End | null = null
  const files = new Map<string, Buffer>()
  let current: string | null = null
  for await (const frame of backup.frames()) {
    if (end) throw new BackupDamaged('the backup goes on behind its end')
    if ('bytes' in frame) {
      if (current !== null) files.set(current, appended(files.get(current), frame.bytes))
      continue
    }
    const { entry } = frame
    current = entry.kind === 'file' ? entry.path : null
    if (current !== null) files.set(current, Buffer.alloc(0))
    if (entry.kind === 'manifest') manifest = entry
    if (entry.kind === 'end') end = entry
  }
  if (!manifest || !end) throw new BackupDamaged('the backup has no beginning or no end')
  return { manifest, files, tables: end.tables }
}

function appended(before: Buffer | undefined, bytes: Buffer): Buffer {
  const all = Buffer.concat([before ?? Buffer.alloc(0), bytes])
  if (all.length > MAX_FILE_BYTES) throw new BackupDamaged('the backup holds a file that is too large')
  return all
}
