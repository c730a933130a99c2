import { describe, expect, it } from 'vitest'
import { databaseForTests } from '../../../../test/harness/for-tests.ts'
import {
  absentLast,
  type Clause,
  type Columns,
  checkBound,
  countBounded,
  type Filter,
  isTooLarge,
  ListTooLarge,
  type Selection,
  toCondition,
  toOrder,
  type WholeList,
} from '../list-selection.ts'
import { toPage } from './list-page.ts'

const test = databaseForTests()

/** Rows with values, absent ones, and several with the same. */
const FROM = `from (values
    (1, 'Ana', 'x', 10.5, timestamptz '2026-11-20T12:00:00.123456Z', '2026-11-20', true, 2),
    (2, 'ben', 'y', 9, timestamptz '2026-11-20T12:00:00.124Z', '2026-11-21', false, 1),
    (3, 'Élo', 'x', 10.50, timestamptz '2026-12-31T23:59:59.999Z', '2026-12-31', null, 1),
    (4, null, 'z', null, null, null, true, null),
    (5, 'a.b', 'y', 11, timestamptz '2027-01-01T00:00:00Z', '2027-01-01', false, 2)
  ) as r (id, name, kind, amount, at, day, flag, code) where $1::text is not null`

const COLUMNS: Columns = {
  id: { sql: 'r.id', type: 'number', isNeverNull: true },
  name: { sql: 'r.name', type: 'string', texts: 'n', order: absentLast('r.name') },
  kind: { sql: 'r.kind', type: 'string', key: 'r.kind', thenBy: 'r.amount' },
  amount: { sql: 'r.amount', type: 'number' },
  at: { sql: 'r.at', type: 'date', key: 'r.at' },
  plainAt: { sql: 'r.at', type: 'date' },
  day: { sql: 'r.day', type: 'day', key: 'r.day' },
  flag: { sql: 'r.flag', type: 'boolean' },
  code: {
    sql: `case r.code when 1 then 'one' when 2 then 'two' end`,
    type: 'string',
    key: 'r.code',
    toCode: (value) => (value === 'one' ? 1 : value === 'two' ? 2 : -1),
  },
  present: { sql: 'r.name', type: 'string', present: 'r.name is not null' },
  'meta.*': { sql: `(json_build_object('k', r.kind, 'a.b', r.name) ->> $name)`, type: 'string' },
}
const clause = (property: string, operator: Clause['operator'], value: string | null): Clause => ({ property, operator, value })

async function matches(filter: Filter): Promise<string> {
  const values: unknown[] = ['instance']
  const { rows } = await test.database.query<{ id: number }>(
    `select r.id ${FROM} and ${toCondition(filter, COLUMNS, values)} order by r.id`,
    values,
  )
  return rows.map(({ id }) => id).join('')
}

describe('a filter', () => {
  it.each<[string, Clause['operator'], string | null, string]>([
    ['name', '=', 'Ana', '1'],
    ['name', '=', 'ana', ''],
    ['name', '!=', 'Ana', '2345'],
    ['name', '~', 'A', '15'],
    ['name', '~', 'el', '3'],
    ['kind', '~', 'X', '13'],
    ['kind', '~', 'x', '13'],
    ['name', '~', 'q', ''],
    ['name', '=', null, '4'],
    ['name', '!=', null, '1235'],
    ['kind', '=', 'x', '13'],
    ['kind', '!=', 'x', '245'],
    ['kind', '>', 'x', '245'],
    ['kind', '<=', 'x', '13'],
    ['amount', '=', '10.5', '13'],
    ['amount', '>', '10.5', '5'],
    ['amount', '<', '10.5', '2'],
    ['amount', '!=', '9', '1345'],
    ['amount', '=', null, '4'],
    // Instants are printed, and compared, in milliseconds.
    ['at', '=', '2026-11-20T12:00:00.123000Z', '1'],
    ['at', '>', '2026-11-20T12:00:00.123000Z', '235'],
    ['at', '>=', '2026-11-20T12:00:00.124000Z', '235'],
    ['at', '<=', '2026-11-20T12:00:00.123000Z', '1'],
    ['at', '<', '2026-11-20T12:00:00.124000Z', '1'],
    ['at', '!=', '2026-11-20T12:00:00.123000Z', '2345'],
    ['at', '=', null, '4'],
    ['plainAt', '=', '2026-11-20T12:00:00.123000Z', '1'],
    ['plainAt', '<=', '2026-11-20T12:00:00.123000Z', '1'],
    ['day', '=', '2026-12-31', '3'],
    ['day', '<=', '2026-12-31', '123'],
    ['day', '<', '2026-12-31', '12'],
    ['day', '>', '2026-12-31', '5'],
    ['day', '>=', '2026-12-31', '35'],
    ['day', '!=', null, '1235'],
    ['flag', '=', 'true', '14'],
    ['flag', '!=', 'true', '235'],
    ['code', '=', 'one', '23'],
    ['code', '=', 'unknown', ''],
    ['code', '!=', 'one', '145'],
    ['code', '>', 'one', '15'],
    ['code', '~', 'T', '15'],
    ['code', '=', null, '4'],
    ['present', '=', 'ben', '2'],
    ['present', '!=', 'ben', '1345'],
    ['present', '!=', null, '1235'],
    ['present', '=', null, '4'],
    ['meta.k', '=', 'z', '4'],
    ['meta.a.b', '=', 'ben', '2'],
    ['meta.none', '=', null, '12345'],
  ])('%s %s %s matches the rows %4$s', async (property, operator, value, expected) => {
    expect(await matches([[clause(property, operator, value)]])).toBe(expected)
  })

  it('matches where all clauses of any group do, and everything where there is none', async () => {
    const [x, ten, y] = [clause('kind', '=', 'x'), clause('name', '~', 'ana'), clause('kind', '=', 'y')]
    expect([await matches([]), await matches([[x, ten]]), await matches([[x, ten], [y]]), await matches([[x], [y]])]).toEqual([
      '12345',
      '1',
      '125',
      '1235',
    ])
  })

  it('and an order know only the properties of the list', async () => {
    for (const name of ['other', 'meta', 'name.member', 'constructor'])
      expect(() => toCondition([[clause(name, '=', 'a')]], COLUMNS, [])).toThrow(`the list has no property ${name}`)
  })
})

describe('a page', () => {
  const select = (other: Partial<Selection>): Selection => ({ filter: [], orderBy: 'id', descending: false, limit: 9, offset: 0, ...other })
  const read = async (sql: string, values: unknown[]) =>
    (await test.database.query<{ id: number }>(`select r.id ${sql}`, values)).rows.map(({ id }) => id).join('')
  const order = async (other: Partial<Selection>) => {
    const values: unknown[] = ['instance']
    return await read(`${FROM} ${toOrder(select(other), COLUMNS, 'r.id', values)}`, values)
  }

  it.each<[Partial<Selection>, string]>([
    [{}, '12345'],
    [{ descending: true }, '54321'],
    [{ limit: 2, offset: 1 }, '23'],
    [{ orderBy: 'amount' }, '21354'],
    [{ orderBy: 'amount', descending: true }, '53124'],
    // Of one kind by amount, and of one amount by id.
    [{ orderBy: 'kind' }, '13254'],
    [{ orderBy: 'kind', descending: true }, '45231'],
    [{ orderBy: 'meta.k' }, '13254'],
    [{ orderBy: 'flag' }, '25143'],
  ])('%j is in order, absent values last: %s', async (other, expected) => expect(await order(other)).toBe(expected))

  const PARTS: Columns = {
    ...COLUMNS,
    kind: {
      ...{ sql: 'r.kind', type: 'string', thenBy: 'r.amount' },
      order: { kind: 'parts', isLastFixed: false, parts: ['x', 'y', 'z'].map((kind) => ({ condition: `r.kind = '${kind}'` })) },
    },
    code: {
      ...{ sql: 'r.code', type: 'number' },
      order: { kind: 'groups', groups: '(values (1, 1), (2, 2)) as g (rank, key)', keyOf: 'r.code' },
    },
  }
  const page = async (columns: Columns, total: number, other: Partial<Selection>) => {
    const values: unknown[] = ['instance']
    return await read(toPage({ from: FROM, columns, tieBreak: 'r.id', total: { total, hasMore: false } }, select(other), values), values)
  }

  it.each<[Partial<Selection>, string]>([
    [{ orderBy: 'name', limit: 9 }, '51234'],
    [{ orderBy: 'kind' }, '13254'],
    [{ orderBy: 'kind', descending: true }, '45231'],
    [{ orderBy: 'kind', limit: 2, offset: 1 }, '32'],
    [{ orderBy: 'kind', limit: 2, offset: 3 }, '54'],
    [{ orderBy: 'kind', descending: true, limit: 2 }, '45'],
    [{ orderBy: 'code', limit: 2 }, '23'],
    [{ orderBy: 'code', limit: 2, offset: 1 }, '31'],
    [{ orderBy: 'code', descending: true, limit: 3 }, '513'],
    [{ orderBy: 'amount', limit: 2 }, '21'],
  ])('%j is the same read from several indexes', async (other, expected) => {
    const inOrder = async (total: number) => await page(PARTS, total, other)
    const sorted = await inOrder(500)
    expect(await inOrder(501)).toBe(sorted)
    if (other.orderBy !== 'name') expect(sorted).toBe(expected)
  })

  it('with absent values last has them last in both directions', async () => {
    for (const descending of [false, true])
      for (const [limit, offset] of [
        [9, 0],
        [1, 4],
        [2, 3],
        [2, 0],
      ] as const) {
        const other = { orderBy: 'name', descending, limit, offset }
        expect(await page(COLUMNS, 501, other)).toBe(await page(COLUMNS, 500, other))
      }
    expect((await page(COLUMNS, 501, { orderBy: 'name', descending: true })).at(-1)).toBe('4')
  })

  it('of a filtered list is sorted as a whole', async () => {
    const values: unknown[] = ['instance']
    const selection = select({ orderBy: 'kind', filter: [[clause('kind', '=', 'x')]] })
    const sql = toPage({ from: FROM, columns: PARTS, tieBreak: 'r.id', total: { total: 501, hasMore: false } }, selection, values)
    expect([sql.includes('part_0'), await read(sql, values)]).toEqual([false, '13254'])
  })
})

describe('a count', () => {
  it.each([
    [0, 0, false],
    [10_000, 10_000, false],
    [10_001, 10_000, true],
    [10_005, 10_000, true],
  ])('of %d rows is %d, and there are more: %s', async (rows, total, hasMore) => {
    expect(await countBounded(test.database, 'from generate_series(1, $1::int)', [rows])).toEqual({ total, hasMore })
  })
})

describe('a list', () => {
  const list = (count: number): WholeList => ({
    ...{ from: `from generate_series(1, ${count}) r (id) where $1::text is not null`, instanceId: 'instance', range: 'createdOn' },
    columns: {
      id: { sql: 'r.id', type: 'number', key: 'r.id', isNeverNull: true },
      plain: { sql: 'r.id', type: 'number' },
      ordered: { sql: 'r.id', type: 'number', order: absentLast('r.id') },
      present: { sql: 'r.id', type: 'number', present: 'r.id is not null' },
      code: { sql: 'r.id', type: 'number', key: 'r.id', toCode: Number },
    },
  })
  const check = (filter: Filter, orderBy: string, count = 100_001) =>
    checkBound(test.database, { filter, orderBy }, list(count)).then(
      () => 'read',
      (error: unknown) => (error instanceof ListTooLarge && error.range === 'createdOn' ? error.parameter : error),
    )

  it.each([
    [100_000, false],
    [100_001, true],
  ])('of %d rows is too large to be looked at: %s', async (count, expected) => {
    expect(await isTooLarge(test.database, list(count))).toBe(expected)
    expect(await isTooLarge(test.database, list(count), [[clause('id', '>', '5')]])).toBe(false)
    expect([await check([], 'plain', count), await check([], 'id', count)]).toEqual([expected ? 'OrderBy' : 'read', 'read'])
  })

  it.each<[string, Filter, string, string]>([
    ['an order from several indexes', [], 'ordered', 'read'],
    ['that order with a filter', [[clause('id', '>', '5')]], 'ordered', 'read'],
    ['that order with a wide filter', [[clause('id', '>', '0')]], 'ordered', 'OrderBy'],
    ['a filter without an index', [[clause('plain', '=', '5')]], 'id', 'FilterQuery'],
    ['a filter with an index', [[clause('id', '=', '5')]], 'id', 'read'],
    ['both', [[clause('plain', '=', '5'), clause('id', '<', '9')]], 'id', 'read'],
    ['either', [[clause('plain', '=', '5')], [clause('id', '<', '9')]], 'id', 'FilterQuery'],
    ['a wide range and another', [[clause('plain', '=', '5'), clause('id', '>', '0')]], 'id', 'FilterQuery'],
    ['what an index does not find', [[clause('id', '!=', '5')]], 'id', 'FilterQuery'],
    ['an absent value', [[clause('id', '=', null)]], 'id', 'FilterQuery'],
    ['a value that is there', [[clause('present', '=', '5')]], 'id', 'read'],
    ['any value', [[clause('present', '!=', null)]], 'id', 'read'],
    ['another value', [[clause('present', '!=', '5')]], 'id', 'FilterQuery'],
    ['no value', [[clause('present', '=', null)]], 'id', 'FilterQuery'],
    ['a code', [[clause('code', '=', '5')]], 'id', 'read'],
    ['a range of codes', [[clause('code', '>', '5')]], 'id', 'FilterQuery'],
  ])('is bounded by its indexes: %s', async (_which, filter, orderBy, expected) => expect(await check(filter, orderBy)).toBe(expected))
})
