import { describe, expect, it } from 'vitest'
import { bodyPrinter } from './documents.ts'
import { instant, nullable, text } from './fields.ts'
import { completeDocument, completeDocuments } from './later-fields.ts'
import { recordSchema } from './record-schema.ts'

const ID = '0b0b0b0b-1111-5222-8333-444444444444'
const first = { origId: text(), name: text(), readAt: nullable(instant()) }
const sortKey = ({ name }: { name: string }) => name
const before = recordSchema('Row', first, sortKey)
const after = recordSchema('Row', { ...first, iban: nullable(text({ since: 2 })), branch: nullable(text({ since: 3 })) }, sortKey)

const row = { origId: '1', name: 'says "iban":', readAt: '2026-11-20T00:00:00+00:00' }
const stored = bodyPrinter(before)(ID, row)

describe('a record of a shape with later fields', () => {
  it('is compared as before while they are null', () => {
    for (const observed of [[], ['readAt']]) {
      const was = bodyPrinter(before, observed)(ID, row)
      const is = bodyPrinter(after, observed)(ID, { ...row, iban: null, branch: null })
      expect(is.compared).toBe(was.compared)
      expect(is.json).toBe(`${was.json.slice(0, -1)},"iban":null,"branch":null}`)
    }
  })

  it('is another one with a value in them, and the former again without', () => {
    const print = bodyPrinter(after)
    const [none, iban, branch] = [{}, { iban: 'CA1' }, { branch: 'CA1' }].map((given) =>
      print(ID, { ...row, iban: null, branch: null, ...given }),
    )
    expect(new Set([none?.compared, iban?.compared, branch?.compared]).size).toBe(3)
    expect(none?.compared).toBe(stored.compared)
  })

  it('is no other one when a later field only says when it was seen', () => {
    const print = bodyPrinter(after, ['iban'])
    expect(print(ID, { ...row, iban: 'CA1', branch: null }).compared).toBe(stored.compared)
  })
})

describe('a stored document', () => {
  it('is completed with the fields that it lacks, each null', () => {
    const whole = `${stored.json.slice(0, -1)},"iban":null,"branch":null}`
    expect(completeDocument(after, stored.json)).toBe(whole)
    expect(completeDocument(after, `${stored.json.slice(0, -1)},"iban":"CA1"}`)).toBe(
      `${stored.json.slice(0, -1)},"iban":"CA1","branch":null}`,
    )
    expect(completeDocument(after, whole)).toBe(whole)
    expect(completeDocuments(after, [Buffer.from(stored.json), Buffer.from(whole)]).map(String)).toEqual([whole, whole])
  })

  it('stays the very bytes where nothing was added', () => {
    const documents = [Buffer.from(stored.json)]
    expect(completeDocument(before, stored.json)).toBe(stored.json)
    expect(completeDocuments(before, documents)).toBe(documents)
  })
})

describe('a schema', () => {
  it('refuses a later field that a stored document cannot be completed with', () => {
    expect(() => recordSchema('Row', { ...first, iban: text({ since: 2 }) }, sortKey)).toThrow('Row.iban is of shape 2 and not nullable')
    const early = { iban: nullable(text({ since: 2 })), ...first }
    expect(() => recordSchema('Row', early, sortKey)).toThrow('Row.origId comes after a field of a later shape')
  })
})
