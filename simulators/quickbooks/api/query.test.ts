import { describe, expect, test } from 'vitest'
import { parseQuery, QueryError } from './query.ts'
import { selectRows } from './selection.ts'

const ROWS = [
  {
    Id: '1',
    Name: "L'Atelier",
    Active: true,
    AccountType: 'Bank',
    CurrentBalance: 12.5,
    MetaData: { LastUpdatedTime: '2026-06-01T00:00:00-07:00' },
  },
  {
    Id: '2',
    Name: 'Loyer',
    Active: false,
    AccountType: 'Expense',
    CurrentBalance: 0,
    MetaData: { CreateTime: '2026-06-20T00:00:00-07:00' },
  },
  {
    Id: '10',
    Name: 'Loans',
    Active: true,
    AccountType: 'Bank',
    CurrentBalance: -3,
    MetaData: { LastUpdatedTime: '2026-01-01T00:00:00-08:00' },
  },
]

function ids(where: string): string {
  return selectRows(parseQuery(`select * from Account ${where}`), ROWS)
    .map(({ Id }) => Id)
    .join(' ')
}

function codeOf(query: string): string {
  try {
    selectRows(parseQuery(query), ROWS)
  } catch (error) {
    return error instanceof QueryError ? error.code : String(error)
  }
  return 'no error'
}

describe('the query language', () => {
  test('reads a full statement in any letter case', () => {
    expect(
      parseQuery(
        "Select * From Account Where Active IN (true, false) and Name like 'L%' OrderBy Name desc, Id StartPosition 11 MaxResults 10",
      ),
    ).toEqual({
      entity: 'Account',
      count: false,
      properties: null,
      conditions: [
        { property: 'Active', operator: 'IN', values: ['true', 'false'] },
        { property: 'Name', operator: 'LIKE', values: ['L%'] },
      ],
      order: [
        { property: 'Name', descending: true },
        { property: 'Id', descending: false },
      ],
      startPosition: 11,
      maxResults: 10,
    })
  })

  test.each([
    ['', '1 10'],
    ['where Active in (true, false)', '1 2 10'],
    ['where Active = false', '2'],
    ["where Name = 'L\\'Atelier'", '1'],
    ["where Name like 'Lo%' and Active in (true,false)", '2 10'],
    ["where CurrentBalance > '0'", '1'],
    ["where Id >= '2' and Active in (true,false)", '2 10'],
    ["where MetaData.LastUpdatedTime >= '2026-06-01T00:00:00Z' and Active in (true,false)", '1 2'],
    ['orderby Id desc', '10 1'],
    ['order by Name', '1 10'],
  ])('"%s" selects %s', (where, found) => {
    expect(ids(where)).toBe(found)
  })

  test.each([
    ['select', '4000'],
    ['delete from Account', '4000'],
    ['select * from Account where', '4000'],
    ["select * from Account where Name ~ 'x'", '4000'],
    ['select * from Account maxresults ten', '4000'],
    ['select * from Account; drop', '4000'],
    ['select * from Account maxresults 1001', '4001'],
    ['select * from Account startposition 0', '4001'],
    ["select * from Account where Colour = 'red'", '4001'],
  ])('refuses "%s" with code %s', (query, code) => {
    expect(codeOf(query)).toBe(code)
  })
})
