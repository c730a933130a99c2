import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'

/** Bytes per piece: up to three milliseconds of work. */
const PIECE_BYTES = 1024 * 1024

/**
 * Pieces of these bytes, one after the other: views of a megabyte at most, with a return to the event loop after each
 * megabyte.
 */
export async function* piecesOf(parts: Iterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  let since = 0
  for (const part of parts) {
    for (let at = 0; at < part.length; at += PIECE_BYTES) {
      const piece = part.subarray(at, at + PIECE_BYTES)
      yield piece
      since += piece.length
      if (since < PIECE_BYTES) continue
      since = 0
      await setImmediate()
    }
  }
}

/** SHA-256, computed in pieces. */
export async function hashLarge(bytes: Uint8Array): Promise<Buffer> {
  const hash = createHash('sha256')
  for await (const piece of piecesOf([bytes])) hash.update(piece)
  return hash.digest()
}

/** These bytes one after the other, copied in pieces into a buffer of their own, which may be transferred. */
export async function joinLarge(parts: readonly Uint8Array[]): Promise<Buffer<ArrayBuffer>> {
  const joined = Buffer.allocUnsafeSlow(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for await (const piece of piecesOf(parts)) {
    joined.set(piece, at)
    at += piece.length
  }
  return joined
}
