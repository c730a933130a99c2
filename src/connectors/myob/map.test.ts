import { describe, expect, test } from 'vitest'
import { EMPTY_ACCOUNT, runMapping } from '../toolkit/test-mapping.ts'
import { toBaseCurrency } from './currencies.ts'
import { accountMapping, transactionMapping } from './map.ts'
import type { AccountWire, PostingWire } from './wire.ts'

function account(wire: Partial<AccountWire>) {
  return runMapping(accountMapping, { UID: 'a', baseCurrency: 'AUD', ...wire })
}

const ROWS = [
  ['Asset', 'Bank', 'ASSET', 'BANK'],
  ['Asset', 'AccountReceivable', 'ASSET', 'ACCOUNTS_RECEIVABLE'],
  ['Asset', 'AccountsReceivable', 'ASSET', 'ACCOUNTS_RECEIVABLE'],
  ['Asset', 'OtherCurrentAsset', 'ASSET', 'OTHER_CURRENT_ASSET'],
  ['Asset', 'FixedAsset', 'ASSET', 'FIXED_ASSET'],
  ['Asset', 'OtherAsset', 'ASSET', 'OTHER_ASSET'],
  ['Liability', 'CreditCard', 'LIABILITY', 'CREDIT_CARD'],
  ['Liability', 'AccountsPayable', 'LIABILITY', 'ACCOUNTS_PAYABLE'],
  ['Liability', 'OtherCurrentLiability', 'LIABILITY', 'OTHER_CURRENT_LIABILITY'],
  ['Liability', 'LongTermLiability', 'LIABILITY', 'LONG_TERM_LIABILITY'],
  ['Liability', 'OtherLiability', 'LIABILITY', 'OTHER_LIABILITY'],
  ['Equity', 'Equity', 'EQUITY', 'EQUITY'],
  ['Income', 'Income', 'INCOME', 'INCOME'],
  ['OtherIncome', 'OtherIncome', 'INCOME', 'OTHER_INCOME'],
  ['CostOfSales', 'CostOfSales', 'EXPENSE', 'COST_OF_GOODS_SOLD'],
  ['Expense', 'Expense', 'EXPENSE', 'EXPENSE'],
  ['OtherExpense', 'OtherExpense', 'EXPENSE', 'OTHER_EXPENSE'],
] as const

describe('the account mapping', () => {
  test.each(ROWS)('%s / %s becomes %s, %s', (Classification, Type, classSystem, typeSystem) => {
    expect(account({ Classification, Type })).toMatchObject({ record: { classSystem, typeSystem, subTypeSystem: '' }, unmapped: [] })
  })

  test.each([
    ['Asset', 'ASSET', 'OTHER_ASSET'],
    ['Liability', 'LIABILITY', 'OTHER_LIABILITY'],
    ['Equity', 'EQUITY', 'EQUITY'],
    ['Income', 'INCOME', 'INCOME'],
    ['OtherIncome', 'INCOME', 'OTHER_INCOME'],
    ['CostOfSales', 'EXPENSE', 'COST_OF_GOODS_SOLD'],
    ['Expense', 'EXPENSE', 'EXPENSE'],
    ['OtherExpense', 'EXPENSE', 'OTHER_EXPENSE'],
    ['', 'UNKNOWN', 'OTHER'],
  ])(
    'an unknown type of classification "%s" falls back to %s, %s, keeps its word and is counted',
    (Classification, classSystem, typeSystem) => {
      const mapped = account({ Classification, Type: 'Token' })
      expect(mapped).toMatchObject({ record: { typeApp: 'Token', classSystem, typeSystem }, unmapped: ['typeSystem: Token'] })
    },
  )

  test('where classification and type disagree the type wins and the source keeps its word', () => {
    expect(account({ Classification: 'Liability', Type: 'Bank' }).record).toMatchObject({
      classApp: 'Liability',
      classSystem: 'ASSET',
      typeSystem: 'BANK',
    })
  })

  test('an unknown classification is counted even though the type is known', () => {
    expect(account({ Classification: 'Intangible', Type: 'Bank' }).unmapped).toEqual(['classSystem: Intangible'])
  })

  test('a header takes no postings, whatever it heads', () => {
    const mapped = account({ Classification: 'Asset', Type: 'Heading', IsHeader: true })
    expect(mapped).toMatchObject({ record: { classApp: 'Asset', classSystem: 'NON_POSTING', typeSystem: 'OTHER' }, unmapped: [] })
  })

  test.each([
    [true, 'true', 'ACTIVE'],
    [false, 'false', 'ARCHIVED'],
    [null, '', 'UNKNOWN'],
  ])('IsActive %s is the status "%s", %s', (IsActive, statusApp, statusSystem) => {
    expect(account({ IsActive }).record).toMatchObject({ statusApp, statusSystem })
  })

  test('the currency is the foreign one of the account, else that of the company file', () => {
    const currencies = [account({ ForeignCurrency: { Code: 'usd' } }), account({}), account({ baseCurrency: '' })]
    expect(currencies.map(({ record }) => record.currency)).toEqual(['USD', 'AUD', ''])
  })

  test('a currency that is no code is left empty and counted', () => {
    expect(account({ ForeignCurrency: { Code: 'Points' } })).toMatchObject({ record: { currency: '' }, unmapped: ['currency: Points'] })
  })

  test('what the source leaves out is empty, never invented', () => {
    expect(account({ baseCurrency: '' }).record).toEqual({
      ...EMPTY_ACCOUNT,
      origId: 'a',
    })
  })

  test.each([
    ['AU', 'AUD'],
    ['nz', 'NZD'],
    ['GB', ''],
    ['', ''],
    ['constructor', ''],
  ])('a company file of "%s" is kept in "%s"', (country, currency) => {
    expect(toBaseCurrency(country)).toBe(currency)
  })
})

describe('the transaction mapping', () => {
  const posting: PostingWire = {
    journal: {
      UID: 'j1',
      DisplayID: 'CR000012',
      JournalType: 'Sale',
      SourceTransaction: { TransactionType: 'Invoice' },
      DateOccurred: '2026-02-28T00:00:00',
      Description: 'Sale; Café Rue',
    },
    line: { Account: { UID: 'a1' }, Amount: 10.5, IsCredit: false, LineDescription: '' },
    position: 2,
    baseCurrency: 'AUD',
  }

  test('a line of a journal becomes a posting with everything its transaction says', () => {
    expect(runMapping(transactionMapping, posting).record).toEqual({
      origId: 'j1:2',
      entryId: 'j1',
      accountOrigId: 'a1',
      postedOn: '2026-02-28',
      document: 'CR000012',
      description: 'Sale; Café Rue',
      counterparty: '',
      debit: '10.5',
      credit: null,
      currency: 'AUD',
      sourceType: 'Invoice',
    })
  })

  test('a line with its own description keeps it, and a journal without a source shows its type', () => {
    const line = { ...posting.line, LineDescription: 'GST' }
    const { record } = runMapping(transactionMapping, { ...posting, line, journal: { ...posting.journal, SourceTransaction: null } })
    expect(record).toMatchObject({ description: 'GST', sourceType: 'Sale' })
  })

  test('a negative debit is a credit, exactly', () => {
    const line = { ...posting.line, Amount: '-12345678901234567.89' }
    expect(runMapping(transactionMapping, { ...posting, line }).record).toMatchObject({ debit: null, credit: '12345678901234567.89' })
  })
})
