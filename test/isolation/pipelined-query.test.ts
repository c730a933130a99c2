import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { NoPrimary } from '../../src/store/db/connection/servers.ts'
import { type Db, openDatabase } from '../../src/store/db/database.ts'
import { withinInstance } from '../../src/store/db/instance-scope.ts'
import { partitionOf } from '../../src/store/db/partitions/page-spans.ts'
import { PipelinedQuery, type Preamble, RowsQuery, toNoPrimary, withoutName } from '../../src/store/db/pipelined-query.ts'
import { databaseForTests, openForTests } from '../harness/for-tests.ts'

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

describe('a statement after others', () => {
  const opened = databaseForTests({ migrated: false })
  const single = openForTests(() => openDatabase(opened.url, { max: 1 }))
  const kept = { name: 'kept', text: `select $1::int as given, current_setting('countinghouse.instance') as scope`, values: [1] }
  const listPrepared = async () =>
    (await single.query<{ name: string }>('select name from pg_prepared_statements order by name')).rows.map(({ name }) => name)
  const ask = (preambles: Preamble[], query: pg.QueryConfig = kept) => {
    const db: Db = single
    return db.query(new PipelinedQuery(preambles, query))
  }

  it('parses those with a name once per connection', async () => {
    const [one, other] = [randomUUID(), randomUUID()]
    for (const scope of [one, other, one])
      expect((await withinInstance(scope, () => single.query(kept))).rows).toEqual([{ given: 1, scope }])
    expect(await listPrepared()).toEqual(['enter-instance', 'kept'])
  })

  it('parses those without a name each time, and gives the result of its own statement alone', async () => {
    const set = (scope: string): Preamble => ({ name: '', text: `select set_config('countinghouse.instance', $1, true)`, values: [scope] })
    expect(await ask([set('first'), set('second')])).toMatchObject({
      command: 'SELECT',
      rowCount: 1,
      rows: [{ given: 1, scope: 'second' }],
    })
    expect((await ask([set('third')])).rows).toEqual([{ given: 1, scope: 'third' }])
  })

  it('is kept by no name itself where sessions are shared', async () => {
    const shared = { name: '', text: `select set_config('countinghouse.instance', $1, true)`, values: ['shared'], isShared: true }
    expect((await ask([shared], { ...kept, name: 'elsewhere' })).rows).toEqual([{ given: 1, scope: 'shared' }])
    expect(await listPrepared()).toEqual(['enter-instance', 'kept'])
  })
})
