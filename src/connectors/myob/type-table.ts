import { flagRows, NAMES_RULE, plainRows, type TypeRule, type TypeTable } from '../contract/type-table.ts'

/**
 * The values of AccountType, spelled exactly. Source: https://github.com/myob-oss/AccountRight_Live_API_.Net_SDK
 * (GeneralLedger/AccountType.cs)
 */
const BY_TYPE: ReadonlyMap<string, TypeRule> = new Map<string, TypeRule>([
  ['Bank', { class: 'ASSET', type: 'BANK' }],
  // The plural is that of MYOB's own pages, the singular that of the API.
  ['AccountReceivable', { class: 'ASSET', type: 'ACCOUNTS_RECEIVABLE' }],
  ['AccountsReceivable', { class: 'ASSET', type: 'ACCOUNTS_RECEIVABLE' }],
  ['OtherCurrentAsset', { class: 'ASSET', type: 'OTHER_CURRENT_ASSET' }],
  ['FixedAsset', { class: 'ASSET', type: 'FIXED_ASSET' }],
  ['OtherAsset', { class: 'ASSET', type: 'OTHER_ASSET' }],
  ['CreditCard', { class: 'LIABILITY', type: 'CREDIT_CARD' }],
  ['AccountsPayable', { class: 'LIABILITY', type: 'ACCOUNTS_PAYABLE' }],
  ['OtherCurrentLiability', { class: 'LIABILITY', type: 'OTHER_CURRENT_LIABILITY' }],
  ['LongTermLiability', { class: 'LIABILITY', type: 'LONG_TERM_LIABILITY' }],
  ['OtherLiability', { class: 'LIABILITY', type: 'OTHER_LIABILITY' }],
  ['Equity', { class: 'EQUITY', type: 'EQUITY' }],
  ['Income', { class: 'INCOME', type: 'INCOME' }],
  ['OtherIncome', { class: 'INCOME', type: 'OTHER_INCOME' }],
  ['CostOfSales', { class: 'EXPENSE', type: 'COST_OF_GOODS_SOLD' }],
  ['Expense', { class: 'EXPENSE', type: 'EXPENSE' }],
  ['OtherExpense', { class: 'EXPENSE', type: 'OTHER_EXPENSE' }],
])

/** The eight classifications, each with the default for an unknown type. */
const BY_CLASSIFICATION: ReadonlyMap<string, TypeRule> = new Map<string, TypeRule>([
  ['Asset', { class: 'ASSET', type: 'OTHER_ASSET' }],
  ['Liability', { class: 'LIABILITY', type: 'OTHER_LIABILITY' }],
  ['Equity', { class: 'EQUITY', type: 'EQUITY' }],
  ['Income', { class: 'INCOME', type: 'INCOME' }],
  ['OtherIncome', { class: 'INCOME', type: 'OTHER_INCOME' }],
  ['CostOfSales', { class: 'EXPENSE', type: 'COST_OF_GOODS_SOLD' }],
  ['Expense', { class: 'EXPENSE', type: 'EXPENSE' }],
  ['OtherExpense', { class: 'EXPENSE', type: 'OTHER_EXPENSE' }],
])

/** Null for a type that is not in the table. */
export function findTypeRule(type: string): TypeRule | null {
  return BY_TYPE.get(type) ?? null
}

/** Null for a classification other than the eight. */
export function findClassificationRule(classification: string): TypeRule | null {
  return BY_CLASSIFICATION.get(classification) ?? null
}

const NO_CURRENCY = { baseCurrency: '' }

export const typeTable: TypeTable = {
  rows: [
    ...plainRows(
      'Type',
      [...BY_TYPE.keys()].map((Type) => ({ Type })),
      NO_CURRENCY,
    ),
    ...plainRows(
      'Classification, where the Type is new',
      [...BY_CLASSIFICATION.keys()].map((Classification) => ({ Classification })),
      NO_CURRENCY,
    ),
    { group: 'Headers', words: { IsHeader: 'true' }, means: { wire: { IsHeader: true, Type: 'Bank' } } },
    ...flagRows('IsActive', (IsActive) => ({ IsActive })),
  ],
  rules: [
    'The Type decides, up to the class: where the Classification of MYOB says otherwise, only `classApp` keeps it.',
    'A header is the sum of the accounts below it and takes no postings, so that it stands outside all classes that are added up.',
    NAMES_RULE,
  ],
}
