import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { KeyRing } from './key-ring.ts'
import type { SealingKey } from './keys.ts'
import { createSealer, SEALED_MIN_BYTES, type SealContext, SealError } from './sealing.ts'

const old: SealingKey = { id: '00112233445566aa', bytes: randomBytes(32) }
const fresh: SealingKey = { id: '8899aabbccddeeff', bytes: randomBytes(32) }

function ring(...all: [SealingKey, ...SealingKey[]]): { sealing: KeyRing<SealingKey> } {
  return { sealing: { newest: all.at(-1) ?? all[0], find: (id) => all.find((key) => key.id === id), all } }
}

const sealer = createSealer(ring(old))
const context: SealContext = { instanceId: 'i1', table: 'connections', rowId: 'r1', column: 'credentials', generation: 3 }
const { generation: _generation, ...ungenerated } = context
const plaintext = Buffer.from('{"refresh_token":"canary"}')

describe('sealing', () => {
  test('what was sealed opens again, whatever bytes it is', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 5_000 }), fc.string(), fc.string(), (bytes, instanceId, rowId) => {
        const place = { ...context, instanceId, rowId }
        return Buffer.from(bytes).equals(sealer.open(place, sealer.seal(place, bytes)))
      }),
    )
  })

  test('the same value sealed twice has nothing in common but the version and the sealing key', () => {
    const [a, b] = [sealer.seal(context, plaintext), sealer.seal(context, plaintext)]
    expect([Buffer.from(a.subarray(0, 9)), Buffer.from(a.subarray(9)).equals(b.subarray(9))]).toEqual([
      Buffer.from(b.subarray(0, 9)),
      false,
    ])
  })

  test.each<[string, Partial<SealContext>]>([
    ['instance', { instanceId: 'i2' }],
    ['table', { table: 'raw_pages' }],
    ['row', { rowId: 'r2' }],
    ['column', { column: 'secret' }],
    ['generation', { generation: 2 }],
  ])('a value moved to another %s is refused', (_name, other) => {
    const sealed = sealer.seal(context, plaintext)
    expect(() => sealer.open({ ...context, ...other }, sealed)).toThrow(SealError)
  })

  test('a value without a generation is not one of generation 0', () => {
    const sealed = sealer.seal(ungenerated, plaintext)
    expect(() => sealer.open({ ...context, generation: 0 }, sealed)).toThrow(SealError)
  })

  test('text cannot move from one part of the context to the next', () => {
    const sealed = sealer.seal({ ...context, table: 'ab', rowId: 'c' }, plaintext)
    expect(() => sealer.open({ ...context, table: 'a', rowId: 'bc' }, sealed)).toThrow(SealError)
  })

  test('every single flipped bit is refused', () => {
    const sealed = sealer.seal(context, plaintext)
    const accepted = Array.from({ length: sealed.length * 8 }, (_, bit) => bit).filter((bit) => {
      const flipped = Buffer.from(sealed)
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      return opens(flipped)
    })
    expect(accepted).toEqual([])
  })

  test('every shorter piece is refused, a cut tag included', () => {
    const sealed = sealer.seal(context, plaintext)
    const accepted = Array.from({ length: sealed.length }, (_, length) => length).filter((length) => opens(sealed.subarray(0, length)))
    expect(accepted).toEqual([])
  })

  test('nothing sealed is as short as a value can be, and opens', () => {
    const sealed = sealer.seal(context, Buffer.of())
    expect([sealed.length, Buffer.from(sealer.open(context, sealed)).length]).toEqual([SEALED_MIN_BYTES, 0])
  })

  test('a value of another format is refused, and is not current', () => {
    const other = Buffer.from(sealer.seal(context, plaintext))
    other[0] = 2
    expect(() => sealer.open(context, other)).toThrow('unknown version')
    expect(sealer.isCurrent(other)).toBe(false)
  })

  test.each([
    [
      'with',
      context,
      'AQARIjNEVWaqlQlmx5dT6-9cWvDR7S69xDZoOTI90ejUi4ZK9VDzSZ0WKXPxRcq9HeA2TEqqQSdFDnaiEbqmquA-e1V--nRpgXKE-EkKH9LlqsnBvrw7rrSkjgqv8ams43L7Kdc',
    ],
    [
      'without',
      ungenerated,
      'AQARIjNEVWaqIVZgUUrtTILIQQG33SCW9iFS8VGJsM_49wyGJJYMc1DEDfVtNNGVhSp748aK7J6mvYmCJ3wBq3n7nW1njC8Q3g8wwwlLI7_CKHe2vDBpK8h8Si3AO1dZymGaipY',
    ],
  ])('a value that another release sealed %s a generation opens', async (_how, place, stored) => {
    const kept = createSealer(ring({ id: old.id, bytes: Buffer.alloc(32, 7) }))
    const sealed = Buffer.from(stored, 'base64url')
    const opened = [kept.open(place, sealed), await kept.openLarge(place, sealed)]
    expect(opened.map((bytes) => Buffer.from(bytes).toString())).toEqual(['kept', 'kept'])
  })

  test('an error keeps the reason of the cipher', () => {
    const { cause } = refusalOf(() => sealer.open({ ...context, rowId: 'r2' }, sealer.seal(context, plaintext)))
    expect(cause).toBeInstanceOf(Error)
  })

  test('neither the value nor the place shows in an error', () => {
    const { message } = refusalOf(() => sealer.open({ ...context, rowId: 'r2' }, sealer.seal(context, plaintext)))
    expect(message).toBe('connections.credentials cannot be opened: changed, or of another place')
  })

  function opens(sealed: Uint8Array): boolean {
    try {
      sealer.open(context, sealed)
      return true
    } catch (error) {
      if (error instanceof SealError) return false
      throw error
    }
  }
})

describe('a file, sealed in pieces', () => {
  const PIECE_BYTES = 1024 * 1024

  test.each([0, 1, PIECE_BYTES - 1, PIECE_BYTES, PIECE_BYTES + 1, 3 * PIECE_BYTES])('of %d bytes opens either way', async (length) => {
    const file = randomBytes(length)
    const sealed = await sealer.sealLarge(context, file)
    expect(file.equals(sealer.open(context, sealed))).toBe(true)
    expect(file.equals(await sealer.openLarge(context, sealer.seal(context, file)))).toBe(true)
  })

  test('leaves time for other work between its pieces', async () => {
    const turns = async (work: () => Promise<unknown>): Promise<number> => {
      let [count, isDone] = [0, false]
      const other = (async () => {
        for (; !isDone; count += 1) await new Promise((resume) => setImmediate(resume))
      })()
      await work()
      isDone = true
      await other
      return count
    }
    const file = Buffer.alloc(4 * PIECE_BYTES)
    const sealed = sealer.seal(context, file)
    expect(await turns(() => sealer.sealLarge(context, file))).toBeGreaterThan(2)
    expect(await turns(() => sealer.openLarge(context, sealed))).toBeGreaterThan(2)
  })

  test('is refused elsewhere, cut, or changed in its last piece', async () => {
    const sealed = await sealer.sealLarge(context, randomBytes(PIECE_BYTES + 10))
    const changed = Buffer.from(sealed)
    changed[sealed.length - 20] = (sealed.at(-20) ?? 0) ^ 1
    await expect(sealer.openLarge({ ...context, rowId: 'r2' }, sealed)).rejects.toThrow(SealError)
    await expect(sealer.openLarge(context, sealed.subarray(0, -1))).rejects.toThrow(SealError)
    await expect(sealer.openLarge(context, sealed.subarray(0, SEALED_MIN_BYTES - 1))).rejects.toThrow('too short')
    await expect(sealer.openLarge(context, changed)).rejects.toMatchObject({ name: 'SealError', cause: expect.any(Error) })
  })
})

describe('rotation of the sealing key', () => {
  const rotated = createSealer(ring(old, fresh))
  const sealed = sealer.seal(context, plaintext)

  test('what the old key sealed still opens', () => {
    expect(rotated.open(context, sealed)).toEqual(plaintext)
  })

  test('a rewrapped value opens without the old key', () => {
    expect(createSealer(ring(fresh)).open(context, rotated.reEncrypt(context, sealed))).toEqual(plaintext)
  })

  test('rewrapping does not touch the value itself', () => {
    expect(Buffer.from(rotated.reEncrypt(context, sealed).subarray(69))).toEqual(Buffer.from(sealed.subarray(69)))
  })

  test('rewrapping a current value changes nothing', () => {
    const current = rotated.reEncrypt(context, sealed)
    expect(rotated.reEncrypt(context, current)).toBe(current)
  })

  test('says which values wait for rewrapping', () => {
    expect([rotated.isCurrent(sealed), rotated.isCurrent(rotated.reEncrypt(context, sealed))]).toEqual([false, true])
  })

  test('a value of another place is not rewrapped', () => {
    expect(() => rotated.reEncrypt({ ...context, instanceId: 'i2' }, sealed)).toThrow(SealError)
  })

  test('a value of an unknown key is refused with the name of the key', () => {
    expect(() => createSealer(ring(fresh)).open(context, sealed)).toThrow('sealing key 00112233445566aa is not among the keys')
  })
})

function refusalOf(work: () => unknown): Error {
  try {
    work()
  } catch (error) {
    if (error instanceof Error) return error
  }
  throw new Error('nothing was refused')
}
