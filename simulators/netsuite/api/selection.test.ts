import { describe, expect, test } from 'vitest'
import { type Database, selectRows } from './selection.ts'
import { parseSql, SqlError } from './sql.ts'

const DATABASE: Database = {
  tables: {
    account: {
      fields: ['id', 'name', 'parent'],
      rows: [
        { id: '9', name: 'Café', parent: null },
        { id: '10', name: "Dr. O'Neill", parent: '9' },
        { id: '-5', name: 'System', parent: null },
      ],
    },
    line: {
      fields: ['account', 'day', 'amount', 'entity'],
      rows: [
        { account: '9', day: '2026-05-03', amount: '12.50', entity: '7' },
        { account: '9', day: '2026-06-30', amount: null, entity: null },
      ],
    },
  },
  display: (_field, value) => (value === null ? null : `entity ${value}`),
}

function run(sql: string): Record<string, string>[] {
  return selectRows(parseSql(sql), DATABASE)
}

describe('a query', () => {
  test('orders ids as numbers and omits empty fields', () => {
    expect(run('SELECT id, parent FROM account ORDER BY id')).toEqual([{ id: '-5' }, { id: '9' }, { id: '10', parent: '9' }])
  })

  test.each([
    ["name = 'Dr. O''Neill'", ['10']],
    ['id > -1 AND parent IS NULL', ['9']],
    ["id = -5 OR (id >= 10 AND name <> 'x')", ['-5', '10']],
    ['id IN (9, 10)', ['9', '10']],
    ['parent IS NOT NULL', ['10']],
    ['parent < 100', ['10']],
  ])('WHERE %s finds %j', (where, ids) => {
    expect(run(`SELECT id FROM account WHERE ${where} ORDER BY id`).map(({ id }) => id)).toEqual(ids)
  })

  test('joins, and an outer join keeps rows without a match', () => {
    const from = 'FROM account a LEFT OUTER JOIN line l ON l.account = a.id WHERE a.id > 0 ORDER BY a.id, l.day'
    expect(run(`SELECT a.id, l.amount ${from}`)).toEqual([{ id: '9', amount: '12.50' }, { id: '9' }, { id: '10' }])
    expect(run(`SELECT a.id ${from.replace('LEFT OUTER', 'INNER')}`)).toHaveLength(2)
  })

  test('returns a day in the user’s format unless TO_CHAR is used', () => {
    const [row] = run(
      "SELECT day, TO_CHAR(day, 'YYYY-MM-DD') AS iso, BUILTIN.DF(entity) AS who FROM line WHERE day < TO_DATE('2026-06-01', 'YYYY-MM-DD')",
    )
    expect(row).toEqual({ day: '5/3/2026', iso: '2026-05-03', who: 'entity 7' })
  })

  test('counts', () => {
    expect(run('SELECT COUNT(*) AS accounts FROM account')).toEqual([{ accounts: '3' }])
  })

  test.each([
    ['SELECT id FROM spaceship', /Record 'spaceship' was not found/],
    ['SELECT iban FROM account', /Field 'iban' for record 'account' was not found/],
    ['SELECT id FROM account WHERE iban = 1', /Field 'iban'/],
    ['SELECT id FROM account GROUP BY id', /Invalid or unsupported search/],
    ['DELETE FROM account', /Invalid or unsupported search/],
    ['SELECT id FROM account WHERE id', /ends too early/],
    ['SELECT id FROM account; x', /Invalid or unsupported search/],
  ])('%s is refused', (sql, message) => {
    expect(() => run(sql)).toThrow(SqlError)
    expect(() => run(sql)).toThrow(message)
  })
})
