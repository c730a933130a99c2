import type { AccountClass, AccountType } from '../../model/records/accounting.ts'
import { flagRows, plainRows, type TypeTable } from '../contract/type-table.ts'

/** Rule of a QuickBooks AccountType, with refinements by AccountSubType. */
interface TypeRow {
  class: AccountClass
  type: AccountType
  /**
   * Refinements by sub type (separated by blanks; `*` matches any letters at one end). An exact match wins over a
   * pattern.
   */
  refinements: readonly (readonly [subTypes: string, Refinement])[]
}

export interface Refinement {
  type?: AccountType
  subType?: string
}

const ROWS: Readonly<Record<string, TypeRow>> = {
  Bank: {
    class: 'ASSET',
    type: 'BANK',
    refinements: [
      ['CashOnHand CashAndCashEquivalents', { subType: 'CASH' }],
      ['Checking', { subType: 'CHECKING' }],
      ['Savings', { subType: 'SAVINGS' }],
      ['MoneyMarket', { subType: 'MONEY_MARKET' }],
      ['RentsHeldInTrust TrustAccounts', { subType: 'TRUST' }],
    ],
  },
  'Accounts Receivable': { class: 'ASSET', type: 'ACCOUNTS_RECEIVABLE', refinements: [] },
  'Other Current Asset': {
    class: 'ASSET',
    type: 'OTHER_CURRENT_ASSET',
    refinements: [
      ['Inventory', { type: 'INVENTORY' }],
      ['PrepaidExpenses', { type: 'PREPAYMENT' }],
      ['TradeAndOtherReceivables', { type: 'ACCOUNTS_RECEIVABLE' }],
      ['UndepositedFunds', { subType: 'UNDEPOSITED_FUNDS' }],
      ['EmployeeCashAdvances', { subType: 'EMPLOYEE_ADVANCE' }],
      ['LoansTo*', { subType: 'LOAN_RECEIVABLE' }],
      ['AllowanceForBadDebts', { subType: 'ALLOWANCE_FOR_BAD_DEBT' }],
      ['Investment_*', { subType: 'INVESTMENT' }],
      ['GlobalTaxRefund GlobalTaxDeferred BalWithGovtAuthorities', { subType: 'SALES_TAX' }],
    ],
  },
  'Fixed Asset': {
    class: 'ASSET',
    type: 'FIXED_ASSET',
    refinements: [
      ['Accumulated* CumulativeDepreciationOnIntangibleAssets', { subType: 'ACCUMULATED_DEPRECIATION' }],
      ['Land*', { subType: 'LAND' }],
      ['Buildings', { subType: 'BUILDINGS' }],
      ['Vehicles', { subType: 'VEHICLES' }],
      ['MachineryAndEquipment FurnitureAndFixtures FixedAsset*', { subType: 'EQUIPMENT' }],
      ['IntangibleAssets*', { subType: 'INTANGIBLE' }],
    ],
  },
  'Other Asset': {
    class: 'ASSET',
    type: 'OTHER_ASSET',
    refinements: [
      ['PrepaymentsAndAccruedIncome', { type: 'PREPAYMENT' }],
      ['Goodwill', { subType: 'GOODWILL' }],
      ['SecurityDeposits', { subType: 'SECURITY_DEPOSIT' }],
      ['Licenses', { subType: 'INTANGIBLE' }],
      ['Investments LongTermInvestments', { subType: 'INVESTMENT' }],
      ['AccumulatedAmortizationOfOtherAssets', { subType: 'ACCUMULATED_DEPRECIATION' }],
    ],
  },
  'Accounts Payable': { class: 'LIABILITY', type: 'ACCOUNTS_PAYABLE', refinements: [] },
  'Credit Card': { class: 'LIABILITY', type: 'CREDIT_CARD', refinements: [] },
  'Other Current Liability': {
    class: 'LIABILITY',
    type: 'OTHER_CURRENT_LIABILITY',
    refinements: [
      ['GlobalTax* SalesTaxPayable', { type: 'TAX_LIABILITY', subType: 'SALES_TAX' }],
      [
        'FederalIncomeTaxPayable StateLocalIncomeTaxPayable IncomeTaxPayable CurrentTaxLiability',
        { type: 'TAX_LIABILITY', subType: 'INCOME_TAX' },
      ],
      ['DutiesAndTaxes', { type: 'TAX_LIABILITY' }],
      ['TradeAndOtherPayables', { type: 'ACCOUNTS_PAYABLE' }],
      ['Payroll* DirectDepositPayable', { subType: 'PAYROLL_LIABILITY' }],
      ['LineOfCredit', { subType: 'LINE_OF_CREDIT' }],
      ['LoanPayable ShortTermBorrowings', { subType: 'LOAN' }],
      ['DeferredRevenue', { subType: 'DEFERRED_REVENUE' }],
    ],
  },
  'Long Term Liability': {
    class: 'LIABILITY',
    type: 'LONG_TERM_LIABILITY',
    refinements: [
      ['NotesPayable BankLoans LongTermBorrowings', { subType: 'LOAN' }],
      ['ShareholderNotesPayable', { subType: 'SHAREHOLDER_LOAN' }],
      ['ObligationsUnderFinanceLeases', { subType: 'LEASE' }],
      ['DeferredTaxLiabilities', { subType: 'INCOME_TAX' }],
    ],
  },
  Equity: {
    class: 'EQUITY',
    type: 'EQUITY',
    refinements: [
      ['RetainedEarnings', { type: 'RETAINED_EARNINGS' }],
      ['OpeningBalanceEquity', { subType: 'OPENING_BALANCE_EQUITY' }],
      ['CommonStock PreferredStock ShareCapital CalledUpShareCapital', { subType: 'SHARE_CAPITAL' }],
      ['DividendDisbursed PartnerDistributions', { subType: 'DIVIDENDS' }],
      ['Owners* Partner*', { subType: 'OWNERS_EQUITY' }],
    ],
  },
  Income: {
    class: 'INCOME',
    type: 'INCOME',
    refinements: [
      ['SalesOfProductIncome SalesRetail SalesWholesale', { subType: 'SALES' }],
      ['ServiceFeeIncome', { subType: 'SERVICES' }],
      ['DiscountsRefundsGiven', { subType: 'DISCOUNTS' }],
    ],
  },
  'Other Income': {
    class: 'INCOME',
    type: 'OTHER_INCOME',
    refinements: [['InterestEarned TaxExemptInterest', { subType: 'INTEREST_INCOME' }]],
  },
  'Cost of Goods Sold': { class: 'EXPENSE', type: 'COST_OF_GOODS_SOLD', refinements: [] },
  Expense: {
    class: 'EXPENSE',
    type: 'EXPENSE',
    refinements: [
      ['AmortizationExpense AppropriationsToDepreciation', { type: 'DEPRECIATION' }],
      ['Payroll* StaffCosts CostOfLabor', { subType: 'PAYROLL' }],
      ['AdvertisingPromotional', { subType: 'MARKETING' }],
      ['LegalProfessionalFees', { subType: 'PROFESSIONAL_FEES' }],
      ['RentOrLeaseOfBuildings EquipmentRental', { subType: 'RENT' }],
      ['Utilities', { subType: 'UTILITIES' }],
      ['Insurance', { subType: 'INSURANCE' }],
      ['Travel', { subType: 'TRAVEL' }],
      ['*Meals', { subType: 'MEALS' }],
      ['BankCharges', { subType: 'BANK_FEES' }],
      ['InterestPaid', { subType: 'INTEREST_EXPENSE' }],
      ['TaxesPaid IncomeTaxExpense', { subType: 'TAX_EXPENSE' }],
      ['BadDebts', { subType: 'BAD_DEBT' }],
    ],
  },
  'Other Expense': {
    class: 'EXPENSE',
    type: 'OTHER_EXPENSE',
    refinements: [
      ['Depreciation Amortization Depletion', { type: 'DEPRECIATION' }],
      ['ExchangeGainOrLoss', { subType: 'FX_GAIN_LOSS' }],
    ],
  },
  'Non-Posting': { class: 'NON_POSTING', type: 'OTHER', refinements: [] },
}

/** AccountType with its refinements, indexed. */
export interface TypeRule {
  class: AccountClass
  type: AccountType
  /** Refinement by a sub type; null when none is known. */
  refine(subType: string): Refinement | null
}

const RULES: ReadonlyMap<string, TypeRule> = new Map(Object.entries(ROWS).map(([word, row]) => [word, toRule(row)]))

/** Rule of a QuickBooks AccountType, spelled exactly; null for a value that is not in the table. */
export function findTypeRule(accountType: string): TypeRule | null {
  return RULES.get(accountType) ?? null
}

function toRule(row: TypeRow): TypeRule {
  const entries = row.refinements.flatMap(([words, refinement]) => words.split(' ').map((word) => [word, refinement] as const))
  const exact = new Map(entries.filter(([word]) => !word.includes('*')))
  const prefixes = entries.filter(([word]) => word.endsWith('*')).map(([word, refinement]) => [word.slice(0, -1), refinement] as const)
  const suffixes = entries.filter(([word]) => word.startsWith('*')).map(([word, refinement]) => [word.slice(1), refinement] as const)
  return {
    class: row.class,
    type: row.type,
    refine: (subType) =>
      exact.get(subType) ??
      prefixes.find(([prefix]) => subType.startsWith(prefix))?.[1] ??
      suffixes.find(([suffix]) => subType.endsWith(suffix))?.[1] ??
      null,
  }
}

export const typeTable: TypeTable = {
  rows: [
    ...plainRows(
      'AccountType and AccountSubType',
      Object.entries(ROWS).flatMap(([AccountType, row]) => [
        { AccountType },
        ...row.refinements.flatMap(([words]) => words.split(' ').map((AccountSubType) => ({ AccountType, AccountSubType }))),
      ]),
    ),
    ...flagRows('Active', (Active) => ({ Active })),
  ],
  rules: [
    'The AccountType decides, down to the class: where the Classification of QuickBooks says otherwise, only `classApp` keeps it.',
    'An AccountSubType that is not in the table changes nothing; one that Intuit has never published is counted besides.',
    'An AccountType that is not in the table takes the least that the Classification allows, and is counted.',
  ],
}
