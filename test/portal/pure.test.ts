import { describe, expect, it } from 'vitest'
import { parseFilter } from '../../src/api/filter-query.ts'
import { searchFilter } from '../../src/portal/api/filters.ts'
import type { AccountingAccount } from '../../src/portal/api/types.ts'
import { growTree } from '../../src/portal/pages/connection/account-tree.ts'
import { sumByName } from '../../src/portal/pages/usage/sums.ts'

describe('the search for companies', () => {
  it.each(['Boulangerie', 'a"b', "l'Île && || ~", 'back\\slash', '\\"', 'null'])('asks for exactly %j', (words) => {
    const groups = parseFilter(searchFilter(words), { name: 'string', city: 'string', industry: 'string' })
    expect(groups.map((group) => group.map(({ value }) => value))).toEqual([[words], [words], [words]])
  })
})

describe('the usage page', () => {
  it('counts statuses that are called the same as one', () => {
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
  const account = (id: string, classSystem: string, typeSystem: string, subTypeSystem: string): AccountingAccount => ({
    ...{ id, classSystem, typeSystem, subTypeSystem, origId: id, number: id, name: id, currency: 'CAD', description: '' },
    ...{ typeApp: '', statusSystem: 'ACTIVE' },
  })

  it('holds every account once, below its class, type and subtype', () => {
    const [asset] = growTree([account('1', 'ASSET', 'BANK', 'CASH'), account('2', 'ASSET', 'BANK', ''), account('3', 'ASSET', 'FIXED', '')])
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
