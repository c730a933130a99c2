import { readFileSync } from 'node:fs'
import { Value } from 'typebox/value'
import { describe, expect, it } from 'vitest'
import { type Answers, type EntityMapping, SourceError, type SourceItem } from '../contract/contract.ts'
import type { MapContext } from '../contract/mapping.ts'
import { settle } from './balance.ts'
import { hledgerConnector } from './client.ts'
import { readBooks } from './read.ts'
import type { AmountWire } from './wire.ts'

const books: Answers = { names: fixture('accountnames'), accounts: fixture('accounts'), transactions: fixture('transactions') }

describe('accounts of hledger', () => {
  it.each([
    ['actifs:banque:compte chèques Desjardins', 'ASSET', 'BANK', 'CAD'],
    ['passifs', 'LIABILITY', 'OTHER_LIABILITY', 'CAD'],
    ['passifs:prêt BDC', 'LIABILITY', 'OTHER_LIABILITY', ''],
    ['capitaux propres:conversion', 'EQUITY', 'EQUITY', ''],
    ['revenus:gros:hôtels', 'INCOME', 'INCOME', 'CAD'],
    ['dépenses:matières premières:farine', 'EXPENSE', 'EXPENSE', 'CAD'],
    ['dépenses:Hydro-Québec', 'EXPENSE', 'EXPENSE', ''],
    ['actifs:banque:compte en dollars américains', 'ASSET', 'BANK', 'USD'],
  ])('give %s its declared class, and the currency that it is mostly in', (origId, classSystem, typeSystem, currency) => {
    expect(recordOf(books, origId)).toMatchObject({ classSystem, typeSystem, currency, statusSystem: 'ACTIVE' })
  })

  it.each([
    ['assets', 'ASSET', 'OTHER_ASSET'],
    ['Assets:Bank:Checking', 'ASSET', 'BANK'],
    ['assets:equipment', 'ASSET', 'OTHER_ASSET'],
    ['debts:visa', 'LIABILITY', 'OTHER_LIABILITY'],
    ['liabilities:payable', 'LIABILITY', 'OTHER_LIABILITY'],
    ['equity:opening', 'EQUITY', 'EQUITY'],
    ['Revenue:sales', 'INCOME', 'INCOME'],
    ['income', 'INCOME', 'INCOME'],
    ['expenses:rent', 'EXPENSE', 'EXPENSE'],
  ])('take the English name %s as hledger does', (name, classSystem, typeSystem) => {
    expect(recordOf(chartOf([name]), name)).toMatchObject({ classSystem, typeSystem })
  })

  it.each(['actifs:banque', 'passifs', 'assetsX', 'my assets'])('count the name %s as unknown where nothing is declared', (name) => {
    const [item] = [...readBooks(chartOf([name]))]
    expect(item && mapItem(item)).toMatchObject({
      record: { classSystem: 'UNKNOWN', typeSystem: 'OTHER' },
      unmapped: [['classSystem', name.split(':')[0]]],
    })
  })

  it('prefer a declaration, their own or the nearest of a parent, to a name', () => {
    const accounts = [
      { aname: 'assets', adeclarationinfo: { aditags: [['type', 'Liability']] } },
      { aname: 'assets:a', adeclarationinfo: null },
    ]
    const answers = { ...chartOf(['assets', 'assets:a', 'assets:a:b']), accounts: encode(accounts) }
    expect([...readBooks(answers)].map((item) => mapItem(item).record.classSystem)).toEqual(['LIABILITY', 'LIABILITY', 'LIABILITY'])
  })

  it('do not mistake a tag on a posting for the declaration of its account', () => {
    const posting = {
      paccount: 'dépenses:farine',
      pcomment: 'type: achat',
      ptags: [
        ['type', 'achat'],
        ['type', 'X'],
      ],
    }
    const answers = { ...chartOf(['dépenses:farine']), transactions: encode([entryOf([{ ...posting, pamount: [] }])]) }
    expect(recordOf(answers, 'dépenses:farine')).toMatchObject({ classSystem: 'EXPENSE', typeApp: 'X' })
  })

  it.each([
    ['CAD', 'CAD', []],
    ['€', 'EUR', []],
    ['US$', 'USD', []],
    ['$', '', [['currency', '$']]],
    ['kg', '', [['currency', 'kg']]],
    ['gel', '', [['currency', 'gel']]],
  ])('read the commodity %s as the currency "%s"', (commodity, currency, unmapped) => {
    const entry = entryOf([postingOf('assets:a', [amountOf(1, 0, commodity)]), postingOf('assets:b', [amountOf(-1, 0, commodity)])])
    const [item] = [...readBooks({ ...chartOf(['assets:a']), transactions: encode([entry]) })]
    expect(item && mapItem(item)).toMatchObject({ record: { currency }, unmapped })
  })
})

describe('the currency that the owner names for $', () => {
  const entry = entryOf([postingOf('assets:a', [amountOf(1, 0, '$')]), postingOf('assets:b', [amountOf(-1, 0, '$')])])
  const answers = { ...chartOf(['assets:a']), transactions: encode([entry]) }
  const readWith = (more: Record<string, Uint8Array>) =>
    [...readBooks({ ...answers, ...more })].map((item) => mapItem(item).record.currency)

  it('is the currency of accounts and lines in $', () => {
    expect(readWith({ settings: encode({ dollar: 'CAD' }) })).toEqual(['CAD', 'CAD', 'CAD'])
  })

  it.each([
    ['nothing was said', { settings: encode({ dollar: '' }) }],
    ['the page is from before it was asked', {}],
  ])('is empty where %s', (_case, more) => {
    expect(readWith(more)).toEqual(['', '', ''])
  })
})

describe('entries of hledger', () => {
  const all = [...readBooks(books)].filter((item) => item.entity === 'Transactions')
  const lines = all.filter((item) => 'wire' in item)

  it('fit the wire schema as they come from the server', () => {
    for (const item of lines) expect('wire' in item && Value.Errors(entityOf(item).wire, item.wire)).toEqual([])
  })

  it('keep two entries apart that look the same', () => {
    const flour = lines.map((item) => mapItem(item).record).filter((line) => line.document === 'FA-1187' && line.debit !== null)
    expect(flour).toMatchObject([{ debit: '1846.4' }, { debit: '92.32' }])
    expect(flour[1]?.entryId).toBe(`${flour[0]?.entryId}-2`)
  })

  it('split payee from note and keep the whole description', () => {
    const line = lines.map((item) => mapItem(item).record).find((record) => record.document === 'C-88')
    expect(line).toMatchObject({
      postedOn: '2026-01-09',
      description: 'Hôtel Gault | viennoiseries de la semaine',
      counterparty: 'Hôtel Gault',
      debit: '640',
      credit: null,
      currency: 'CAD',
    })
  })

  it('set aside postings in parentheses, which balance with nothing, and keep the rest of their entries', () => {
    expect(all.flatMap((item) => ('unreadable' in item ? [item.unreadable] : []))).toEqual([
      'a posting in parentheses, which balances with nothing',
    ])
    const accounts = lines.map((item) => mapItem(item).record.accountOrigId)
    expect(accounts).not.toContain('budget:four')
    expect(accounts).toContain('dépenses:entretien du four')
  })

  it('set aside an entry of unknown shape and read the others', () => {
    const good = entryOf([postingOf('assets:a', [amountOf(1, 0, 'CAD')]), postingOf('assets:b', [amountOf(-1, 0, 'CAD')])])
    const items = [...readBooks({ ...chartOf([]), transactions: encode([{ tindex: 1 }, good]) })]
    expect(items.map((item) => ('unreadable' in item ? item.unreadable : 'read'))).toEqual(['read', 'read', 'an entry of unknown shape'])
  })

  it.each([['names'], ['accounts'], ['transactions']])('never come from an answer "%s" that is cut, HTML, empty or no list', (name) => {
    for (const body of ['[{"tdate":"2026', '<!doctype html>', '', '{}']) {
      expect(() => [...readBooks({ ...books, [name]: new TextEncoder().encode(body) })]).toThrow(SourceError)
    }
  })
})

describe('balancing', () => {
  it.each<[string, AmountWire[], string[]]>([
    ['a unit cost', [amountOf(10000, 2, 'USD', ['UnitPrice', 135, 2]), amountOf(-13500, 2, 'CAD')], ['135 CAD', '-135 CAD']],
    ['a total cost that bears a sign', [amountOf(-7, 0, 'USD', ['TotalPrice', -91, 1]), amountOf(91, 1, 'CAD')], ['-9.1 CAD', '9.1 CAD']],
    ['a total cost that bears none', [amountOf(-7, 0, 'USD', ['TotalCost', 91, 1]), amountOf(91, 1, 'CAD')], ['-9.1 CAD', '9.1 CAD']],
    ['no cost in each commodity', [amountOf(1, 0, 'USD'), amountOf(-1, 0, 'USD')], ['1 USD', '-1 USD']],
    [
      '18 digits',
      [amountOf('123456789012345678', 2, 'CAD'), amountOf('-123456789012345678', 2, 'CAD')],
      ['1234567890123456.78 CAD', '-1234567890123456.78 CAD'],
    ],
    ['a rounded cost', [amountOf(10, 0, 'USD', ['UnitPrice', 137131, 5]), amountOf(-1371, 2, 'CAD')], ['13.71 CAD', '-13.71 CAD']],
  ])('gives values that add up to nothing for %s', (_case, amounts, expected) => {
    const values = settle(amounts)
    expect(Array.isArray(values) ? values.map(({ quantity, commodity }) => `${quantity} ${commodity}`) : values).toEqual(expected)
  })

  it.each<[string, AmountWire[], string]>([
    ['two commodities without a cost', [amountOf(1, 0, 'USD'), amountOf(-1, 0, 'CAD')], 'no cost is given'],
    ['a cent too much', [amountOf(100, 2, 'CAD'), amountOf(-99, 2, 'CAD')], 'does not balance'],
    ['a wrong cost', [amountOf(1, 0, 'USD', ['UnitPrice', 2, 0]), amountOf(-100, 2, 'CAD')], 'at cost'],
  ])('refuses %s with the reason', (_case, amounts, reason) => {
    expect(settle(amounts)).toMatchObject({ reason: expect.stringContaining(reason) })
  })
})

function amountOf(mantissa: number | string, places: number, commodity: string, cost?: [string, number, number]): AmountWire {
  const aquantity = { decimalMantissa: mantissa, decimalPlaces: places }
  if (!cost) return { acommodity: commodity, aquantity }
  const contents = { acommodity: 'CAD', aquantity: { decimalMantissa: cost[1], decimalPlaces: cost[2] } }
  return { acommodity: commodity, aquantity, aprice: { tag: cost[0], contents } }
}

function postingOf(paccount: string, pamount: AmountWire[]) {
  return { paccount, pamount, pcomment: '', ptags: [], ptype: 'RegularPosting', pdate: null }
}

function entryOf(postings: Record<string, unknown>[]) {
  const tpostings = postings.map((posting) => ({ ptype: 'RegularPosting', pdate: null, ...posting }))
  return { tdate: '2026-01-05', tdate2: null, tcode: '', tdescription: '', tpostings }
}

function chartOf(names: string[]): Answers {
  return { names: encode(names), accounts: encode([]), transactions: encode([]) }
}

function encode(value: unknown): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value))
}

function fixture(name: string): Uint8Array {
  return readFileSync(new URL(`./fixtures/${name}.json`, import.meta.url))
}

function recordOf(answers: Answers, origId: string): Record<string, unknown> | undefined {
  const item = [...readBooks(answers)].find((each) => each.origId === origId)
  return item && mapItem(item).record
}

function entityOf(item: SourceItem): EntityMapping {
  const entity = hledgerConnector.entities[item.entity]
  if (!entity) throw new Error('no such entity')
  return entity
}

function mapItem(item: SourceItem) {
  if (!('wire' in item)) throw new Error('not a record')
  const unmapped: [string, string][] = []
  const context: MapContext = { fetchedAt: new Date(0), unmapped: (field, word) => unmapped.push([field, word]) }
  const record: Record<string, unknown> = {}
  for (const [name, read] of Object.entries(entityOf(item).map.fields)) record[name] = read(item.wire, context)
  return { record, unmapped }
}
