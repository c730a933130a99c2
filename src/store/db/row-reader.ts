import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

/** Receive buffer of a connection. */
const SLAB_BYTES = 128 * 1024
/** Minimum free space of a socket read. */
const MIN_ROOM_BYTES = 32 * 1024

/**
 * Message layout: a letter, then the length of all that follows the letter.
 * Source: https://www.postgresql.org/docs/18/protocol-message-formats.html
 */
const DATA_ROW = 'D'.charCodeAt(0)
const LETTER_BYTES = 1
const HEADER_BYTES = 5
/** Bytes before the value in a row with one non-null column: header, number of columns, length of the column. */
const BEFORE_COLUMN_BYTES = HEADER_BYTES + 2 + 4

/**
 * Protocol reader of one PostgreSQL connection. Passes everything on to `pg` except the rows of queries that take raw
 * bytes: `pg` makes a string of every column, which for a page of records costs more than everything else.
 */
export class RowReader {
  readonly #pass: (bytes: Buffer) => void
  #slab = Buffer.allocUnsafeSlow(SLAB_BYTES)
  /** End of the received bytes in the buffer, and of the parsed ones. */
  #end = 0
  #seen = 0
  #takeRow: ((column: Buffer) => void) | null = null

  constructor(pass: (bytes: Buffer) => void) {
    this.#pass = pass
  }

  /** Diverts rows, which must have one non-null column, to `takeRow`; their bytes are overwritten after `restore`. */
  divert(takeRow: (column: Buffer) => void): void {
    this.#takeRow = takeRow
  }

  restore(): void {
    this.#takeRow = null
  }

  /** Buffer space for the next read. */
  room(): Buffer {
    if (this.#end === 0) return this.#slab
    if (this.#slab.length - this.#end >= MIN_ROOM_BYTES) return this.#slab.subarray(this.#end)
    // Diverted rows still refer to the old buffer; an incomplete message moves to the new one.
    const begun = this.#slab.subarray(this.#seen, this.#end)
    const wanted = begun.length >= HEADER_BYTES ? begun.readUInt32BE(LETTER_BYTES) + LETTER_BYTES : 0
    this.#slab = Buffer.allocUnsafeSlow(Math.max(SLAB_BYTES, wanted + MIN_ROOM_BYTES))
    this.#end = begun.copy(this.#slab)
    this.#seen = 0
    return this.#slab.subarray(this.#end)
  }

  /** Records that `length` bytes were written into `room()`. */
  take(length: number): void {
    this.#end += length
    if (this.#takeRow) this.#takeMessages()
    // NOTE a message passed on may have ended the query that diverted rows.
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

  /** A copy: `pg` keeps incomplete messages. */
  #passOn(from: number, to: number): void {
    if (from < to) this.#pass(Buffer.from(this.#slab.subarray(from, to)))
  }
}

const readers = new WeakMap<Duplex, RowReader>()

/** Socket for `pg` with an accessible reader. */
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

/** Null where `pg` reads from another stream than the one of `openSocket`, as with TLS. */
export function readerOf(stream: Duplex): RowReader | null {
  return readers.get(stream) ?? null
}
