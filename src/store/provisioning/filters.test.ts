import { describe, expect, it } from 'vitest'
import { type Comparison, type FilterColumns, type FilterValue, InvalidFilter, type ScimFilter, toFilterSql, toNameKey } from './filters.ts'

const COLUMNS: FilterColumns = {
  username: { sql: 'u.name', type: 'text', equals: 'u.name_key = :value or u.mail_key = :value' },
  title: { sql: 'u.title', type: 'text' },
  externalid: { sql: 's.external_id', type: 'exact', equals: 's.external_id = :value' },
  id: { sql: 'u.id', type: 'exact', isEqualsOnly: true, equals: 'u.id::text = :value' },
  code: { sql: 'u.code', type: 'exact' },
  active: { sql: 'u.active', type: 'boolean' },
  created: { sql: 'u.created_at', type: 'date' },
}
const compare = (attribute: string, operator: Comparison, value: FilterValue): ScimFilter => ({
  kind: 'compare',
  attribute,
  operator,
  value,
})
function sqlOf(filter: ScimFilter): [string, unknown[]] {
  const values: unknown[] = ['before']
  return [toFilterSql(filter, COLUMNS, values), values.slice(1)]
}

describe('the condition of a filter', () => {
  it.each<[ScimFilter, string, unknown[]]>([
    [compare('username', 'eq', 'Ånn'), '(u.name_key = $2::text or u.mail_key = $2::text)', ['ånn']],
    [compare('username', 'ne', 'Ann'), '(lower(u.name) is distinct from lower($2::text))', ['Ann']],
    [compare('title', 'eq', 'CFO'), '(lower(u.title) = lower($2::text))', ['CFO']],
    [compare('title', 'co', '%'), '(strpos(lower(u.title), lower($2::text)) > 0)', ['%']],
    [compare('title', 'sw', 'C'), 'starts_with(lower(u.title), lower($2::text))', ['C']],
    [compare('title', 'ew', 'O'), '(right(lower(u.title), length(lower($2::text))) = lower($2::text))', ['O']],
    [compare('externalid', 'eq', 'E1'), '(s.external_id = $2::text)', ['E1']],
    [compare('code', 'gt', 'a'), '(u.code > $2::text)', ['a']],
    [compare('code', 'ge', 'a'), '(u.code >= $2::text)', ['a']],
    [compare('code', 'lt', 'a'), '(u.code < $2::text)', ['a']],
    [compare('code', 'le', 'a'), '(u.code <= $2::text)', ['a']],
    [compare('code', 'co', 'a'), '(strpos(u.code, $2::text) > 0)', ['a']],
    [compare('id', 'eq', 'x'), '(u.id::text = $2::text)', ['x']],
    [compare('active', 'eq', true), '(u.active = $2::boolean)', [true]],
    [compare('active', 'ne', 'FALSE'), '(u.active is distinct from $2::boolean)', [false]],
    [compare('active', 'eq', null), '(u.active is null)', []],
    [compare('title', 'ne', null), '(u.title is not null)', []],
    [compare('created', 'ge', '2026-11-23T10:00:00Z'), '(u.created_at >= $2::timestamptz)', [new Date('2026-11-23T10:00:00Z')]],
    [compare('created', 'lt', '2026-11-23T10:00:00.5-05:00'), '(u.created_at < $2::timestamptz)', [new Date('2026-11-23T15:00:00.500Z')]],
    [compare('created', 'eq', '2026-11-23T10:00Z'), '(u.created_at = $2::timestamptz)', [new Date('2026-11-23T10:00:00Z')]],
    [{ kind: 'present', attribute: 'title' }, '(u.title is not null)', []],
    [{ kind: 'not', filter: compare('code', 'eq', 'a') }, 'not coalesce((u.code = $2::text), false)', ['a']],
  ])('%j is %s', (filter, sql, values) => {
    expect(sqlOf(filter)).toEqual([sql, values])
  })

  it.each(['and', 'or'] as const)('of two with %s between them', (kind) => {
    const filters = [compare('code', 'eq', 'a'), compare('code', 'eq', 'b')]
    expect(sqlOf({ kind, filters })).toEqual([`((u.code = $2::text) ${kind} (u.code = $3::text))`, ['a', 'b']])
  })

  it('puts no value into the statement', () => {
    const value = "'; drop table users; --$1 :value"
    const texts = (['eq', 'ne', 'co', 'sw', 'ew', 'gt'] as const).flatMap((operator) =>
      ['username', 'title', 'code'].map((attribute) => sqlOf(compare(attribute, operator, value))[0]),
    )
    expect(texts.filter((sql) => sql.includes('drop'))).toEqual([])
  })

  it.each<[string, ScimFilter]>([
    ['an attribute that is not there', compare('password', 'eq', 'x')],
    ['an attribute of every object', { kind: 'present', attribute: 'constructor' }],
    ['an id by its beginning', compare('id', 'sw', 'x')],
    ['null by size', compare('title', 'gt', null)],
    ['null by its beginning', compare('title', 'sw', null)],
    ['a truth by size', compare('active', 'gt', true)],
    ['a truth by a text', compare('active', 'eq', 'yes')],
    ['a truth by a number', compare('active', 'eq', 1)],
    ['a text by a number', compare('title', 'eq', 7)],
    ['a text by a truth', compare('code', 'eq', true)],
    ['a time by its beginning', compare('created', 'sw', '2026')],
    ['a time by a day', compare('created', 'eq', '2026-11-23')],
    ['a time without a zone', compare('created', 'eq', '2026-11-23T10:00:00')],
    ['a time that does not exist', compare('created', 'eq', '2026-13-23T10:00:00Z')],
    ['a time with something before it', compare('created', 'eq', ' 2026-11-23T10:00:00Z')],
    ['a time with something behind it', compare('created', 'eq', '2026-11-23T10:00:00Z ')],
    ['a time before 1970', compare('created', 'eq', '1969-12-31T23:59:59Z')],
  ])('is refused for %s', (_what, filter) => {
    expect(() => sqlOf(filter)).toThrow(InvalidFilter)
  })

  it('takes the first moment of 1970', () => {
    expect(sqlOf(compare('created', 'eq', '1970-01-01T00:00:00Z'))[1]).toEqual([new Date(0)])
  })
})

it('names are compared without regard to capitals and forms of Unicode', () => {
  expect(toNameKey('E\u0301TIENNE')).toBe('\u00e9tienne')
})
