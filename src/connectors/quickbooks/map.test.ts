import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { AccountClass, AccountType } from '../../model/records/accounting.ts'
import type { AccountingAccount } from '../../model/records/accounting-account.ts'
import { EMPTY_ACCOUNT, runMapping } from '../toolkit/test-mapping.ts'
import { accountMapping, transactionMapping } from './map.ts'
import { SUB_TYPE_WORDS } from './sub-type-words.ts'
import type { AccountWire, PostingWire } from './wire.ts'

const SCHEMA = new URL('../../../../shared/specs/accounting/qbo-Finance.xsd', import.meta.url)

function account(wire: Partial<AccountWire>): { record: Partial<AccountingAccount>; unmapped: string[] } {
  return runMapping(accountMapping, { Id: '7', ...wire })
}

/** Table of the reference: AccountType, sub types, and the expected mapping. */
const TABLE: readonly (readonly [type: string, subTypes: string, is: AccountClass, becomes: AccountType, subType: string])[] = [
  ['Bank', 'CashOnHand CashAndCashEquivalents', 'ASSET', 'BANK', 'CASH'],
  ['Bank', 'Checking', 'ASSET', 'BANK', 'CHECKING'],
  ['Bank', 'Savings', 'ASSET', 'BANK', 'SAVINGS'],
  ['Bank', 'MoneyMarket', 'ASSET', 'BANK', 'MONEY_MARKET'],
  ['Bank', 'RentsHeldInTrust TrustAccounts', 'ASSET', 'BANK', 'TRUST'],
  ['Bank', 'OtherEarmarkedBankAccounts', 'ASSET', 'BANK', ''],
  ['Accounts Receivable', 'AccountsReceivable', 'ASSET', 'ACCOUNTS_RECEIVABLE', ''],
  ['Other Current Asset', 'OtherCurrentAssets Retainage', 'ASSET', 'OTHER_CURRENT_ASSET', ''],
  ['Other Current Asset', 'Inventory', 'ASSET', 'INVENTORY', ''],
  ['Other Current Asset', 'PrepaidExpenses', 'ASSET', 'PREPAYMENT', ''],
  ['Other Current Asset', 'UndepositedFunds', 'ASSET', 'OTHER_CURRENT_ASSET', 'UNDEPOSITED_FUNDS'],
  ['Other Current Asset', 'EmployeeCashAdvances', 'ASSET', 'OTHER_CURRENT_ASSET', 'EMPLOYEE_ADVANCE'],
  ['Other Current Asset', 'LoansToOfficers LoansToOthers LoansToStockholders', 'ASSET', 'OTHER_CURRENT_ASSET', 'LOAN_RECEIVABLE'],
  ['Other Current Asset', 'AllowanceForBadDebts', 'ASSET', 'OTHER_CURRENT_ASSET', 'ALLOWANCE_FOR_BAD_DEBT'],
  ['Other Current Asset', 'TradeAndOtherReceivables', 'ASSET', 'ACCOUNTS_RECEIVABLE', ''],
  ['Other Current Asset', 'Investment_Other Investment_USGovernmentObligations', 'ASSET', 'OTHER_CURRENT_ASSET', 'INVESTMENT'],
  ['Other Current Asset', 'GlobalTaxRefund GlobalTaxDeferred BalWithGovtAuthorities', 'ASSET', 'OTHER_CURRENT_ASSET', 'SALES_TAX'],
  [
    'Fixed Asset',
    'AccumulatedDepreciation AccumulatedAmortization CumulativeDepreciationOnIntangibleAssets',
    'ASSET',
    'FIXED_ASSET',
    'ACCUMULATED_DEPRECIATION',
  ],
  ['Fixed Asset', 'Land LandAsset', 'ASSET', 'FIXED_ASSET', 'LAND'],
  ['Fixed Asset', 'Buildings', 'ASSET', 'FIXED_ASSET', 'BUILDINGS'],
  ['Fixed Asset', 'Vehicles', 'ASSET', 'FIXED_ASSET', 'VEHICLES'],
  ['Fixed Asset', 'MachineryAndEquipment FurnitureAndFixtures FixedAssetComputers', 'ASSET', 'FIXED_ASSET', 'EQUIPMENT'],
  ['Fixed Asset', 'IntangibleAssets IntangibleAssetsUnderDevelopment', 'ASSET', 'FIXED_ASSET', 'INTANGIBLE'],
  ['Other Asset', 'Goodwill', 'ASSET', 'OTHER_ASSET', 'GOODWILL'],
  ['Other Asset', 'SecurityDeposits', 'ASSET', 'OTHER_ASSET', 'SECURITY_DEPOSIT'],
  ['Other Asset', 'Licenses', 'ASSET', 'OTHER_ASSET', 'INTANGIBLE'],
  ['Other Asset', 'Investments LongTermInvestments', 'ASSET', 'OTHER_ASSET', 'INVESTMENT'],
  ['Other Asset', 'AccumulatedAmortizationOfOtherAssets', 'ASSET', 'OTHER_ASSET', 'ACCUMULATED_DEPRECIATION'],
  ['Other Asset', 'PrepaymentsAndAccruedIncome', 'ASSET', 'PREPAYMENT', ''],
  ['Accounts Payable', 'AccountsPayable', 'LIABILITY', 'ACCOUNTS_PAYABLE', ''],
  ['Credit Card', 'CreditCard', 'LIABILITY', 'CREDIT_CARD', ''],
  ['Other Current Liability', 'OtherCurrentLiabilities', 'LIABILITY', 'OTHER_CURRENT_LIABILITY', ''],
  ['Other Current Liability', 'GlobalTaxPayable GlobalTaxSuspense SalesTaxPayable', 'LIABILITY', 'TAX_LIABILITY', 'SALES_TAX'],
  [
    'Other Current Liability',
    'FederalIncomeTaxPayable StateLocalIncomeTaxPayable IncomeTaxPayable CurrentTaxLiability',
    'LIABILITY',
    'TAX_LIABILITY',
    'INCOME_TAX',
  ],
  ['Other Current Liability', 'DutiesAndTaxes', 'LIABILITY', 'TAX_LIABILITY', ''],
  [
    'Other Current Liability',
    'PayrollClearing PayrollTaxPayable DirectDepositPayable',
    'LIABILITY',
    'OTHER_CURRENT_LIABILITY',
    'PAYROLL_LIABILITY',
  ],
  ['Other Current Liability', 'LineOfCredit', 'LIABILITY', 'OTHER_CURRENT_LIABILITY', 'LINE_OF_CREDIT'],
  ['Other Current Liability', 'LoanPayable ShortTermBorrowings', 'LIABILITY', 'OTHER_CURRENT_LIABILITY', 'LOAN'],
  ['Other Current Liability', 'DeferredRevenue', 'LIABILITY', 'OTHER_CURRENT_LIABILITY', 'DEFERRED_REVENUE'],
  ['Other Current Liability', 'TradeAndOtherPayables', 'LIABILITY', 'ACCOUNTS_PAYABLE', ''],
  ['Long Term Liability', 'OtherLongTermLiabilities', 'LIABILITY', 'LONG_TERM_LIABILITY', ''],
  ['Long Term Liability', 'NotesPayable BankLoans LongTermBorrowings', 'LIABILITY', 'LONG_TERM_LIABILITY', 'LOAN'],
  ['Long Term Liability', 'ShareholderNotesPayable', 'LIABILITY', 'LONG_TERM_LIABILITY', 'SHAREHOLDER_LOAN'],
  ['Long Term Liability', 'ObligationsUnderFinanceLeases', 'LIABILITY', 'LONG_TERM_LIABILITY', 'LEASE'],
  ['Long Term Liability', 'DeferredTaxLiabilities', 'LIABILITY', 'LONG_TERM_LIABILITY', 'INCOME_TAX'],
  ['Equity', 'TreasuryStock Funds', 'EQUITY', 'EQUITY', ''],
  ['Equity', 'RetainedEarnings', 'EQUITY', 'RETAINED_EARNINGS', ''],
  ['Equity', 'OpeningBalanceEquity', 'EQUITY', 'EQUITY', 'OPENING_BALANCE_EQUITY'],
  ['Equity', 'CommonStock PreferredStock ShareCapital CalledUpShareCapital', 'EQUITY', 'EQUITY', 'SHARE_CAPITAL'],
  ['Equity', 'OwnersEquity PartnersEquity PartnerContributions', 'EQUITY', 'EQUITY', 'OWNERS_EQUITY'],
  ['Equity', 'DividendDisbursed PartnerDistributions', 'EQUITY', 'EQUITY', 'DIVIDENDS'],
  ['Income', 'SalesOfProductIncome SalesRetail SalesWholesale', 'INCOME', 'INCOME', 'SALES'],
  ['Income', 'ServiceFeeIncome', 'INCOME', 'INCOME', 'SERVICES'],
  ['Income', 'DiscountsRefundsGiven', 'INCOME', 'INCOME', 'DISCOUNTS'],
  ['Income', 'OtherPrimaryIncome', 'INCOME', 'INCOME', ''],
  ['Other Income', 'InterestEarned TaxExemptInterest', 'INCOME', 'OTHER_INCOME', 'INTEREST_INCOME'],
  ['Other Income', 'DividendIncome', 'INCOME', 'OTHER_INCOME', ''],
  ['Cost of Goods Sold', 'SuppliesMaterialsCogs', 'EXPENSE', 'COST_OF_GOODS_SOLD', ''],
  ['Expense', 'OfficeExpenses', 'EXPENSE', 'EXPENSE', ''],
  ['Expense', 'PayrollExpenses PayrollWageExpenses StaffCosts CostOfLabor', 'EXPENSE', 'EXPENSE', 'PAYROLL'],
  ['Expense', 'AdvertisingPromotional', 'EXPENSE', 'EXPENSE', 'MARKETING'],
  ['Expense', 'LegalProfessionalFees', 'EXPENSE', 'EXPENSE', 'PROFESSIONAL_FEES'],
  ['Expense', 'RentOrLeaseOfBuildings EquipmentRental', 'EXPENSE', 'EXPENSE', 'RENT'],
  ['Expense', 'Utilities', 'EXPENSE', 'EXPENSE', 'UTILITIES'],
  ['Expense', 'Insurance', 'EXPENSE', 'EXPENSE', 'INSURANCE'],
  ['Expense', 'Travel', 'EXPENSE', 'EXPENSE', 'TRAVEL'],
  ['Expense', 'EntertainmentMeals PromotionalMeals TravelMeals', 'EXPENSE', 'EXPENSE', 'MEALS'],
  ['Expense', 'BankCharges', 'EXPENSE', 'EXPENSE', 'BANK_FEES'],
  ['Expense', 'InterestPaid', 'EXPENSE', 'EXPENSE', 'INTEREST_EXPENSE'],
  ['Expense', 'TaxesPaid IncomeTaxExpense', 'EXPENSE', 'EXPENSE', 'TAX_EXPENSE'],
  ['Expense', 'BadDebts', 'EXPENSE', 'EXPENSE', 'BAD_DEBT'],
  ['Expense', 'AmortizationExpense AppropriationsToDepreciation', 'EXPENSE', 'DEPRECIATION', ''],
  ['Other Expense', 'Depreciation Amortization Depletion', 'EXPENSE', 'DEPRECIATION', ''],
  ['Other Expense', 'ExchangeGainOrLoss', 'EXPENSE', 'OTHER_EXPENSE', 'FX_GAIN_LOSS'],
  ['Other Expense', 'PenaltiesSettlements', 'EXPENSE', 'OTHER_EXPENSE', ''],
  ['Non-Posting', '', 'NON_POSTING', 'OTHER', ''],
]
const ROWS = TABLE.flatMap(([type, subTypes, ...rest]) => subTypes.split(' ').map((subType) => [type, subType, ...rest] as const))

describe('the account mapping', () => {
  test.each(ROWS)('%s / %s becomes %s, %s, "%s"', (type, subType, classSystem, typeSystem, subTypeSystem) => {
    const mapped = account({ AccountType: type, AccountSubType: subType })
    expect(mapped).toMatchObject({ record: { classSystem, typeSystem, subTypeSystem }, unmapped: [] })
  })

  test.each([
    ['Asset', 'ASSET', 'OTHER_ASSET'],
    ['Liability', 'LIABILITY', 'OTHER_LIABILITY'],
    ['Equity', 'EQUITY', 'EQUITY'],
    ['Revenue', 'INCOME', 'INCOME'],
    ['Expense', 'EXPENSE', 'EXPENSE'],
    ['', 'UNKNOWN', 'OTHER'],
  ])('an unknown type of class "%s" falls back to %s, %s, keeps its words and is counted', (classification, classSystem, typeSystem) => {
    const mapped = account({ Classification: classification, AccountType: 'Digital Asset', AccountSubType: 'Tokens' })
    expect(mapped.record).toMatchObject({ typeApp: 'Digital Asset', subTypeApp: 'Tokens', classSystem, typeSystem, subTypeSystem: '' })
    expect(mapped.unmapped).toEqual(['typeSystem: Digital Asset', 'subTypeSystem: Tokens'])
  })

  test('where class and type disagree the type wins and the source keeps its word', () => {
    const { record } = account({ Classification: 'Liability', AccountType: 'Bank' })
    expect(record).toMatchObject({ classApp: 'Liability', classSystem: 'ASSET', typeSystem: 'BANK' })
  })

  test('an unknown class is counted even though the type is known', () => {
    expect(account({ Classification: 'Intangible', AccountType: 'Bank' }).unmapped).toEqual(['classSystem: Intangible'])
  })

  test.each([
    [{ Active: true }, 'true', 'ACTIVE'],
    [{ Active: false }, 'false', 'ARCHIVED'],
    [{ Active: false, status: 'Deleted' }, 'Deleted', 'DELETED'],
    [{ Active: null }, '', 'UNKNOWN'],
  ])('%j is the status "%s", %s', (wire, statusApp, statusSystem) => {
    expect(account(wire).record).toMatchObject({ statusApp, statusSystem })
  })

  test('what the source leaves out or sends as null is empty, never invented', () => {
    const { record } = account({
      Name: null,
      CurrencyRef: null,
      AcctNum: null,
      Description: null,
      FullyQualifiedName: 'A:B',
    } as Partial<AccountWire>)
    expect(record).toEqual({
      ...EMPTY_ACCOUNT,
      origId: '7',
    })
  })

  test('a currency that is no code is left empty and counted', () => {
    expect(account({ CurrencyRef: { value: 'Points' } })).toMatchObject({ record: { currency: '' }, unmapped: ['currency: Points'] })
  })

  test.skipIf(!existsSync(SCHEMA))(`every sub type of Intuit's own schema is known (skipped without ../shared/specs)`, () => {
    const enumeration = /simpleType name="AccountSubTypeEnum"[\s\S]*?<\/xs:simpleType>/.exec(readFileSync(SCHEMA, 'utf8'))?.[0] ?? ''
    const words = [...enumeration.matchAll(/enumeration value="([^"]+)"/g)].map((match) => match[1] ?? '')
    expect(words.length).toBeGreaterThan(290)
    expect(words.filter((word) => !SUB_TYPE_WORDS.has(word))).toEqual([])
  })
})

describe('the transaction mapping', () => {
  const posting: PostingWire = {
    JournalEntry: { Id: '12', TxnDate: '2026-02-28', DocNumber: 'JE-12', PrivateNote: 'Month end', CurrencyRef: { value: 'CAD' } },
    Line: {
      Id: '0',
      Amount: 10.5,
      JournalEntryLineDetail: {
        PostingType: 'Debit',
        AccountRef: { value: '41', name: 'Rent' },
        Entity: { Type: 'Vendor', EntityRef: { value: '3', name: 'Landlord' } },
      },
    },
    position: 1,
  }

  test('a line of a journal entry becomes a posting with everything its entry says', () => {
    expect(runMapping(transactionMapping, posting).record).toEqual({
      origId: '12:0',
      entryId: '12',
      accountOrigId: '41',
      postedOn: '2026-02-28',
      document: 'JE-12',
      description: 'Month end',
      counterparty: 'Landlord',
      debit: '10.5',
      credit: null,
      currency: 'CAD',
      sourceType: 'JournalEntry',
    })
  })

  test('a negative debit is a credit', () => {
    const { record } = runMapping(transactionMapping, { ...posting, Line: { ...posting.Line, Amount: '-12345678901234567.89' } })
    expect(record).toMatchObject({ debit: null, credit: '12345678901234567.89' })
  })

  test('a line without an Id is known by its place', () => {
    const { Id: _, ...line } = posting.Line
    expect(runMapping(transactionMapping, { ...posting, Line: line, position: 3 }).record.origId).toBe('12:#3')
  })
})
