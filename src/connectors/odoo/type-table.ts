import type { AccountClass, AccountType } from '../../model/records/accounting.ts'
import { flagRows, NAMES_RULE, plainRows, type TypeTable } from '../contract/type-table.ts'
import type { UserTypeWire } from './wire.ts'

export interface TypeRule {
  class: AccountClass
  type: AccountType
}

/** Every `account_type` of Odoo 16 to 19. Source: https://github.com/odoo/odoo/blob/19.0/addons/account/models/account_account.py */
const RULES: Readonly<Record<string, TypeRule>> = {
  asset_receivable: { class: 'ASSET', type: 'ACCOUNTS_RECEIVABLE' },
  asset_cash: { class: 'ASSET', type: 'BANK' },
  asset_current: { class: 'ASSET', type: 'OTHER_CURRENT_ASSET' },
  asset_non_current: { class: 'ASSET', type: 'OTHER_ASSET' },
  asset_prepayments: { class: 'ASSET', type: 'PREPAYMENT' },
  asset_fixed: { class: 'ASSET', type: 'FIXED_ASSET' },
  liability_payable: { class: 'LIABILITY', type: 'ACCOUNTS_PAYABLE' },
  liability_credit_card: { class: 'LIABILITY', type: 'CREDIT_CARD' },
  liability_current: { class: 'LIABILITY', type: 'OTHER_CURRENT_LIABILITY' },
  liability_non_current: { class: 'LIABILITY', type: 'LONG_TERM_LIABILITY' },
  equity: { class: 'EQUITY', type: 'EQUITY' },
  equity_unaffected: { class: 'EQUITY', type: 'RETAINED_EARNINGS' },
  income: { class: 'INCOME', type: 'INCOME' },
  income_other: { class: 'INCOME', type: 'OTHER_INCOME' },
  expense: { class: 'EXPENSE', type: 'EXPENSE' },
  expense_other: { class: 'EXPENSE', type: 'OTHER_EXPENSE' },
  expense_depreciation: { class: 'EXPENSE', type: 'DEPRECIATION' },
  expense_direct_cost: { class: 'EXPENSE', type: 'COST_OF_GOODS_SOLD' },
  off_balance: { class: 'NON_POSTING', type: 'OTHER' },
}

/** English names of the types until version 15. Source: https://github.com/odoo/odoo/blob/15.0/addons/account/data/data_account_type.xml */
const NAMES: Readonly<Record<string, string>> = {
  Receivable: 'asset_receivable',
  'Bank and Cash': 'asset_cash',
  'Current Assets': 'asset_current',
  'Non-current Assets': 'asset_non_current',
  Prepayments: 'asset_prepayments',
  'Fixed Assets': 'asset_fixed',
  Payable: 'liability_payable',
  'Credit Card': 'liability_credit_card',
  'Current Liabilities': 'liability_current',
  'Non-current Liabilities': 'liability_non_current',
  Equity: 'equity',
  'Current Year Earnings': 'equity_unaffected',
  Income: 'income',
  'Other Income': 'income_other',
  Expenses: 'expense',
  Depreciation: 'expense_depreciation',
  'Cost of Revenue': 'expense_direct_cost',
  'Off-Balance Sheet': 'off_balance',
}

/** `internal_group`, which is also the part of `account_type` before the first `_`. */
const CLASSES: Readonly<Record<string, AccountClass>> = {
  asset: 'ASSET',
  liability: 'LIABILITY',
  equity: 'EQUITY',
  income: 'INCOME',
  expense: 'EXPENSE',
  off: 'NON_POSTING',
  off_balance: 'NON_POSTING',
}

export function findTypeRule(word: string): TypeRule | undefined {
  return Object.hasOwn(RULES, word) ? RULES[word] : undefined
}

/** Trade accounts have a type of their own; other receivables and payables are current assets and liabilities. */
export function findNonTradeRule(rule: TypeRule): TypeRule {
  if (rule.type === 'ACCOUNTS_RECEIVABLE') return { class: 'ASSET', type: 'OTHER_CURRENT_ASSET' }
  if (rule.type === 'ACCOUNTS_PAYABLE') return { class: 'LIABILITY', type: 'OTHER_CURRENT_LIABILITY' }
  return rule
}

/**
 * The newer word for an older version's type; a renamed type is recognized by its behaviour, where that is sufficient.
 * Null for another.
 */
export function findNewerType({ name, type, internal_group: group }: UserTypeWire): string | null {
  const known = Object.hasOwn(NAMES, name) ? NAMES[name] : undefined
  if (known !== undefined) return known
  if (type === 'receivable') return 'asset_receivable'
  if (type === 'payable') return 'liability_payable'
  if (type === 'liquidity') return group === 'liability' ? 'liability_credit_card' : 'asset_cash'
  return null
}

export function findClass(word: string): AccountClass | undefined {
  return Object.hasOwn(CLASSES, word) ? CLASSES[word] : undefined
}

const NOTHING_BORROWED = { userType: null, companyCurrency: false }

export const typeTable: TypeTable = {
  rows: [
    ...plainRows(
      'account_type, from version 16 on',
      Object.keys(RULES).map((account_type) => ({ account_type })),
      NOTHING_BORROWED,
    ),
    ...Object.keys(NAMES).map((name) => ({
      group: 'user_type_id, until version 15',
      words: { user_type_id: name },
      means: { wire: { companyCurrency: false, userType: { id: 1, name } } },
    })),
    ...plainRows(
      'internal_group, where the type is new',
      Object.keys(CLASSES).map((internal_group) => ({ internal_group })),
      NOTHING_BORROWED,
    ),
    ...['asset_receivable', 'liability_payable'].map((account_type) => ({
      group: 'non_trade, from version 15 on',
      words: { account_type, non_trade: 'true' },
      means: { wire: { ...NOTHING_BORROWED, account_type, non_trade: true } },
    })),
    ...flagRows('active, from version 19 on', (active) => ({ active, ...NOTHING_BORROWED })),
    ...flagRows('deprecated, until version 18', (deprecated) => ({ deprecated, ...NOTHING_BORROWED })),
  ],
  rules: [
    'The type decides, down to the class; internal_group speaks only where the type is new.',
    'A type of an old version that was renamed is known by what it does, where that is enough: receivable, payable, liquidity.',
    'A receivable or payable that is marked as none of trade (taxes, owners) is another current asset or liability.',
    'Accounts that Odoo’s own charts make are known by their names (own-names.ts).',
    NAMES_RULE,
  ],
}
