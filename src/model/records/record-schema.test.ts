import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { toDecimal } from '../values/decimal.ts'
import { amount, day, flag, instant, nullable, oneOf, openEnum, part, percentage, recordId, text } from './fields.ts'
import { HEAD_FIELDS, recordSchema } from './record-schema.ts'
import { RECORD_SCHEMAS } from './record-schemas.ts'

it('the fields of records, with their kinds, units and shapes, are those that are published', async () => {
  const schemas = Object.values(RECORD_SCHEMAS).flatMap((ofCategory) => Object.values(ofCategory))
  const published = schemas.map(({ title, properties, document, shape }) => ({ title, shape, document, properties }))
  await expect(`${JSON.stringify(published, null, 1)}\n`).toMatchFileSnapshot(join(import.meta.dirname, 'fixtures', 'record-schemas.json'))
})

it('the head of a record names its source and its time', () => {
  expect([...HEAD_FIELDS]).toEqual(['serviceId', 'serviceName', 'lastUpdatedOn'])
})

describe('a schema', () => {
  const sortKey = (): string => ''

  it('has the shape of its last field', () => {
    expect(recordSchema('R', { id: recordId(), a: text() }, sortKey).shape).toBe(1)
    expect(recordSchema('R', { a: text(), b: nullable(text({ since: 3 })) }, sortKey).shape).toBe(3)
    expect(recordSchema('R', {}, sortKey).shape).toBe(1)
  })

  it('lists the parts of a compound field as properties of their own', () => {
    const kind = { parts: { type: part<{ type: string }>(text(), (value) => value.type) } }
    const { properties } = recordSchema('R', { id: recordId(), kind }, sortKey)
    expect(properties.map(({ name, source, part: own }) => [name, source, own?.of({ type: 'x' })])).toEqual([
      ['id', null, undefined],
      ['type', 'kind', 'x'],
    ])
  })

  it('allows no field of a later shape that may not be absent, or that is not at the end', () => {
    expect(() => recordSchema('R', { a: text({ since: 2 }) }, sortKey)).toThrow(RangeError)
    expect(() => recordSchema('R', { a: nullable(text({ since: 2 })), b: text() }, sortKey)).toThrow(RangeError)
    expect(() => recordSchema('R', { a: nullable(text({ since: 3 })), b: nullable(text({ since: 2 })) }, sortKey)).toThrow(RangeError)
    expect(() =>
      recordSchema('R', { a: text({ since: 1 }), b: nullable(text({ since: 2 })), c: nullable(text({ since: 2 })) }, sortKey),
    ).not.toThrow()
  })
})

describe('a field', () => {
  const ten = toDecimal('10.5')
  if (ten === null) throw new Error('no decimal')

  it.each([
    ['text', text(), 'text', null, null],
    ['an amount', amount(), 'amount', 'currency', null],
    ['a rate', percentage(), 'amount', 'percent', null],
    ['a day', day(), 'day', null, null],
    ['a time', instant(), 'instant', null, null],
    ['a closed enum', oneOf(['A', 'B']), 'enum', null, ['A', 'B']],
    ['an open enum', openEnum(), 'enum', null, null],
    ['a flag', flag(), 'flag', null, null],
  ])('of %s', (_, field, kind, unit, values) => {
    expect(field).toMatchObject({ kind, unit, values, isNullable: false, since: 1 })
  })

  it('prints its values as JSON', () => {
    expect([amount().print(ten), percentage().print(ten), flag().print(true), flag().print(false)]).toEqual([
      '10.5',
      '10.5',
      'true',
      'false',
    ])
    for (const value of ['', 'a b', 'é', '"', '\\', '\n', '\u007f', '🏦', '\ud800', '[]', '!#', '\ud7ff', '\ue000', '\uffff', '\u001f'])
      expect(text().print(value)).toBe(JSON.stringify(value))
  })

  it('says what it is, and more where it is described', () => {
    const described = (field: { schema: object }) => ('description' in field.schema ? field.schema.description : undefined)
    expect([text(), amount(), percentage(), day(), instant()].map(described)).toEqual([
      ...[undefined, 'Exact decimal', 'Percent: 7.25 means 7.25 %', 'Calendar day, YYYY-MM-DD', 'ISO 8601 with offset'],
    ])
    const more = { description: 'More' }
    expect(
      [text(more), amount(more), percentage(more), day(more), instant(more), flag(more), openEnum(more), oneOf(['A'], more)].map(described),
    ).toEqual([
      ...['More', 'More', 'Percent: 7.25 means 7.25 %. More', 'Calendar day, YYYY-MM-DD. More', 'ISO 8601 with offset. More'],
      ...['More', 'More', 'More'],
    ])
  })
})
