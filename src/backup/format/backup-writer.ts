import { existsSync } from 'node:fs'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { hasCode } from '../../model/error-code.ts'
import type { Secret } from '../../model/values/secret.ts'
import { syncFolder } from '../../store/keys/durable-file.ts'
import { CHUNK_BYTES, writeChunk } from './chunks.ts'
import { encodeFrame, type Frame } from './entries.ts'
import { createHeader } from './header.ts'

/**
 * Writer of a backup file under a temporary name, which it loses when the file is complete and flushed to disk. Memory:
 * two chunks.
 */
export class BackupWriter {
  readonly #path: string
  readonly #draft: string
  readonly #file: FileHandle
  readonly #key: Buffer
  #pending: Buffer[] = []
  #length = 0
  #index = 0
  #bytes: number
  /** The chunk that is compressed and written while the next is collected. */
  #writing: Promise<void> = Promise.resolve()

  private constructor(path: string, parts: { draft: string; file: FileHandle; key: Buffer; headerBytes: number }) {
    this.#path = path
    this.#draft = parts.draft
    this.#file = parts.file
    this.#key = parts.key
    this.#bytes = parts.headerBytes
  }

  /** Throws when the file exists, or another backup is writing it. */
  static async create(path: string, passphrase: Secret): Promise<BackupWriter> {
    const draft = `${path}.part`
    if (existsSync(path)) throw new Error(`${path} exists; a backup replaces no file`)
    const { header, key } = await createHeader(passphrase)
    const file = await open(draft, 'wx', 0o600).catch((error: unknown) => {
      if (!hasCode(error, 'EEXIST')) throw error
      throw new Error(`${draft} exists: another backup writes it, or one was killed; remove it if none is running`)
    })
    try {
      // Another backup may have ended since; from here on nobody else writes.
      if (existsSync(path)) throw new Error(`${path} exists; a backup replaces no file`)
      await file.write(header)
    } catch (error) {
      await file.close()
      await rm(draft, { force: true })
      throw error
    }
    return new BackupWriter(path, { draft, file, key, headerBytes: header.length })
  }

  async write(frame: Frame): Promise<void> {
    for (const part of encodeFrame(frame)) {
      this.#pending.push(part)
      this.#length += part.length
    }
    while (this.#length > CHUNK_BYTES) await this.#flush(CHUNK_BYTES, false)
  }

  /** Completes the file and returns its size. */
  async end(): Promise<number> {
    await this.#flush(this.#length, true)
    await this.#writing
    await this.#file.sync()
    await this.#file.close()
    await rename(this.#draft, this.#path)
    await syncFolder(dirname(this.#path))
    return this.#bytes
  }

  /** Removes what was written. */
  async abandon(): Promise<void> {
    await this.#writing.catch(() => undefined)
    await this.#file.close()
    await rm(this.#draft, { force: true })
  }

  async #flush(length: number, isLast: boolean): Promise<void> {
    const all = Buffer.concat(this.#pending, this.#length)
    const rest = all.subarray(length)
    this.#pending = rest.length > 0 ? [rest] : []
    this.#length = rest.length
    await this.#writing
    const chunk = { index: this.#index, isLast, plaintext: all.subarray(0, length) }
    this.#index += 1
    this.#writing = writeChunk(this.#file, this.#key, chunk).then((written) => {
      this.#bytes += written
    })
    // Thrown by the next call that waits for it.
    this.#writing.catch(() => undefined)
  }
}
