import { expect, it } from 'vitest'
import { toCsvLine } from '../../model/texts/csv.ts'
import { CsvRows } from './csv-rows.ts'
import { DocumentReader } from './documents.ts'

const NAMES = ['a', 'b', 'c']

function write(documents: readonly object[], firstBytes?: number): string {
  const lines = new Uint8Array(Buffer.from(documents.map((document) => `${JSON.stringify(document)}\n`).join('')))
  const rows = new CsvRows(NAMES.length, 'head\r\n', firstBytes)
  new DocumentReader(NAMES).readAll(
    { companyId: 'x', records: documents.length, idBytes: 0, lines },
    (column, bytes, from, to, printed) => rows.put(column, bytes, from, to, printed),
    () => rows.endRow('company'),
  )
  return Buffer.from(rows.toBytes()).toString()
}

const TEXTS = [
  ...['plain', '', 'Épargne – 日本 😀', 'a,b', ',', 'say "no"', 'two\nlines', 'tab\there', 'back\\slash', '\u0000', '\ud83d'],
  ...['=1+1', '+1', '-1', '-1.50', '-', '@x', '\t=1', '\r', '=a,"b"', "'=1", ' =1', '1e5', '-5,00'],
]

it.each(TEXTS)('a row is what the rule of cells makes of it: %j', (text) => {
  const expected = toCsvLine(['company', text, null, 'end']).toWellFormed()
  expect(write([{ a: text, b: null, c: 'end' }])).toBe(`head\r\n${expected}`)
})

it('numbers and words stay as they are printed, and a row keeps nothing of the one before', () => {
  expect(write([{ a: -12.5, b: true, c: 'x' }, { b: 7 }, { c: 'last', a: 'first' }])).toBe(
    'head\r\ncompany,-12.5,true,x\r\ncompany,,7,\r\ncompany,first,,last\r\n',
  )
})

it.each([1, 7, 64, 1_000])('grows with its rows, and for one text that is longer than all before, from %i bytes', (firstBytes) => {
  const texts = [...TEXTS, 'é'.repeat(3_000), `,${'é'.repeat(9_000)}`, 'last']
  const documents = texts.map((a, b) => ({ a, b, c: a }))
  const expected = documents.map(({ a, b, c }) => toCsvLine(['company', a, b, c]).toWellFormed()).join('')
  expect(write(documents, firstBytes)).toBe(`head\r\n${expected}`)
})
