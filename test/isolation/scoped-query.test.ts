import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { NoPrimary } from '../../src/store/db/connection/servers.ts'
import { partitionOf } from '../../src/store/db/partitions/page-spans.ts'
import { RowsQuery, toNoPrimary, withoutName } from '../../src/store/db/scoped-query.ts'

function errorOf(code: string, message: string): pg.DatabaseError {
  return Object.assign(new pg.DatabaseError(message, message.length, 'error'), { code })
}

describe('the refusal of a preamble', () => {
  it.each([
    ['0A000', 'cannot set transaction_read_only to off during recovery'],
    ['25001', 'cannot set transaction read-write mode inside a read-only transaction'],
  ])('with %s means that the server is no primary', (code, message) => {
    expect(toNoPrimary(errorOf(code, message))).toBeInstanceOf(NoPrimary)
  })

  it.each([
    errorOf('0A000', 'cached plan must not change result type'),
    errorOf('57014', 'cannot set transaction_read_only'),
    Object.assign(new Error('cannot set transaction_read_only'), { code: '0A000' }),
  ])('for another reason stays as it is: %s', (error) => {
    expect(toNoPrimary(error)).toBe(error)
  })
})

it('a statement without a name is otherwise the same, and the given one keeps its name', () => {
  const query = { name: 'kept', text: 'select $1', values: [1] }
  expect([withoutName(query), query.name]).toEqual([{ text: 'select $1', values: [1] }, 'kept'])
})

it.each(['2026110', '202611010', 'x20261101', '20261101 ', '2026-11-01', '20261101; drop table users'])(
  'no partition is named by %j',
  (span) => {
    expect(() => partitionOf(span)).toThrow('no span of raw pages')
    expect(partitionOf('20261101')).toBe('raw_pages_20261101')
  },
)

it('rows that were not read yet cannot be taken', () => {
  expect(() => new RowsQuery([], { text: 'select 1' }, (rows) => rows.length).taken).toThrow('the query has not ended')
})
