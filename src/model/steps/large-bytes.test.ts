import { hash, randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { countReturns } from '../../../test/large-answers/event-loop.ts'
import { hashLarge, joinLarge, piecesOf } from './large-bytes.ts'

const MEBIBYTE = 1024 * 1024

describe('large bytes', () => {
  it.each([[[]], [[0]], [[1]], [[MEBIBYTE]], [[MEBIBYTE + 1, 0, 3 * MEBIBYTE - 1]], [[5, 2 * MEBIBYTE, 7]]])(
    'of %j bytes are the same in pieces',
    async (sizes) => {
      const parts = sizes.map((size) => randomBytes(size))
      const whole = Buffer.concat(parts)
      const pieces: Uint8Array[] = []
      for await (const piece of piecesOf(parts)) pieces.push(piece)
      expect(pieces.every(({ length }) => length <= MEBIBYTE)).toBe(true)
      expect(whole.equals(Buffer.concat(pieces))).toBe(true)
      expect(whole.equals(await joinLarge(parts))).toBe(true)
      expect((await hashLarge(whole)).toString('hex')).toBe(hash('sha256', whole))
    },
  )

  it.each<[string, () => Promise<unknown>]>([
    ['are hashed', () => hashLarge(Buffer.alloc(32 * MEBIBYTE))],
    ['are joined', () => joinLarge([Buffer.alloc(32 * MEBIBYTE)])],
    ['in many parts are joined', () => joinLarge(Array.from({ length: 512 }, () => Buffer.alloc(MEBIBYTE / 16)))],
  ])('%s with a return to the event loop after each MiB', async (_what, work) => {
    expect(await countReturns(work)).toBeGreaterThanOrEqual(32)
  })

  it('that are joined may be transferred, and are copies', async () => {
    const part = Buffer.from('text')
    const joined = await joinLarge([part])
    expect([joined.buffer.byteLength, joined.buffer === part.buffer]).toEqual([4, false])
    expect(Buffer.from(structuredClone(joined, { transfer: [joined.buffer] })).toString()).toBe('text')
  })
})
