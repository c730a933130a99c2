import { describe, expect, test } from 'vitest'
import type { AccountClass, AccountType } from '../../model/records/accounting.ts'
import type { AccountingAccount } from '../../model/records/accounting-account.ts'
import { EMPTY_ACCOUNT, runMapping } from '../toolkit/test-mapping.ts'
import { accountMapping, transactionMapping } from './map.ts'
import type { AccountWire, PostingWire } from './wire.ts'

function account(
  wire: Partial<AccountWire['account']>,
  currencyCode: string | null = 'CAD',
): { record: Partial<AccountingAccount>; unmapped: string[] } {
  return runMapping(accountMapping, { account: { id: '7', ...wire }, currencyCode })
}

/** Category, subcategories in English and Danish, and the expected mapping. */
const TABLE: readonly (readonly [category: string, words: string, is: AccountClass, becomes: AccountType, subType: string])[] = [
  ['Assets', 'Assets', 'ASSET', 'OTHER_ASSET', ''],
  ['Assets', 'Current Assets|Omsætningsaktiver', 'ASSET', 'OTHER_CURRENT_ASSET', ''],
  ['Assets', 'Cash|Kassebeholdning', 'ASSET', 'BANK', ''],
  ['Assets', 'Accounts Receivable|Tilgodehavender', 'ASSET', 'ACCOUNTS_RECEIVABLE', ''],
  ['Assets', 'Prepaid Expenses|Forudbetalte udgifter', 'ASSET', 'PREPAYMENT', ''],
  ['Assets', 'Inventory|Lager', 'ASSET', 'INVENTORY', ''],
  ['Assets', 'Fixed Assets|Anlæg', 'ASSET', 'FIXED_ASSET', ''],
  ['Assets', 'Equipment|Udstyr', 'ASSET', 'FIXED_ASSET', 'EQUIPMENT'],
  ['Assets', 'Accumulated Depreciation|Akkumuleret afskrivning', 'ASSET', 'FIXED_ASSET', 'ACCUMULATED_DEPRECIATION'],
  ['Liabilities', 'Liabilities', 'LIABILITY', 'OTHER_LIABILITY', ''],
  ['Liabilities', 'Current Liabilities|Aktuelle passiver', 'LIABILITY', 'OTHER_CURRENT_LIABILITY', ''],
  ['Liabilities', 'Payroll Liabilities|Udestående lønudgifter', 'LIABILITY', 'OTHER_CURRENT_LIABILITY', 'PAYROLL_LIABILITY'],
  ['Liabilities', 'Long Term Liabilities|Langfristet gæld', 'LIABILITY', 'LONG_TERM_LIABILITY', ''],
  ['Equity', 'Equity', 'EQUITY', 'EQUITY', ''],
  ['Equity', 'Common Stock|Aktier', 'EQUITY', 'EQUITY', 'SHARE_CAPITAL'],
  ['Equity', 'Retained Earnings|Overført resultat', 'EQUITY', 'RETAINED_EARNINGS', ''],
  ['Equity', 'Distributions to Shareholders|Uddelinger til aktionærer', 'EQUITY', 'EQUITY', 'DIVIDENDS'],
  ['Income', 'Income|Income, Jobs|Sales Returns & Allowances|Job Sales Contra', 'INCOME', 'INCOME', ''],
  ['Income', 'Indtægter, sager|Salgsreturneringer og -nedslag|Modkonto til salg af sager', 'INCOME', 'INCOME', ''],
  ['Income', 'Income, Services|Indtægter, Service', 'INCOME', 'INCOME', 'SERVICES'],
  ['Income', 'Income, Product Sales|Indtægter, Produktsalg', 'INCOME', 'INCOME', 'SALES'],
  ['Income', 'Sales Discounts|Salgsrabatter', 'INCOME', 'INCOME', 'DISCOUNTS'],
  ['Income', 'Income, Interest|Indtægter, Renter', 'INCOME', 'OTHER_INCOME', 'INTEREST_INCOME'],
  ['Cost of Goods Sold', 'Cost of Goods Sold|Labor|Materials|Discounts Granted|Jobs Cost', 'EXPENSE', 'COST_OF_GOODS_SOLD', ''],
  ['Cost of Goods Sold', 'Arbejde|Materialer|Afgivne varerabatter|Sagsomkostning', 'EXPENSE', 'COST_OF_GOODS_SOLD', ''],
  ['Expense', 'Expense|Fees Expense|Repairs and Maintenance Expense|Vehicle Expenses', 'EXPENSE', 'EXPENSE', ''],
  ['Expense', 'Gebyrudgifter|Reparations- og vedligeholdelsesudgifter|Bildrift', 'EXPENSE', 'EXPENSE', ''],
  ['Expense', 'Rent Expense|Lejeudgifter', 'EXPENSE', 'EXPENSE', 'RENT'],
  ['Expense', 'Advertising Expense|Reklameudgifter', 'EXPENSE', 'EXPENSE', 'MARKETING'],
  ['Expense', 'Interest Expense|Renteudgifter', 'EXPENSE', 'EXPENSE', 'INTEREST_EXPENSE'],
  ['Expense', 'Insurance Expense|Forsikringsudgifter', 'EXPENSE', 'EXPENSE', 'INSURANCE'],
  ['Expense', 'Payroll Expense|Salaries Expense|Benefits Expense|Lønudgifter|Personaleudgifter', 'EXPENSE', 'EXPENSE', 'PAYROLL'],
  ['Expense', 'Utilities Expense|Forsyningsudgifter', 'EXPENSE', 'EXPENSE', 'UTILITIES'],
  ['Expense', 'Other Income & Expenses|Andre indtægter og udgifter', 'EXPENSE', 'OTHER_EXPENSE', ''],
  ['Expense', 'Tax Expense|Skatteudgifter', 'EXPENSE', 'EXPENSE', 'TAX_EXPENSE'],
  ['Expense', 'Travel Expense|Rejseomkostninger', 'EXPENSE', 'EXPENSE', 'TRAVEL'],
  ['Expense', 'Bad Debt Expense|Tab på debitorer', 'EXPENSE', 'EXPENSE', 'BAD_DEBT'],
]
const ROWS = TABLE.flatMap(([category, words, ...rest]) => words.split('|').map((word) => [category, word, ...rest] as const))

describe('the account mapping', () => {
  test.each(ROWS)('%s / %s becomes %s, %s, "%s"', (category, subCategory, classSystem, typeSystem, subTypeSystem) => {
    const mapped = account({ category: category.replaceAll(' ', '_x0020_'), subCategory, accountType: 'Posting' })
    expect(mapped).toMatchObject({ record: { classApp: category, classSystem, typeSystem, subTypeSystem }, unmapped: [] })
  })

  test.each(['Heading', 'Total', 'Begin_x002D_Total', 'End_x002D_Total'])('a row of kind %s is kept and posts nothing', (accountType) => {
    const mapped = account({ category: 'Assets', subCategory: 'Cash', accountType })
    expect(mapped).toMatchObject({ record: { classSystem: 'NON_POSTING', typeSystem: 'OTHER', subTypeSystem: '' }, unmapped: [] })
    expect(mapped.record.typeApp).toBe(accountType.replace('_x002D_', '-'))
  })

  test.each([
    ['Assets', 'ASSET', 'OTHER_ASSET'],
    ['Liabilities', 'LIABILITY', 'OTHER_LIABILITY'],
    ['Equity', 'EQUITY', 'EQUITY'],
    ['Income', 'INCOME', 'INCOME'],
    ['Cost_x0020_of_x0020_Goods_x0020_Sold', 'EXPENSE', 'COST_OF_GOODS_SOLD'],
    ['Expense', 'EXPENSE', 'EXPENSE'],
    ['_x0020_', 'UNKNOWN', 'OTHER'],
  ])('an unknown subcategory of "%s" falls back to %s, %s, keeps its word and is counted', (category, classSystem, typeSystem) => {
    const mapped = account({ category, subCategory: 'Trésorerie', accountType: 'Posting' })
    expect(mapped.record).toMatchObject({ subTypeApp: 'Trésorerie', classSystem, typeSystem, subTypeSystem: '' })
    expect(mapped.unmapped).toEqual(['subTypeSystem: Trésorerie'])
  })

  test('unknown words for category and kind are kept and counted', () => {
    const mapped = account({ category: 'Digital_x0020_Assets', accountType: 'Virtual' })
    expect(mapped.record).toMatchObject({ classApp: 'Digital Assets', typeApp: 'Virtual', classSystem: 'UNKNOWN', typeSystem: 'OTHER' })
    expect(mapped.unmapped).toEqual(['classSystem: Digital Assets', 'typeSystem: Virtual'])
  })

  test.each([
    [false, 'false', 'ACTIVE'],
    [true, 'true', 'ARCHIVED'],
    [null, '', 'UNKNOWN'],
  ])('blocked %j is the status "%s", %s', (blocked, statusApp, statusSystem) => {
    expect(account({ blocked }).record).toMatchObject({ statusApp, statusSystem })
  })

  test('what the source leaves out or sends as null is empty, never invented', () => {
    const { record, unmapped } = account({ number: null, displayName: null, category: null, subCategory: null, accountType: null }, null)
    expect(unmapped).toEqual([])
    expect(record).toEqual({
      ...EMPTY_ACCOUNT,
      origId: '7',
    })
  })

  test('a currency that is no code is left empty and counted', () => {
    expect(account({}, 'POINTS')).toMatchObject({ record: { currency: '' }, unmapped: ['currency: POINTS'] })
  })
})

describe('the transaction mapping', () => {
  const posting: PostingWire = {
    line: {
      id: 'e-1897',
      entryNumber: 1897,
      postingDate: '2026-04-28',
      documentNumber: 'SCM-12',
      documentType: 'Credit_x0020_Memo',
      accountId: 'a-41',
      accountNumber: '40800',
      description: 'Courtesy',
      debitAmount: 10.5,
      creditAmount: 0,
    },
    entryNumber: 1896,
    currencyCode: 'cad',
  }

  test('a ledger line becomes a posting with everything it says', () => {
    expect(runMapping(transactionMapping, posting)).toEqual({
      record: {
        origId: 'e-1897',
        entryId: '1896',
        accountOrigId: 'a-41',
        postedOn: '2026-04-28',
        document: 'SCM-12',
        description: 'Courtesy',
        counterparty: '',
        debit: '10.5',
        credit: null,
        currency: 'CAD',
        sourceType: 'Credit Memo',
      },
      unmapped: [],
    })
  })

  test('a negative debit is a credit', () => {
    const { record } = runMapping(transactionMapping, { ...posting, line: { ...posting.line, debitAmount: '-12345678901234567.89' } })
    expect(record).toMatchObject({ debit: null, credit: '12345678901234567.89' })
  })

  test('a line without a kind of document says nothing of it', () => {
    expect(runMapping(transactionMapping, { ...posting, line: { ...posting.line, documentType: '_x0020_' } }).record.sourceType).toBe('')
  })
})
