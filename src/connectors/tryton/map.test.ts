import { readFileSync } from 'node:fs'
import { Value } from 'typebox/value'
import { describe, expect, it } from 'vitest'
import { type Answers, SourceError, type SourceItem } from '../contract/contract.ts'
import type { MapContext } from '../contract/mapping.ts'
import { pullAccounts } from './accounts.ts'
import { trytonConnector } from './client.ts'
import { stampBefore, toStampText } from './stamps.ts'
import { pullEntries } from './transactions.ts'

const chart: Answers = { accounts: fixture('accounts'), types: fixture('types') }
const ledger: Answers = { moves: fixture('moves'), lines: fixture('lines') }

describe('accounts of Tryton', () => {
  it('fit the wire schema as they come from the server', () => {
    for (const item of pullAccounts.read(chart)) expect(Value.Errors(trytonConnector.entities.Accounts.wire, wireOf(item))).toEqual([])
  })

  it.each([
    ['1', 'NON_POSTING', 'OTHER', 'ACTIVE'],
    ['2', 'NON_POSTING', 'OTHER', 'ACTIVE'],
    ['126', 'ASSET', 'BANK', 'ACTIVE'],
    ['151', 'EQUITY', 'EQUITY', 'ACTIVE'],
    ['211', 'LIABILITY', 'OTHER_LIABILITY', 'ACTIVE'],
    ['492', 'ASSET', 'FIXED_ASSET', 'ARCHIVED'],
    ['525', 'ASSET', 'ACCOUNTS_RECEIVABLE', 'ACTIVE'],
    ['655', 'LIABILITY', 'ACCOUNTS_PAYABLE', 'ACTIVE'],
    ['705', 'LIABILITY', 'TAX_LIABILITY', 'ACTIVE'],
    ['812', 'EXPENSE', 'DEPRECIATION', 'ARCHIVED'],
    ['869', 'EXPENSE', 'EXPENSE', 'ACTIVE'],
    ['1038', 'EXPENSE', 'COST_OF_GOODS_SOLD', 'ACTIVE'],
    ['1125', 'INCOME', 'INCOME', 'ACTIVE'],
  ])('give account %s its class, type and status', (origId, classSystem, typeSystem, statusSystem) => {
    const item = [...pullAccounts.read(chart)].find((each) => each.origId === origId)
    expect(item && mapAccount(item).record).toMatchObject({ classSystem, typeSystem, statusSystem })
  })

  it('keep number, name, note and the words of the source', () => {
    const item = [...pullAccounts.read(chart)].find((each) => each.origId === '812')
    expect(item && mapAccount(item).record).toMatchObject({
      number: '4830',
      name: 'Abschreibungen auf Sachanlagen',
      currency: 'CAD',
      description: 'Nicht mehr bebuchen',
      classApp: 'income',
      subTypeApp: 'expense',
      statusApp: 'closed',
    })
  })

  it.each([
    ['Equity', 'Passif', 'EQUITY', 'EQUITY', []],
    ['Capitaux propres', 'Plan', 'EQUITY', 'EQUITY', []],
    ['Bénéfices non répartis', 'Capitaux propres', 'EQUITY', 'RETAINED_EARNINGS', []],
    ['Long-term', 'Liability', 'LIABILITY', 'LONG_TERM_LIABILITY', []],
    ['TPS et TVQ', 'Passif', 'LIABILITY', 'TAX_LIABILITY', []],
    ['Patrimônio Líquido', 'Plano', 'EQUITY', 'EQUITY', []],
    ['Taksit', 'Plan', 'LIABILITY', 'OTHER_LIABILITY', ['Taksit']],
  ])('tell liability from equity by the names %s below %s', (name, parent, classSystem, typeSystem, unmapped) => {
    const outcome = mapAccount(accountOf([typeOf({ id: 2, name, parent: 1 }), typeOf({ id: 1, name: parent })]))
    expect(outcome.record).toMatchObject({ classSystem, typeSystem })
    expect(outcome.unmapped).toEqual(unmapped)
  })

  it.each([
    ['Reprises sur amortissements', {}, ['Produits', 'Compte de résultat'], 'INCOME', []],
    ['Reprises et transferts de charges', {}, ['Produits financiers', 'Compte de résultat'], 'INCOME', []],
    ['Production stockée', { stock: true }, ['Produits', 'Compte de résultat'], 'INCOME', []],
    ['Intérêts', { revenue: true }, ['Charges', 'Compte de résultat'], 'EXPENSE', []],
    ['Sonstige Zinsen und ähnliche Erträge', { expense: true }, ['Jahresüberschuss'], 'INCOME', []],
    ['Aufwand', { expense: true }, ['Erträge'], 'EXPENSE', []],
    ['Steuern vom Einkommen und vom Ertrag', {}, ['Jahresüberschuss'], 'EXPENSE', []],
    ['Приход', { revenue: true }, ['Приход'], 'INCOME', []],
    ['Recovered costs', { revenue: true }, ['Revenue'], 'INCOME', []],
    ['Recovered costs', {}, ['Revenue'], 'UNKNOWN', ['Recovered costs']],
    ['Deterioro y resultado', { revenue: true, expense: true }, ['RESULTADO'], 'EXPENSE', []],
    ['Otros resultados', { revenue: true, expense: true }, ['RESULTADO'], 'UNKNOWN', ['Otros resultados']],
  ])('take the side of %s, flags %j, from its sections %j', (name, flags, sections, classSystem, unmapped) => {
    const types = [name, ...sections].map((each, index) =>
      typeOf({ id: index, name: each, statement: 'income', ...(index === 0 && flags) }),
    )
    const outcome = mapAccount(accountOf(types))
    expect([outcome.record.classSystem, outcome.unmapped]).toEqual([classSystem, unmapped])
  })

  it('take their side from the groups above them where the type holds both', () => {
    const group = (name: string) => ({
      id: 9,
      'parent.': { name: '62 Servicios', 'parent.': { name, 'parent.': { name: 'Plan', 'parent.': null } } },
    })
    const rows = { id: 9, code: '62', name: 'Cuenta', closed: 0, active: 1, type: 1, 'currency.': null }
    const types = [typeOf({ id: 1, name: 'Otros resultados', statement: 'income', revenue: true, expense: true })]
    const classIn = (name: string) =>
      [...pullAccounts.read({ accounts: answer([rows]), types: answer(types), groups: answer([group(name)]) })].map(
        (item) => mapAccount(item).record.classSystem,
      )
    expect([classIn('6 Compras y gastos'), classIn('7 Ventas e ingresos')]).toEqual([['EXPENSE'], ['INCOME']])
  })

  it('are assets wherever the tree of assets holds them, whatever the flags of their own type say', () => {
    const outcome = mapAccount(
      accountOf([typeOf({ id: 2, name: 'Autres', payable: true }), typeOf({ id: 1, name: 'Actif', assets: true })]),
    )
    expect(outcome).toMatchObject({ record: { classSystem: 'ASSET' }, unmapped: [] })
  })

  it.each([
    ['Non-current assets', 'OTHER_ASSET'],
    ['A) ACTIVO NO CORRIENTE', 'OTHER_ASSET'],
    ['Current assets', 'OTHER_CURRENT_ASSET'],
    ['Immobilisations financières', 'OTHER_ASSET'],
  ])('say of %s what the whole name says, not a word inside it', (name, typeSystem) => {
    expect(mapAccount(accountOf([typeOf({ id: 1, name, assets: true })])).record).toMatchObject({ classSystem: 'ASSET', typeSystem })
  })

  it('survive an unknown statement, which is counted', () => {
    const outcome = mapAccount(accountOf([typeOf({ id: 2, name: 'Autre', statement: 'cash-flow' })]))
    expect(outcome).toMatchObject({ record: { classSystem: 'UNKNOWN', typeSystem: 'OTHER' }, unmapped: ['cash-flow'] })
  })

  it('count as their other type while the balance stands on that side', () => {
    const overdraft = { id: 7, code: null, name: 'Banque', closed: 0, active: 1, type: 1, debit_type: 2, 'currency.': { code: 'CAD' } }
    const types = [typeOf({ id: 1, name: 'Découvert', debt: true }), typeOf({ id: 2, name: 'Banque', assets: true })]
    const read = (balance: string) =>
      pullAccounts.read({
        accounts: answer([overdraft]),
        types: answer(types),
        balances: answer([{ id: 7, balance: { __class__: 'Decimal', decimal: balance } }]),
      })
    const classOf = (balance: string) => [...read(balance)].map((item) => mapAccount(item).record.classSystem)
    expect([classOf('12.00'), classOf('-12.00'), classOf('0.00')]).toEqual([['ASSET'], ['LIABILITY'], ['LIABILITY']])
  })

  it('never come from an answer that is an error or is cut', () => {
    for (const body of ['{"id":1,"error":["x",""]}', '{"id":1,"result":[{"id":', '<html>', '']) {
      expect(() => [...pullAccounts.read({ ...chart, accounts: new TextEncoder().encode(body) })]).toThrow(SourceError)
    }
  })
})

describe('entries of Tryton', () => {
  const items = [...pullEntries.read(ledger)]

  it('fit the wire schema as they come from the server', () => {
    for (const item of items.filter((each) => 'wire' in each)) {
      expect(Value.Errors(trytonConnector.entities.Transactions?.wire ?? {}, wireOf(item))).toEqual([])
    }
  })

  it('become lines with one positive side, to the last digit', () => {
    const lines = items.filter((item) => 'wire' in item).map(mapLine)
    expect(lines.map(({ origId, entryId, debit, credit }) => [origId, entryId, debit, credit])).toEqual([
      ['1', '1', null, '100.1'],
      ['2', '1', '100.1', null],
      ['3', '2', null, '12345678901234567.89'],
      ['4', '2', '12345678901234567.89', null],
    ])
  })

  it('name day, document, counterparty and the kind of document', () => {
    const line = items.filter((item) => 'wire' in item).map(mapLine)[3]
    expect(line).toMatchObject({
      postedOn: '2026-01-05',
      document: '2',
      description: 'Facture de janvier',
      counterparty: 'Café Ébène inc.',
      currency: 'CAD',
      sourceType: 'account.invoice',
    })
  })

  it('are set aside with the reason when they do not balance', () => {
    expect(items.filter((item) => 'unreadable' in item)).toEqual([
      { entity: 'Transactions', origId: '6', unreadable: 'its entry does not balance' },
    ])
  })
})

describe('stamps of Tryton', () => {
  it('sort as text and go back over a month', () => {
    const stamp = { __class__: 'datetime' as const, year: 2026, month: 3, day: 1, hour: 4, minute: 5, second: 6, microsecond: 78 }
    expect(toStampText(stamp)).toBe('2026-03-01T04:05:06.000078')
    expect(toStampText(stampBefore(toStampText(stamp), 24 * 3_600_000))).toBe('2026-02-28T04:05:06.000000')
  })
})

function fixture(name: string): Uint8Array {
  return readFileSync(new URL(`./fixtures/${name}.json`, import.meta.url))
}

function answer(result: unknown): Uint8Array {
  return new TextEncoder().encode(JSON.stringify({ id: 1, result }))
}

function typeOf(values: Record<string, unknown>) {
  const flags = { assets: false, receivable: false, stock: false, payable: false, debt: false, revenue: false, expense: false }
  return { ...flags, statement: 'balance', parent: null, ...values }
}

function accountOf(typePath: unknown[]): SourceItem {
  const wire = { id: 9, code: '9', name: 'Compte', closed: false, active: true, type: 2, 'currency.': { code: 'CAD' }, typePath }
  return { entity: 'Accounts', origId: '9', wire }
}

function wireOf(item: SourceItem): unknown {
  if (!('wire' in item)) throw new Error('not a record')
  return item.wire
}

function mapAccount(item: SourceItem) {
  return runMapping(wireOf(item), trytonConnector.entities.Accounts.map.fields)
}

function mapLine(item: SourceItem) {
  return runMapping(wireOf(item), trytonConnector.entities.Transactions?.map.fields ?? {}).record
}

function runMapping(wire: unknown, fields: Readonly<Record<string, (wire: never, context: MapContext) => unknown>>) {
  const unmapped: string[] = []
  const context: MapContext = { fetchedAt: new Date(0), unmapped: (_field, word) => unmapped.push(word) }
  const record: Record<string, unknown> = {}
  for (const [name, read] of Object.entries(fields)) record[name] = read(wire as never, context)
  return { record, unmapped }
}
