import { describe, expect, it } from 'vitest'
import { HEAD_FIELDS } from '../../model/records/record-schema.ts'
import { RECORD_SCHEMAS } from '../../model/records/record-schemas.ts'
import type { EncodeSegment } from './encode-target.ts'
import { encodeText } from './encode-text.ts'

const BAKERY = '11111111-1111-4111-8111-111111111111'
const CAFE = '22222222-2222-4222-8222-222222222222'
const ID_BYTES = 36

/** Documents of a company as they come from the database: one a line, each behind an id. */
function segment(companyId: string, ...documents: object[]): EncodeSegment {
  const lines = documents.map((document) => `${'i'.repeat(ID_BYTES)}${JSON.stringify(document)}\n`).join('')
  return { companyId, records: documents.length, idBytes: ID_BYTES, lines: new Uint8Array(Buffer.from(lines)) }
}

const { properties } = RECORD_SCHEMAS.Banking.Accounts
const COLUMNS = [...HEAD_FIELDS, ...properties.map(({ name }) => name)]
/** A document with all properties in their order; those that are not given are null. */
const account = (given: Readonly<Record<string, unknown>>) => Object.fromEntries(COLUMNS.map((name) => [name, given[name] ?? null]))
const first = account({ serviceId: 's', origId: '1', accountName: 'Épargne, été', actualBalance: -0.5 })
const second = account({ serviceId: 's', origId: '2' })
const third = account({ serviceId: 't', origId: '3', currency: 'CAD' })
const SEGMENTS = () => [segment(BAKERY, first, second), segment(CAFE, third)]

const encode = (format: 'csv' | 'ndjson', segments: EncodeSegment[], isFirst: boolean) =>
  Buffer.from(encodeText({ category: 'Banking', entity: 'Accounts', format }, segments, isFirst)).toString()

describe('a piece of NDJSON', () => {
  it.each([true, false])('has the documents of each company, behind its id (first piece: %s)', (isFirst) => {
    const lines = [
      { companyId: BAKERY, ...first },
      { companyId: BAKERY, ...second },
      { companyId: CAFE, ...third },
    ]
    expect(encode('ndjson', SEGMENTS(), isFirst)).toBe(lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  })

  it('is empty without documents', () => {
    expect(encode('ndjson', [segment(BAKERY)], true)).toBe('')
    expect(encode('ndjson', [], true)).toBe('')
  })
})

describe('a piece of CSV', () => {
  /** Row of cells, empty but for the given ones. */
  const row = (companyId: string, cells: Readonly<Record<string, string>>) =>
    `${[companyId, ...COLUMNS.map((name) => cells[name] ?? '')].join(',')}\r\n`
  const rows = [
    row(BAKERY, { serviceId: 's', origId: '1', accountName: '"Épargne, été"', actualBalance: '-0.5' }),
    row(BAKERY, { serviceId: 's', origId: '2' }),
    row(CAFE, { serviceId: 't', origId: '3', currency: 'CAD' }),
  ].join('')

  it('begins with the names of the columns where it is the first', () => {
    expect(encode('csv', SEGMENTS(), true)).toBe(`${['companyId', ...COLUMNS].join(',')}\r\n${rows}`)
  })

  it('has rows only where it is a later one', () => {
    expect(encode('csv', SEGMENTS(), false)).toBe(rows)
    expect(encode('csv', [], false)).toBe('')
  })
})
