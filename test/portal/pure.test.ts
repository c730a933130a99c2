import { describe, expect, it } from 'vitest'
import { parseFilter } from '../../src/api/lists/filter-query.ts'
import { companySearch, quoteValue } from '../../src/portal/api/filters.ts'
import { printPairs, readPairs } from '../../src/portal/pages/companies/pairs.ts'
import { buildTree, type ChartAccount } from '../../src/portal/pages/connection/account-tree.ts'
import { isReadable, toFilterQuery } from '../../src/portal/pages/connection/data-filter.ts'
import { sumByName } from '../../src/portal/pages/usage/sums.ts'

describe('the form of a company’s own data', () => {
  const known = { note: 'two\nlines', return: 'a\r\nb\rc', mark: 'a\u2028b', padded: '  x ', empty: '' }

  it('shows every value on one line, and reads what nobody changed as it was', () => {
    const text = printPairs(known)
    expect(text.split('\n')).toHaveLength(5)
    expect(readPairs(text, known)).toEqual(known)
    expect(readPairs(text.replaceAll('\n', '\r\n'), known)).toEqual(known)
  })

  it('changes one value without the others', () => {
    expect(readPairs(printPairs(known).replace('empty = ', 'empty = full'), known)).toEqual({ ...known, empty: 'full' })
    expect(readPairs('note = two lines', {})).toEqual({ note: 'two lines' })
  })
})

describe('the search for companies', () => {
  it.each(['Boulangerie', 'a"b', "l'Île && || ~", 'back\\slash', '\\"', 'null'])('requests exactly %j', (words) => {
    const groups = parseFilter(`name~${quoteValue(words)}`, { name: 'string' })
    expect(groups.map((group) => group.map(({ value }) => value))).toEqual([[words]])
  })

  it('takes no more words and letters than the API', () => {
    expect(companySearch('  du  Plateau ')).toBe('du Plateau')
    expect(companySearch('a '.repeat(30))).toBe('a '.repeat(10).trim())
    expect(companySearch('x'.repeat(200))).toHaveLength(150)
    expect(companySearch('')).toBe('')
  })
})

describe('the filter of records', () => {
  const NONE = { search: '', status: '', type: '', from: '', to: '', expression: '' }
  const PROPERTIES = { search: ['name', 'number'], status: 'state', type: 'kind', day: 'postedOn' }
  const TYPES = { name: 'string', number: 'string', state: 'string', kind: 'string', postedOn: 'day', a: 'string', b: 'string' } as const

  it('contains every selected part', () => {
    const filter = { search: 'x "&& y', status: 'OPEN', type: '', from: '2026-11-01', to: '2026-11-30', expression: `a="1 || 2" || b~c` }
    const groups = parseFilter(toFilterQuery(filter, PROPERTIES), TYPES)
    const chosen = [
      ['state', '=', 'OPEN'],
      ['postedOn', '>=', '2026-11-01'],
      ['postedOn', '<=', '2026-11-30'],
    ]
    expect(groups.map((group) => group.map(({ property, operator, value }) => [property, operator, value]))).toEqual([
      [['a', '=', '1 || 2'], ['name', '~', 'x "&& y'], ...chosen],
      [['a', '=', '1 || 2'], ['number', '~', 'x "&& y'], ...chosen],
      [['b', '~', 'c'], ['name', '~', 'x "&& y'], ...chosen],
      [['b', '~', 'c'], ['number', '~', 'x "&& y'], ...chosen],
    ])
  })

  it('is empty if nothing was selected', () => expect(toFilterQuery(NONE, PROPERTIES)).toBe(''))

  it.each(['a=1', 'a="1 || 2"&&b~c', "a != 'it\\'s' || b=null", ''])('%s is valid', (text) => {
    expect(isReadable(text)).toBe(true)
    expect(parseFilter(text, TYPES)).toBeDefined()
  })

  it.each(['caisse', 'a=', 'a="1', 'a=1 &&', 'a=1 || ', '|| a=1', '=1', 'a="1" b=2'])('%s is not', (text) => {
    expect(isReadable(text)).toBe(false)
    expect(() => parseFilter(text, TYPES)).toThrow()
  })
})

describe('the usage page', () => {
  it('counts statuses of the same name as one', () => {
    const names: Record<number, string> = { 8: 'Ended', 15: 'Up to date', 19: 'Up to date' }
    const counts = [
      { statusCode: 8, count: 1 },
      { statusCode: 15, count: 4 },
      { statusCode: 19, count: 3 },
    ]
    expect(sumByName(counts, (code) => names[code] ?? '')).toEqual([
      { statusCode: 8, count: 1 },
      { statusCode: 15, count: 7 },
    ])
  })
})

describe('the chart of accounts', () => {
  const account = (id: string, classSystem: string, typeSystem: string, subTypeSystem: string): ChartAccount => {
    return { id, number: id, name: id, classSystem, typeSystem, subTypeSystem }
  }

  it('contains every account once, below its class, type and subtype', () => {
    const [asset] = buildTree([
      account('1', 'ASSET', 'BANK', 'CASH'),
      account('2', 'ASSET', 'BANK', ''),
      account('3', 'ASSET', 'FIXED', ''),
    ])
    expect(asset?.count).toBe(3)
    expect(asset?.branches.map(({ name, count }) => [name, count])).toEqual([
      ['BANK', 2],
      ['FIXED', 1],
    ])
    expect(asset?.branches[0]?.branches.map(({ name, accounts }) => [name, accounts.map(({ id }) => id)])).toEqual([
      ['CASH', ['1']],
      ['—', ['2']],
    ])
  })
})
