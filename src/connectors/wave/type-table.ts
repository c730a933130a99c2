import type { AccountClass, AccountType } from '../../model/records/accounting.ts'
import { flagRows, NAMES_RULE, type TypeTable, type WordRow } from '../contract/type-table.ts'

/** Mapping of a Wave account by one of its values. */
export interface TypeRule {
  class: AccountClass
  type: AccountType
  /** Empty when no more specific type is known. */
  subType: string
}

/** Rule by subtype; without a class where the subtype exists on both sides, and the account's type decides. */
type SubtypeRule = Omit<TypeRule, 'class'> & { class: AccountClass | null }

/** The 38 values of AccountSubtypeValue. Source: https://developer.waveapps.com/hc/en-us/articles/360019968212-API-Reference */
const BY_SUBTYPE: ReadonlyMap<string, SubtypeRule> = new Map(
  (
    [
      ['CASH_AND_BANK', 'ASSET', 'BANK', ''],
      ['MONEY_IN_TRANSIT', 'ASSET', 'BANK', 'MONEY_IN_TRANSIT'],
      ['RECEIVABLE', 'ASSET', 'ACCOUNTS_RECEIVABLE', ''],
      ['RECEIVABLE_INVOICES', 'ASSET', 'ACCOUNTS_RECEIVABLE', ''],
      ['RECEIVABLE_OTHER', 'ASSET', 'ACCOUNTS_RECEIVABLE', ''],
      ['INVENTORY', 'ASSET', 'INVENTORY', ''],
      ['VENDOR_PREPAYMENTS_AND_CREDITS', 'ASSET', 'PREPAYMENT', ''],
      ['OTHER_CURRENT_ASSETS', 'ASSET', 'OTHER_CURRENT_ASSET', ''],
      ['PROPERTY_PLANT_EQUIPMENT', 'ASSET', 'FIXED_ASSET', ''],
      ['OTHER_LONG_TERM_ASSETS', 'ASSET', 'OTHER_ASSET', ''],
      ['PAYABLE', 'LIABILITY', 'ACCOUNTS_PAYABLE', ''],
      ['PAYABLE_BILLS', 'LIABILITY', 'ACCOUNTS_PAYABLE', ''],
      ['PAYABLE_OTHER', 'LIABILITY', 'ACCOUNTS_PAYABLE', ''],
      ['CREDIT_CARD', 'LIABILITY', 'CREDIT_CARD', ''],
      ['SALES_TAX', 'LIABILITY', 'TAX_LIABILITY', 'SALES_TAX'],
      ['LOANS', 'LIABILITY', 'LONG_TERM_LIABILITY', 'LOAN'],
      ['OTHER_LONG_TERM_LIABILITY', 'LIABILITY', 'LONG_TERM_LIABILITY', ''],
      ['DUE_TO_YOU_AND_OTHER_OWNERS', 'LIABILITY', 'LONG_TERM_LIABILITY', 'SHAREHOLDER_LOAN'],
      ['DUE_FOR_PAYROLL', 'LIABILITY', 'OTHER_CURRENT_LIABILITY', 'PAYROLL_LIABILITY'],
      ['CUSTOMER_PREPAYMENTS_AND_CREDITS', 'LIABILITY', 'OTHER_CURRENT_LIABILITY', 'CUSTOMER_DEPOSIT'],
      ['SYSTEM_CUSTOMER_CREDITS', 'LIABILITY', 'OTHER_CURRENT_LIABILITY', 'CUSTOMER_DEPOSIT'],
      ['OTHER_CURRENT_LIABILITY', 'LIABILITY', 'OTHER_CURRENT_LIABILITY', ''],
      ['RETAINED_EARNINGS', 'EQUITY', 'RETAINED_EARNINGS', ''],
      ['NON_RETAINED_EARNINGS', 'EQUITY', 'EQUITY', ''],
      ['INCOME', 'INCOME', 'INCOME', ''],
      ['DISCOUNTS', 'INCOME', 'INCOME', 'DISCOUNTS'],
      ['UNCATEGORIZED_INCOME', 'INCOME', 'INCOME', 'UNCATEGORIZED'],
      ['OTHER_INCOME', 'INCOME', 'OTHER_INCOME', ''],
      ['GAIN_ON_FOREIGN_EXCHANGE', 'INCOME', 'OTHER_INCOME', 'FX_GAIN_LOSS'],
      ['COST_OF_GOODS_SOLD', 'EXPENSE', 'COST_OF_GOODS_SOLD', ''],
      ['EXPENSE', 'EXPENSE', 'EXPENSE', ''],
      ['PAYROLL_EXPENSES', 'EXPENSE', 'EXPENSE', 'PAYROLL'],
      ['PAYMENT_PROCESSING_FEES', 'EXPENSE', 'EXPENSE', 'BANK_FEES'],
      ['UNCATEGORIZED_EXPENSE', 'EXPENSE', 'EXPENSE', 'UNCATEGORIZED'],
      ['LOSS_ON_FOREIGN_EXCHANGE', 'EXPENSE', 'OTHER_EXPENSE', 'FX_GAIN_LOSS'],
      ['TRANSFERS', null, 'OTHER', ''],
      ['UNKNOWN_ACCOUNT', null, 'OTHER', ''],
    ] as const
  ).map(([subtype, accountClass, type, subType]) => [subtype, { class: accountClass, type, subType }]),
)

/** Subtype used on both sides: accumulated depreciation, and the depreciation of the year. */
const DEPRECIATION = 'DEPRECIATION_AND_AMORTIZATION'

/** The five values of AccountTypeValue, each with the default for an unknown subtype. */
const BY_TYPE: ReadonlyMap<string, TypeRule> = new Map<string, TypeRule>([
  ['ASSET', { class: 'ASSET', type: 'OTHER_ASSET', subType: '' }],
  ['LIABILITY', { class: 'LIABILITY', type: 'OTHER_LIABILITY', subType: '' }],
  ['EQUITY', { class: 'EQUITY', type: 'EQUITY', subType: '' }],
  ['INCOME', { class: 'INCOME', type: 'INCOME', subType: '' }],
  ['EXPENSE', { class: 'EXPENSE', type: 'EXPENSE', subType: '' }],
])

const UNKNOWN: TypeRule = { class: 'UNKNOWN', type: 'OTHER', subType: '' }

export function isKnownType(type: string): boolean {
  return BY_TYPE.has(type)
}

export function isKnownSubtype(subtype: string): boolean {
  return subtype === DEPRECIATION || BY_SUBTYPE.has(subtype)
}

/** Rule of an account: the subtype decides, up to the class; for an unknown subtype the type does. */
export function toTypeRule(type: string, subtype: string): TypeRule {
  const byType = BY_TYPE.get(type) ?? UNKNOWN
  if (subtype === DEPRECIATION) {
    return type === 'EXPENSE'
      ? { class: 'EXPENSE', type: 'DEPRECIATION', subType: '' }
      : { class: 'ASSET', type: 'FIXED_ASSET', subType: 'ACCUMULATED_DEPRECIATION' }
  }
  const bySubtype = BY_SUBTYPE.get(subtype)
  return bySubtype ? { ...bySubtype, class: bySubtype.class ?? byType.class } : byType
}

function typeRows(group: string, words: readonly { type?: string; subtype?: string }[]): WordRow[] {
  return words.map((each) => ({
    group,
    words: each,
    means: { wire: Object.fromEntries(Object.entries(each).map(([name, value]) => [name, { value }])) },
  }))
}

export const typeTable: TypeTable = {
  rows: [
    ...typeRows(
      'subtype',
      [...BY_SUBTYPE.keys()].map((subtype) => ({ subtype })),
    ),
    ...typeRows(
      'The subtype that stands on two sides',
      ['ASSET', 'EXPENSE'].map((type) => ({ type, subtype: DEPRECIATION })),
    ),
    ...typeRows(
      'type, where the subtype is new',
      [...BY_TYPE.keys()].map((type) => ({ type })),
    ),
    ...flagRows('isArchived', (isArchived) => ({ isArchived })),
  ],
  rules: [
    'The subtype decides, up to the class: where the type of Wave says otherwise, only `classApp` keeps it.',
    'TRANSFERS and UNKNOWN_ACCOUNT say nothing of the side they stand on: the type decides their class.',
    NAMES_RULE,
  ],
}
