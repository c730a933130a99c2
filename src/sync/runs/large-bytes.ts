import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'

/** Bytes per piece, a few milliseconds of work. */
const PIECE = 1024 * 1024

/** SHA-256 of a whole file, yielding to other work in between. */
export async function hashLarge(bytes: Uint8Array): Promise<Buffer> {
  const hash = createHash('sha256')
  for (const piece of piecesOf(bytes)) {
    hash.update(piece)
    await setImmediate()
  }
  return hash.digest()
}

function* piecesOf(bytes: Uint8Array): Generator<Uint8Array, void> {
  for (let at = 0; at < bytes.length; at += PIECE) yield bytes.subarray(at, at + PIECE)
}
