import { type Cipheriv, createCipheriv, createDecipheriv, randomBytes, randomUUID } from 'node:crypto'
import { type FileHandle, open, unlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Kept in memory; the rest of a file is on disk. */
const MEMORY_BYTES = 256 * 1024
const PIECE_BYTES = 1024 * 1024
const CIPHER = 'aes-256-ctr'

/**
 * Spooled upload: the beginning in memory, the rest of a longer one in a temporary file. That file is unlinked once it
 * is open, so that a crash leaves nothing behind, and encrypted with a key that only this object has, so that nothing
 * on disk is readable.
 */
export class SpooledFile {
  readonly name: string
  #size = 0
  #chunks: Uint8Array[] = []
  #disk: Disk | null = null

  constructor(name: string) {
    this.name = name
  }

  get size(): number {
    return this.#size
  }

  /** Await it before the next call: the sender then waits for the disk (backpressure). */
  async write(chunk: Uint8Array): Promise<void> {
    this.#size += chunk.length
    if (this.#disk === null && this.#size <= MEMORY_BYTES) {
      // A socket's chunk is a view of a larger buffer, which it would retain.
      this.#chunks.push(Uint8Array.from(chunk))
      return
    }
    if (this.#disk === null) {
      this.#disk = await Disk.create()
      for (const early of this.#chunks.splice(0)) await this.#disk.append(early)
    }
    await this.#disk.append(chunk)
  }

  /** The whole file, in memory. */
  async open(): Promise<Uint8Array> {
    return this.#disk === null ? Buffer.concat(this.#chunks) : await this.#disk.readAll(this.#size)
  }

  async discard(): Promise<void> {
    this.#chunks = []
    const disk = this.#disk
    this.#disk = null
    await disk?.close()
  }
}

class Disk {
  readonly #file: FileHandle
  readonly #key = randomBytes(32)
  readonly #nonce = randomBytes(16)
  readonly #cipher: Cipheriv

  private constructor(file: FileHandle) {
    this.#file = file
    this.#cipher = createCipheriv(CIPHER, this.#key, this.#nonce)
  }

  static async create(): Promise<Disk> {
    const path = join(tmpdir(), `countinghouse-upload-${randomUUID()}`)
    const file = await open(path, 'wx+', 0o600)
    await unlink(path)
    return new Disk(file)
  }

  async append(chunk: Uint8Array): Promise<void> {
    await this.#file.writeFile(this.#cipher.update(chunk))
  }

  async readAll(size: number): Promise<Uint8Array> {
    const decipher = createDecipheriv(CIPHER, this.#key, this.#nonce)
    const bytes = Buffer.allocUnsafeSlow(size)
    for (let at = 0; at < size; ) {
      const { bytesRead } = await this.#file.read(bytes, at, Math.min(PIECE_BYTES, size - at), at)
      if (bytesRead === 0) throw new Error('a temporary file is shorter than what was written')
      bytes.set(decipher.update(bytes.subarray(at, at + bytesRead)), at)
      at += bytesRead
    }
    return bytes
  }

  async close(): Promise<void> {
    await this.#file.close()
  }
}
