import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { databaseForTests } from '../../../test/harness/for-tests.ts'
import { type Columns, type ColumnType, type Filter, toCondition, toOrder } from '../../store/db/list-selection.ts'
import { FilterError, parseFilter } from './filter-query.ts'
import { type ListedValue, selectInMemory } from './list-in-memory.ts'

const TYPES = { id: 'uuid', name: 'string', code: 'number', createdOn: 'date', isEnabled: 'boolean', postedOn: 'day' } satisfies Record<
  string,
  ColumnType
>

describe('the filter grammar', () => {
  it.each<[string, Filter]>([
    ['', []],
    ['name = Acme', [[{ property: 'name', operator: '=', value: 'Acme' }]]],
    ['name=Acme Holdings Ltd.', [[{ property: 'name', operator: '=', value: 'Acme Holdings Ltd.' }]]],
    ['name = Johnson & Johnson', [[{ property: 'name', operator: '=', value: 'Johnson & Johnson' }]]],
    ['name ~ "a && b"', [[{ property: 'name', operator: '~', value: 'a && b' }]]],
    [`name = 'O\\'Brien'`, [[{ property: 'name', operator: '=', value: "O'Brien" }]]],
    ['name = "null"', [[{ property: 'name', operator: '=', value: 'null' }]]],
    ['name != null', [[{ property: 'name', operator: '!=', value: null }]]],
    ['code>=-1.5', [[{ property: 'code', operator: '>=', value: '-1.5' }]]],
    ['isEnabled = TRUE', [[{ property: 'isEnabled', operator: '=', value: 'true' }]]],
    ['createdOn < 2026-01-31', [[{ property: 'createdOn', operator: '<', value: '2026-01-31T00:00:00.000000Z' }]]],
    ['createdOn = 2026-01-31T08:09:10.123456', [[{ property: 'createdOn', operator: '=', value: '2026-01-31T08:09:10.123456Z' }]]],
    ['createdOn = 2026-11-19T00:00:00+00:00', [[{ property: 'createdOn', operator: '=', value: '2026-11-19T00:00:00.000000Z' }]]],
    ['createdOn < 2026-01-31T20:09:10.5-05:30', [[{ property: 'createdOn', operator: '<', value: '2026-02-01T01:39:10.500000Z' }]]],
    ['createdOn < 2026-01-01T00:00:00 01:00', [[{ property: 'createdOn', operator: '<', value: '2025-12-31T23:00:00.000000Z' }]]],
    ['createdOn < 2026-01-01T00:00:00+0100', [[{ property: 'createdOn', operator: '<', value: '2025-12-31T23:00:00.000000Z' }]]],
    ['postedOn = 2026-01-31T00:00:00+00:00', [[{ property: 'postedOn', operator: '=', value: '2026-01-31' }]]],
    ['postedOn >= 2026-01-31', [[{ property: 'postedOn', operator: '>=', value: '2026-01-31' }]]],
    ['postedOn = 2026-01-31T00:00:00.000000', [[{ property: 'postedOn', operator: '=', value: '2026-01-31' }]]],
    [
      'code = 1 || code = 2 && name = x',
      [
        [{ property: 'code', operator: '=', value: '1' }],
        [
          { property: 'code', operator: '=', value: '2' },
          { property: 'name', operator: '=', value: 'x' },
        ],
      ],
    ],
  ])('reads %j', (text, filter) => {
    expect(parseFilter(text, TYPES)).toEqual(filter)
  })

  it.each([
    'name',
    'name =',
    '= x',
    'name = x &&',
    '|| name = x',
    'name = "x',
    'name = "x" y',
    'unknown = x',
    'constructor = x',
    'name > x',
    'id ~ 3',
    'id = 3',
    'code = x',
    'code = null && code > null',
    'isEnabled = yes',
    'isEnabled ~ true',
    'createdOn = 2026',
    'createdOn = 2026-02-30',
    'postedOn = 2026-02-30',
    'postedOn = 2026-01-01T00:00:01',
    'postedOn ~ 2026-01',
    'createdOn = 2026-01-01T25:00:00',
    'createdOn = 2026-01-01T00:00:00+24:00',
    'createdOn = 2026-01-01T00:00:00+01:60',
    'createdOn = 2026-02-30T00:00:00+01:00',
    'createdOn = 2026-01-01T00:00:00 -01:00',
    'createdOn = 2026-01-01T00:00:00+1',
    'createdOn = 2026-01-01-05:00',
    'createdOn = 0001-01-01T00:00:00+01:00',
    'createdOn = 9999-12-31T23:30:00-01:00',
    'postedOn = 2026-01-31T00:00:00-05:00',
    'postedOn = 2026-01-30T19:00:00-05:00',
    Array.from({ length: 101 }, () => 'code=1').join('&&'),
  ])('refuses %j', (text) => {
    expect(() => parseFilter(text, TYPES)).toThrow(FilterError)
  })

  it('reads back every value that stands in quotes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), fc.constantFrom('"', "'"), (value, quote) => {
        const quoted = quote + value.replace(/[\\'"]/g, (sign) => `\\${sign}`) + quote
        expect(parseFilter(`name = ${quoted}`, TYPES)).toEqual([[{ property: 'name', operator: '=', value }]])
      }),
    )
  })

  it('either reads a text or says what is wrong with it, and nothing else', () => {
    const pieces = fc.constantFrom('name', 'code', '=', '~', '>', '&&', '||', '&', '"', "'", '\\', ' ', '1', 'x', 'null', '%', ';--')
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 20 }), (parts) => {
        try {
          parseFilter(parts.join(''), TYPES)
        } catch (error) {
          expect(error).toBeInstanceOf(FilterError)
        }
      }),
      { numRuns: 500 },
    )
  })
})

describe('a filter as SQL', () => {
  const columns: Columns = {
    id: { sql: 't.id', type: 'uuid', key: 't.id' },
    name: { sql: 't.name', type: 'string', key: 't.name' },
    code: { sql: 't.code', type: 'number' },
    createdOn: { sql: 't.created_at', type: 'date', key: 't.created_at' },
    postedOn: { sql: 't.posted_on', type: 'day', key: 't.sort_key' },
    isEnabled: { sql: 't.is_enabled', type: 'boolean' },
  }
  type Row = {
    id: string
    name: string | null
    code: number | null
    createdOn: Date | null
    isEnabled: boolean | null
    postedOn: string | null
  }
  const read = (row: Row, property: string): ListedValue => row[property as keyof Row]

  const made = databaseForTests({ migrated: false })

  beforeAll(async () => {
    await made.database.query(
      'create table t (id uuid, name text collate "C", code numeric, created_at timestamptz, is_enabled boolean, posted_on text, sort_key text)',
    )
  })

  const words = fc.constantFrom('acme', 'Acme', 'ACME inc', "o'brien", '%', '_', 'null', '', '100% "x" \\', 'é')
  const dates = fc.constantFrom('2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.001Z', '2025-12-31T23:59:59.999Z')
  const ids = fc.constantFrom('00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002')
  const days = fc.constantFrom('2026-02-28', '2026-03-01', '2026-12-31')
  const rows = fc.uniqueArray(
    fc.record({
      id: fc.oneof(ids, fc.uuid()),
      name: fc.option(words),
      code: fc.option(fc.integer({ min: -2, max: 3 })),
      createdOn: fc.option(dates.map((text) => new Date(text))),
      isEnabled: fc.option(fc.boolean()),
      postedOn: fc.option(days),
    }),
    { maxLength: 25, selector: (row) => row.id },
  )
  const wanted = fc.oneof(
    fc.record({ property: fc.constant('id'), operator: fc.constantFrom('=', '!='), value: ids }),
    fc.record({ property: fc.constant('name'), operator: fc.constantFrom('=', '!=', '~'), value: fc.option(words) }),
    fc.record({
      property: fc.constant('code'),
      operator: fc.constantFrom('=', '!=', '>', '<', '>=', '<='),
      value: fc.constantFrom('1', '-2', '0.5'),
    }),
    fc.record({
      property: fc.constant('createdOn'),
      operator: fc.constantFrom('=', '!=', '>', '<', '>=', '<='),
      value: dates.map((text) => `${text.slice(0, -1)}000Z`),
    }),
    fc.record({ property: fc.constant('postedOn'), operator: fc.constantFrom('=', '!=', '>', '<', '>=', '<='), value: days }),
    fc.record({ property: fc.constant('isEnabled'), operator: fc.constantFrom('=', '!='), value: fc.constantFrom('true', 'false', null) }),
  )
  const filters = fc.array(fc.array(wanted, { minLength: 1, maxLength: 3 }), { maxLength: 3 })
  const orders = fc.constantFrom('id', 'name', 'code', 'createdOn', 'isEnabled', 'postedOn')

  it('picks and orders the same rows as the same filter in memory, and pages neither overlap nor leave gaps', async () => {
    await fc.assert(
      fc.asyncProperty(rows, filters, orders, fc.boolean(), async (table, groups, orderBy, descending) => {
        const filter = groups.map((group) => group.filter((clause) => !(clause.operator === '~' && clause.value === null))) as Filter
        const fitting = filter.filter((group) => group.length > 0)
        await made.database.query('truncate t')
        await made.database.query(
          "insert into t select *, coalesce(posted_on, '2026-03-01') || E'\\x01x' from unnest($1::uuid[], $2::text[], $3::numeric[], $4::timestamptz[], $5::boolean[], $6::text[]) as u (id, name, code, created_at, is_enabled, posted_on)",
          [
            table.map((row) => row.id),
            table.map((row) => row.name),
            table.map((row) => row.code),
            table.map((row) => row.createdOn),
            table.map((row) => row.isEnabled),
            table.map((row) => row.postedOn),
          ],
        )
        const found: string[] = []
        for (let offset = 0; offset < Math.max(1, table.length); offset += 10) {
          const selection = { filter: fitting, orderBy, descending, limit: 10, offset }
          const values: unknown[] = []
          const condition = toCondition(selection.filter, columns, values)
          const order = toOrder(selection, columns, 't.id', values)
          const page = await made.database.query<{ id: string }>(`select t.id from t where ${condition} ${order}`, values)
          found.push(...page.rows.map((row) => row.id))
        }
        const all = { filter: fitting, orderBy, descending, limit: 1000, offset: 0 }
        expect(found).toEqual(selectInMemory(table, all, TYPES, read).items.map((row) => row.id))
      }),
      { numRuns: 60 },
    )
  })

  it('keeps every value of a caller out of the statement', () => {
    const attack = `x'); drop table t; --`
    const values: unknown[] = []
    const condition = toCondition(parseFilter(`name = "${attack}" || name ~ "${attack}"`, TYPES), columns, values)
    expect([condition.includes('drop'), values]).toEqual([false, [attack, attack]])
  })
})
