import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { HashKey } from '../../src/store/keys/keys.ts'
import { deriveToken, deriveTokens, tokenHasher } from '../../src/store/keys/token-hash.ts'

const keys: HashKey[] = [1, 2, 3].map((byte) => ({ id: `k${byte}`, bytes: Buffer.alloc(32, byte) }))

/** Ring whose key at `writing` writes; those behind it do not write yet. */
function ring(writing: number) {
  const newest = keys[writing]
  if (!newest) throw new Error('there is no such key')
  return { tokenHash: { newest, all: keys, find: (id: string) => keys.find((key) => key.id === id) } }
}

const expected = (byte: number, text: string) => createHmac('sha256', Buffer.alloc(32, byte)).update(text).digest()
const hex = (hashes: Uint8Array[]) => hashes.map((hash) => Buffer.from(hash).toString('hex'))

describe('the keyed hash of a token', () => {
  it('is what is stored since the first release: with the purpose, under the key that writes', () => {
    expect(hex([tokenHasher(ring(2))('token')])).toEqual(hex([expected(3, 'connect\ntoken')]))
    expect(hex([tokenHasher(ring(1), 'receipts\n')('token')])).toEqual(hex([expected(2, 'receipts\ntoken')]))
  })

  it('is looked up under each key once: the one that writes, then the newest of the others', () => {
    const under = (...bytes: number[]) => hex(bytes.map((byte) => expected(byte, 'connect\ntoken')))
    expect(hex(tokenHasher(ring(2)).all('token'))).toEqual(under(3, 2, 1))
    expect(hex(tokenHasher(ring(1)).all('token')), 'the last key does not write yet').toEqual(under(2, 3, 1))
  })
})

describe('a derived token', () => {
  const hash = tokenHasher(ring(2))
  const [newest, middle, oldest] = deriveTokens(hash, 'company 1')

  it('is URL-safe text of 256 bits', () => {
    expect(newest).toBe(expected(3, 'connect\ncompany 1').toString('base64url'))
  })

  it.each([
    ['the one that an older key derived, where that is stored', [oldest], oldest],
    ['the newer of two that are stored', [oldest, middle], middle],
    ['that of the newest key, where none is stored', [], newest],
    ['that of the newest key, where only that is stored', [newest], newest],
  ])('is %s', async (_which, stored, token) => {
    expect(await deriveToken(hash, 'company 1', async (each) => stored.includes(each))).toBe(token)
  })
})
