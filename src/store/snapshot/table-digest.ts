import { hash } from 'node:crypto'

/** Digest of a table: equal for equal rows in any order. */
export interface TableDigest {
  rows: number
  /** Hex of the sum of all rows' SHA-256, as eight numbers modulo 2^32. */
  hash: string
}

const HEADER_BYTES = 19
const LANES = 8
const END_OF_ROWS = -1
const NULL_LENGTH = -1

/**
 * Table digest of a stream of PostgreSQL's binary COPY. Detects accidental differences; a sum of hashes is no protection
 * against forgery, which is the encryption's part.
 * Source: https://www.postgresql.org/docs/current/sql-copy.html (Binary Format)
 */
export class TableDigester {
  readonly #lanes = new Uint32Array(LANES)
  #rows = 0
  #pieces: Buffer[] = []
  #length = 0
  /** Bytes without which nothing more can be parsed. */
  #needed = HEADER_BYTES
  #hasHeader = false
  #isEnded = false

  push(piece: Buffer): void {
    this.#pieces.push(piece)
    this.#length += piece.length
    if (this.#length < this.#needed) return
    const bytes = this.#pieces.length === 1 ? piece : Buffer.concat(this.#pieces, this.#length)
    const seen = this.#parse(bytes)
    const rest = bytes.subarray(seen)
    this.#pieces = rest.length > 0 ? [rest] : []
    this.#length = rest.length
  }

  /** Throws when the stream ended before its last row. */
  end(): TableDigest {
    if (!this.#isEnded) throw new Error('the rows of a table end in the middle')
    const lanes = Buffer.from(this.#lanes.buffer)
    return { rows: this.#rows, hash: lanes.toString('hex') }
  }

  /** Returns the number of bytes parsed; `#needed` counts from there. */
  #parse(bytes: Buffer): number {
    let start = this.#hasHeader ? 0 : HEADER_BYTES
    this.#hasHeader = true
    for (;;) {
      const end = this.#endOfRow(bytes, start)
      if (end === null) return start
      this.#add(bytes.subarray(start, end))
      start = end
    }
  }

  /** Null when the row is incomplete, or after the last one. */
  #endOfRow(bytes: Buffer, start: number): number | null {
    let at = start + 2
    if (at > bytes.length) return this.#wait(at - start)
    const fields = bytes.readInt16BE(start)
    if (fields === END_OF_ROWS) {
      this.#isEnded = true
      return this.#wait(Number.POSITIVE_INFINITY)
    }
    for (let field = 0; field < fields; field += 1) {
      if (at + 4 > bytes.length) return this.#wait(at + 4 - start)
      const length = bytes.readInt32BE(at)
      at += 4 + (length === NULL_LENGTH ? 0 : length)
    }
    return at > bytes.length ? this.#wait(at - start) : at
  }

  #wait(needed: number): null {
    this.#needed = needed
    return null
  }

  #add(row: Buffer): void {
    const digest = hash('sha256', row, 'buffer')
    for (let lane = 0; lane < LANES; lane += 1) this.#lanes[lane] = (this.#lanes[lane] ?? 0) + digest.readUInt32BE(lane * 4)
    this.#rows += 1
  }
}
