import { flagRows, NAMES_RULE, plainRows, type TypeRule, type TypeTable } from '../contract/type-table.ts'

/**
 * Every account_type of Zoho's document, and `stock`, which live responses contain as well. Zoho names no class: the
 * type implies it.
 * Source: https://www.zoho.com/books/api/v3/chart-of-accounts/ (account_type)
 */
const TYPES: ReadonlyMap<string, TypeRule> = new Map<string, TypeRule>([
  ['cash', { class: 'ASSET', type: 'BANK', subType: 'CASH' }],
  ['bank', { class: 'ASSET', type: 'BANK' }],
  ['accounts_receivable', { class: 'ASSET', type: 'ACCOUNTS_RECEIVABLE' }],
  ['stock', { class: 'ASSET', type: 'INVENTORY' }],
  ['other_current_asset', { class: 'ASSET', type: 'OTHER_CURRENT_ASSET' }],
  ['contract_asset', { class: 'ASSET', type: 'OTHER_CURRENT_ASSET' }],
  ['fixed_asset', { class: 'ASSET', type: 'FIXED_ASSET' }],
  ['right_to_use_asset', { class: 'ASSET', type: 'FIXED_ASSET' }],
  ['other_asset', { class: 'ASSET', type: 'OTHER_ASSET' }],
  ['intangible_asset', { class: 'ASSET', type: 'OTHER_ASSET', subType: 'INTANGIBLE' }],
  ['financial_asset', { class: 'ASSET', type: 'OTHER_ASSET' }],
  ['contingent_asset', { class: 'ASSET', type: 'OTHER_ASSET' }],
  ['accounts_payable', { class: 'LIABILITY', type: 'ACCOUNTS_PAYABLE' }],
  ['credit_card', { class: 'LIABILITY', type: 'CREDIT_CARD' }],
  ['other_current_liability', { class: 'LIABILITY', type: 'OTHER_CURRENT_LIABILITY' }],
  ['contract_liability', { class: 'LIABILITY', type: 'OTHER_CURRENT_LIABILITY' }],
  ['refund_liability', { class: 'LIABILITY', type: 'OTHER_CURRENT_LIABILITY' }],
  ['employee_benefit_liability', { class: 'LIABILITY', type: 'OTHER_CURRENT_LIABILITY', subType: 'PAYROLL_LIABILITY' }],
  ['long_term_liability', { class: 'LIABILITY', type: 'LONG_TERM_LIABILITY' }],
  ['loans_and_borrowing', { class: 'LIABILITY', type: 'LONG_TERM_LIABILITY', subType: 'LOAN' }],
  ['lease_liability', { class: 'LIABILITY', type: 'LONG_TERM_LIABILITY', subType: 'LEASE' }],
  ['other_liability', { class: 'LIABILITY', type: 'OTHER_LIABILITY' }],
  ['financial_liability', { class: 'LIABILITY', type: 'OTHER_LIABILITY' }],
  ['contingent_liability', { class: 'LIABILITY', type: 'OTHER_LIABILITY' }],
  ['equity', { class: 'EQUITY', type: 'EQUITY' }],
  // Zoho lists it among income, but it never passes through profit or loss.
  ['other_comprehensive_income', { class: 'EQUITY', type: 'EQUITY' }],
  ['income', { class: 'INCOME', type: 'INCOME' }],
  ['finance_income', { class: 'INCOME', type: 'OTHER_INCOME' }],
  ['other_income', { class: 'INCOME', type: 'OTHER_INCOME' }],
  ['cost_of_goods_sold', { class: 'EXPENSE', type: 'COST_OF_GOODS_SOLD' }],
  ['manufacturing_expense', { class: 'EXPENSE', type: 'COST_OF_GOODS_SOLD' }],
  ['expense', { class: 'EXPENSE', type: 'EXPENSE' }],
  ['employee_benefit_expense', { class: 'EXPENSE', type: 'EXPENSE', subType: 'PAYROLL' }],
  ['lease_expense', { class: 'EXPENSE', type: 'EXPENSE' }],
  ['depreciation_expense', { class: 'EXPENSE', type: 'DEPRECIATION' }],
  ['impairment_expense', { class: 'EXPENSE', type: 'DEPRECIATION' }],
  ['finance_expense', { class: 'EXPENSE', type: 'OTHER_EXPENSE' }],
  ['tax_expense', { class: 'EXPENSE', type: 'OTHER_EXPENSE', subType: 'TAX_EXPENSE' }],
  ['other_expense', { class: 'EXPENSE', type: 'OTHER_EXPENSE' }],
])

/** Classes by the ending of an unknown value: Zoho names its types after their class. */
const ENDINGS: readonly (readonly [ending: string, TypeRule])[] = [
  ['_asset', { class: 'ASSET', type: 'OTHER_ASSET' }],
  ['_liability', { class: 'LIABILITY', type: 'OTHER_LIABILITY' }],
  ['_equity', { class: 'EQUITY', type: 'EQUITY' }],
  ['_income', { class: 'INCOME', type: 'INCOME' }],
  ['_expense', { class: 'EXPENSE', type: 'EXPENSE' }],
]
const UNKNOWN: TypeRule = { class: 'UNKNOWN', type: 'OTHER' }

/** Rule of an account_type, spelled exactly; null for a value that is not in the table. */
export function findTypeRule(accountType: string): TypeRule | null {
  return TYPES.get(accountType) ?? null
}

/** Default rule of a value that is not in the table. */
export function guessTypeRule(accountType: string): TypeRule {
  return ENDINGS.find(([ending]) => accountType.endsWith(ending))?.[1] ?? UNKNOWN
}

export const typeTable: TypeTable = {
  rows: [
    ...plainRows(
      'account_type',
      [...TYPES.keys()].map((account_type) => ({ account_type })),
    ),
    ...plainRows(
      'The end of an account_type that is new',
      ENDINGS.map(([ending]) => ({ account_type: `*${ending}` })),
    ),
    ...flagRows('is_active', (is_active) => ({ is_active })),
  ],
  rules: [
    'Zoho names no class: the type implies it.',
    'other_comprehensive_income, which Zoho lists among income, never passes through profit or loss and is equity.',
    NAMES_RULE,
  ],
}
