import { zstdDecompressSync } from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import { type EncodeSegment, type EncodeTarget, NotEncodable } from '../../src/sync/exports/encode-target.ts'
import { encodeText } from '../../src/sync/exports/encode-text.ts'
import { Encoder } from '../../src/sync/exports/encoder.ts'
import { writeParquet } from '../../src/sync/exports/parquet.ts'

const COMPANY = '11111111-1111-4111-8111-111111111111'
const target = (format: EncodeTarget['format']): EncodeTarget => ({ category: 'Banking', entity: 'Accounts', format })
/** Each time in memory of its own, which goes to the thread. */
function segments(...balances: string[]): EncodeSegment[] {
  const lines = balances.map((balance) => `${COMPANY}{"serviceId":"s","origId":"1","actualBalance":${balance}}\n`).join('')
  return [{ companyId: COMPANY, records: balances.length, idBytes: 36, lines: new Uint8Array(Buffer.from(lines)) }]
}

let encoder: Encoder | null = null
afterEach(async () => await encoder?.close())
const open = (format: EncodeTarget['format']): Encoder => {
  encoder = new Encoder(target(format))
  return encoder
}
const text = (bytes: Uint8Array) => Buffer.from(bytes).toString()

describe('a piece that a thread encodes', () => {
  it.each(['csv', 'ndjson'] as const)('is the same as here, and only the first one has a head: %s', async (format) => {
    const thread = open(format)
    for (const startsAt of [0, 1, 500]) {
      const piece = await thread.encode({ segments: segments('1', '2.50'), startsAt, earlier: null })
      const expected = text(encodeText(target(format), segments('1', '2.50'), startsAt === 0))
      expect([text(zstdDecompressSync(piece.compressed)), piece.bytes, piece.summary]).toEqual([
        expected,
        Buffer.byteLength(expected),
        null,
      ])
    }
  })

  it('of Parquet has a summary, which ends the file', async () => {
    const thread = open('parquet')
    const first = await thread.encode({ segments: segments('1'), startsAt: 0, earlier: null })
    const last = await thread.encode({ segments: segments('2'), startsAt: first.bytes, earlier: [first.summary ?? ''] })
    const here = writeParquet(target('parquet'), segments('1'), 0, null)
    const end = writeParquet(target('parquet'), segments('2'), here.bytes.length, [here.summary])
    expect([first.summary, first.bytes, last.bytes]).toEqual([here.summary, here.bytes.length, end.bytes.length])
    expect(Buffer.from(zstdDecompressSync(last.compressed)).equals(Buffer.from(end.bytes))).toBe(true)
  })

  it('that does not fit is refused, and the next one is encoded', async () => {
    const thread = open('parquet')
    const long = '1'.repeat(40)
    await expect(thread.encode({ segments: segments(long), startsAt: 0, earlier: null })).rejects.toThrow(NotEncodable)
    expect((await thread.encode({ segments: segments('1'), startsAt: 0, earlier: null })).summary).not.toBe('')
  })

  it('that is no document is an error, which quotes nothing of it', async () => {
    const lines = new Uint8Array(Buffer.from(`${COMPANY}{"secret words\n`))
    const broken = [{ companyId: COMPANY, records: 1, idBytes: 36, lines }]
    const error = await open('csv')
      .encode({ segments: broken, startsAt: 0, earlier: null })
      .catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(Error)
    expect(error).not.toBeInstanceOf(NotEncodable)
    expect(String(error)).toMatch(/^Error: the encoder failed: Error\n/)
    expect(String(error)).not.toContain('secret')
  })

  it('is none once the thread has ended', async () => {
    const thread = open('csv')
    await thread.close()
    await expect(thread.encode({ segments: segments('1'), startsAt: 0, earlier: null })).rejects.toThrow('the encoder ended')
  })
})
