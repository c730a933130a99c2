const HEADER_BYTES = 19
const TRAILER_BYTES = 2
/**
 * Header without flags and extension, and trailer, of binary COPY.
 * Source: https://www.postgresql.org/docs/current/sql-copy.html (Binary Format)
 */
const HEADER = Buffer.from('5047434f50590aff0d0a000000000000000000', 'hex')
const TRAILER = Buffer.from('ffff', 'hex')

/** Several streams of binary COPY, opened one after the other, as one. */
export async function* withoutFrame(streams: readonly (() => AsyncIterable<Buffer>)[]): AsyncGenerator<Buffer> {
  yield HEADER
  for (const open of streams) yield* rowsOf(open())
  yield TRAILER
}

/** A stream without its header and its trailer. */
async function* rowsOf(stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let toSkip = HEADER_BYTES
  let held: Buffer = Buffer.alloc(0)
  for await (const piece of stream) {
    const rows = piece.subarray(Math.min(toSkip, piece.length))
    toSkip -= piece.length - rows.length
    // The trailer may come in two pieces.
    const known = held.length === 0 ? rows : Buffer.concat([held, rows])
    const end = Math.max(0, known.length - TRAILER_BYTES)
    held = known.subarray(end)
    if (end > 0) yield known.subarray(0, end)
  }
  if (toSkip > 0 || !held.equals(TRAILER)) throw new Error('the rows of a shard end in the middle')
}
