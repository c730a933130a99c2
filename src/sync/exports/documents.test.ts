import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { RECORD_SCHEMAS } from '../../model/records/record-schemas.ts'
import { DocumentReader, readValue, splitDocuments } from './documents.ts'

const NAMES = ['name', 'amount', 'isOpen', 'note']

/** Values by name of each document; those of texts with a mark. */
function read(...documents: string[]): Record<string, string>[] {
  const rows: Record<string, string>[] = []
  let row: Record<string, string> = {}
  const lines = new Uint8Array(Buffer.from(documents.map((document) => `${randomUUID()}${document}\n`).join('')))
  const segment = { companyId: '', records: documents.length, idBytes: 36, lines }
  new DocumentReader(NAMES).readAll(
    segment,
    (column, bytes, from, to, printed) => {
      const value = readValue(bytes, from, to, printed)
      row[NAMES[column] ?? '?'] = printed === 'literal' ? value : `text ${value}`
    },
    () => {
      rows.push(row)
      row = {}
    },
  )
  return rows
}

describe('a printed document', () => {
  it('gives its texts, and numbers and words as they are printed', () => {
    expect(read('{"name":"Café","amount":-0.10000000000000000001,"isOpen":true,"note":null}')).toEqual([
      { name: 'text Café', amount: '-0.10000000000000000001', isOpen: 'true' },
    ])
  })

  it.each([
    ['quotes and backslashes', String.raw`a \"b\" \\`, 'a "b" \\'],
    ['a backslash at the end', String.raw`\\`, '\\'],
    ['what looks like another property', String.raw`x\",\"amount\":7,\"`, 'x","amount":7,"'],
    ['control characters and half a pair', String.raw`\n\ud83d`, '\n\ud83d'],
    ['marks of JSON', '{},:[]', '{},:[]'],
  ])('gives a text with %s', (_what, printed, text) => {
    expect(read(`{"name":"${printed}","amount":1}`)).toEqual([{ name: `text ${text}`, amount: '1' }])
  })

  it('is read by names where its properties are others, fewer, or in another order', () => {
    expect(read('{"note":"n","former":"f","amount":1}', '{"isOpen":false,"name":""}', '{"former":7,"name":"a","later":"l"}')).toEqual([
      { note: 'text n', amount: '1' },
      { isOpen: 'false', name: 'text ' },
      { name: 'text a' },
    ])
  })

  it.each(['{"name":"a"', '{"name":"a', '{"name":{}}', '{"amount":1', '', '{}', '[]'])(
    'that is none is an error, not a wrong row: %s',
    (document) => {
      expect(() => read(document)).toThrow('not as it is printed')
    },
  )
})

describe('the documents of a segment', () => {
  const split = (...documents: string[]) => {
    const lines = new Uint8Array(Buffer.from(documents.map((document) => `${randomUUID()}${document}\n`).join('')))
    const segment = { companyId: '', records: documents.length, idBytes: 36, lines }
    return splitDocuments({ ...RECORD_SCHEMAS.Accounting.Accounts, shape: 1 }, segment).map(String)
  }

  it('are those of its lines, in their order, without the ids before them', () => {
    const documents = ['{"name":"Café"}', '{}', '{"name":"last"}']
    expect(split(...documents)).toEqual(documents)
  })

  it('are none where it has no line', () => {
    expect(split()).toEqual([])
  })
})
