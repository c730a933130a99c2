import { describe, expect, it } from 'vitest'
import { newKey, parseKey, toKeyText } from './key-files.ts'

const key = newKey('sealing', 3, new Date('2026-11-20T12:00:00Z'))
const fields: Record<string, unknown> = JSON.parse(toKeyText(key))

/** As earlier releases wrote it. */
const WRITTEN = `{
  "purpose": "sealing",
  "number": 2,
  "id": "0011223344556677",
  "key": "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc",
  "from": "2026-11-20T12:00:00.000Z",
  "check": "4752e9a0534d23ef"
}
`

describe('the text of a key', () => {
  it('is that of earlier releases', () => {
    const from = new Date('2026-11-20T12:00:00Z')
    const read = { purpose: 'sealing', number: 2, id: '0011223344556677', bytes: Buffer.alloc(32, 7), from }
    expect([parseKey(WRITTEN), toKeyText(read)]).toEqual([read, WRITTEN])
  })

  it('is read as it was written, also without a time from which it counts', () => {
    expect(parseKey(toKeyText(key))).toEqual(key)
    const old = newKey('token-hash', 1)
    expect([old.from, parseKey(toKeyText(old))]).toEqual([null, old])
  })

  it.each(Object.keys(fields).flatMap((name) => [undefined, null, 7, '7', '', [], {}].map((value) => ({ name, value }))))(
    'with $value as its $name is that key or none',
    ({ name, value }) => {
      const read = parseKey(JSON.stringify({ ...fields, [name]: value }))
      // The checksum does not cover the time.
      if (name === 'from' && (value === undefined || value === null)) expect(read).toEqual({ ...key, from: null })
      else if (name === 'from' && value === '7') expect(read).toEqual({ ...key, from: new Date('7') })
      else expect(read).toBeNull()
    },
  )

  it.each(['', 'null', '7', '"text"', '[]', '{}', '{"purpose":', '\0'])('%j is none', (text) => {
    expect(parseKey(text)).toBeNull()
  })
})
