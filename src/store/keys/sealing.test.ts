import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { KeyRing } from './key-ring.ts'
import type { SealingKey } from './keys.ts'
import { createSealer, type SealContext, SealError } from './sealing.ts'

const old: SealingKey = { id: '00112233445566aa', bytes: randomBytes(32) }
const fresh: SealingKey = { id: '8899aabbccddeeff', bytes: randomBytes(32) }

function ring(...all: [SealingKey, ...SealingKey[]]): { sealing: KeyRing<SealingKey> } {
  return { sealing: { newest: all.at(-1) ?? all[0], find: (id) => all.find((key) => key.id === id), all } }
}

const sealer = createSealer(ring(old))
const context: SealContext = { instanceId: 'i1', table: 'connections', rowId: 'r1', column: 'credentials', generation: 3 }
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
    const { generation: _, ...ungenerated } = context
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
