import { expect, it } from 'vitest'
import { withoutFrame } from './copy-frames.ts'
import { TableDigester } from './table-digest.ts'

const HEADER = Buffer.from('5047434f50590aff0d0a000000000000000000', 'hex')
const TRAILER = Buffer.from('ffff', 'hex')

/** A row of binary COPY. */
function row(...fields: (string | null)[]): Buffer {
  const count = Buffer.alloc(2)
  count.writeInt16BE(fields.length)
  const parts = fields.flatMap((field) => {
    const length = Buffer.alloc(4)
    length.writeInt32BE(field === null ? -1 : Buffer.byteLength(field))
    return [length, Buffer.from(field ?? '')]
  })
  return Buffer.concat([count, ...parts])
}

function digest(bytes: Buffer, pieceBytes = bytes.length) {
  const digester = new TableDigester()
  for (let at = 0; at < bytes.length; at += pieceBytes) digester.push(bytes.subarray(at, at + pieceBytes))
  return digester.end()
}

const HASH_OF_A = '7a9a26810174963728f91d2bbb39db0184f9384df7aa1609ee49f3c022bc83c3'
const ROWS = [row('a', 'bc'), row(null, ''), row('a', null), row('x'.repeat(300), 'y')]
const WHOLE = Buffer.concat([HEADER, ...ROWS, TRAILER])

it('the digest of a table is the sum of the hashes of its rows, whatever the pieces', () => {
  const whole = digest(WHOLE)
  expect(whole).toEqual({ rows: 4, hash: expect.stringMatching(/^[0-9a-f]{64}$/) })
  for (const pieceBytes of [1, 2, 3, 7, 19, 20, 64, 350]) expect(digest(WHOLE, pieceBytes), `${pieceBytes} bytes`).toEqual(whole)
  expect(digest(Buffer.concat([HEADER, ...ROWS.toReversed(), TRAILER]))).toEqual(whole)
})

it('the digest of a table without rows is zero, and of one row the hash of it', () => {
  expect(digest(Buffer.concat([HEADER, TRAILER]))).toEqual({ rows: 0, hash: '0'.repeat(64) })
  // SHA-256 of 00 01 00 00 00 01 61, as eight numbers in the order of this machine's bytes.
  expect(digest(Buffer.concat([HEADER, row('a'), TRAILER]))).toEqual({ rows: 1, hash: HASH_OF_A })
})

it.each([
  ['another value', [row('a', 'bd'), ...ROWS.slice(1)]],
  ['a null in place of an empty text', [ROWS[0] ?? HEADER, row('', ''), ...ROWS.slice(2)]],
  ['a row twice', [...ROWS, row('a', 'bc')]],
  ['a row less', ROWS.slice(1)],
])('%s changes the digest', (_name, rows) => {
  expect(digest(Buffer.concat([HEADER, ...rows, TRAILER])).hash).not.toBe(digest(WHOLE).hash)
})

it.each([0, 10, HEADER.length, HEADER.length + 5, WHOLE.length - 2, WHOLE.length - 1])(
  'rows that end after %d bytes are refused',
  (length) => {
    expect(() => digest(WHOLE.subarray(0, length), 8)).toThrow('the rows of a table end in the middle')
  },
)

async function join(streams: Buffer[][]): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of withoutFrame(
    streams.map(
      (stream) =>
        async function* () {
          yield* stream
        },
    ),
  ))
    pieces.push(piece)
  return Buffer.concat(pieces)
}

const inPieces = (bytes: Buffer, pieceBytes: number) =>
  Array.from({ length: Math.ceil(bytes.length / pieceBytes) }, (_, index) => bytes.subarray(index * pieceBytes, (index + 1) * pieceBytes))

it.each([1, 2, 5, 19, 1_000])('streams of several shards in pieces of %d bytes are one stream with all rows', async (pieceBytes) => {
  const shards = [[...ROWS.slice(0, 1)], [], [...ROWS.slice(1)]].map((rows) =>
    inPieces(Buffer.concat([HEADER, ...rows, TRAILER]), pieceBytes),
  )
  expect((await join(shards)).equals(WHOLE)).toBe(true)
})

it.each([0, 5, 19, 20, 30, WHOLE.length - 1])('a stream of a shard that ends after %d bytes is refused', async (length) => {
  await expect(join([inPieces(WHOLE.subarray(0, length), 7)])).rejects.toThrow('the rows of a shard end in the middle')
})
