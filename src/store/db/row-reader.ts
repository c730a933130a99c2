import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

/** Room for what a connection has sent and nobody has taken yet. */
const SLAB_BYTES = 128 * 1024
/** What is asked of a socket at least at once. */
const MIN_ROOM_BYTES = 32 * 1024

/** Source: https://www.postgresql.org/docs/18/protocol-message-formats.html: a letter, then the length of all behind the letter. */
const DATA_ROW = 'D'.charCodeAt(0)
const LETTER_BYTES = 1
const HEADER_BYTES = 5
/** Of a row with one column, which is not null: the header, the number of columns, the length of the column. */
const BEFORE_COLUMN_BYTES = HEADER_BYTES + 2 + 4

/**
 * What comes in on one connection to PostgreSQL. All of it is passed on to `pg`, but for the rows of a query that wants them as they came:
 * `pg` makes a string of every column, which for a page of records costs more than all else about it.
 */
export class RowReader {
  readonly #pass: (bytes: Buffer) => void
  #slab = Buffer.allocUnsafeSlow(SLAB_BYTES)
  /** Up to where the slab holds what came, and up to where that has been looked at. */
  #end = 0
  #seen = 0
  #takeRow: ((column: Buffer) => void) | null = null

  constructor(pass: (bytes: Buffer) => void) {
    this.#pass = pass
  }

  /** From here on rows, which must have one column that is not null, go to `takeRow` alone; they are overwritten after `restore`. */
  divert(takeRow: (column: Buffer) => void): void {
    this.#takeRow = takeRow
  }

  restore(): void {
    this.#takeRow = null
  }

  /** Where the next bytes are to be written. */
  room(): Buffer {
    if (this.#end === 0) return this.#slab
    if (this.#slab.length - this.#end >= MIN_ROOM_BYTES) return this.#slab.subarray(this.#end)
    // The slab is left to the rows that lie in it; what is only half there moves.
    const begun = this.#slab.subarray(this.#seen, this.#end)
    const wanted = begun.length >= HEADER_BYTES ? begun.readUInt32BE(LETTER_BYTES) + LETTER_BYTES : 0
    this.#slab = Buffer.allocUnsafeSlow(Math.max(SLAB_BYTES, wanted + MIN_ROOM_BYTES))
    this.#end = begun.copy(this.#slab)
    this.#seen = 0
    return this.#slab.subarray(this.#end)
  }

  /** As many bytes have been written to the room. */
  take(length: number): void {
    this.#end += length
    if (this.#takeRow) this.#takeMessages()
    // NOTE whatever was passed on may have ended the query that wanted rows.
    if (!this.#takeRow) {
      this.#passOn(this.#seen, this.#end)
      this.#seen = this.#end
      if (this.#slab.length > SLAB_BYTES) this.#slab = Buffer.allocUnsafeSlow(SLAB_BYTES)
      this.#end = 0
      this.#seen = 0
    }
  }

  #takeMessages(): void {
    const slab = this.#slab
    let passedTo = this.#seen
    let at = this.#seen
    while (at + HEADER_BYTES <= this.#end) {
      const next = at + LETTER_BYTES + slab.readUInt32BE(at + LETTER_BYTES)
      if (next > this.#end) break
      if (slab[at] === DATA_ROW) {
        this.#passOn(passedTo, at)
        this.#takeRow?.(slab.subarray(at + BEFORE_COLUMN_BYTES, next))
        passedTo = next
      }
      at = next
    }
    this.#seen = at
    this.#passOn(passedTo, at)
  }

  /** A copy: `pg` keeps what is not yet a whole message. */
  #passOn(from: number, to: number): void {
    if (from < to) this.#pass(Buffer.from(this.#slab.subarray(from, to)))
  }
}

const readers = new WeakMap<Duplex, RowReader>()

/** A socket as `pg` wants it for a connection, whose reader can be had. */
export function openSocket(): Socket {
  const reader = new RowReader((bytes) => socket.emit('data', bytes))
  const socket: Socket = new Socket({
    onread: {
      buffer: () => reader.room(),
      callback: (length) => {
        reader.take(length)
        return true
      },
    },
  })
  readers.set(socket, reader)
  return socket
}

/** Null where `pg` reads from another stream than `openSocket` gave it, as it does with TLS. */
export function readerOf(stream: Duplex): RowReader | null {
  return readers.get(stream) ?? null
}
