import type { AccountType } from '../../model/records/accounting.ts'
import { flagRows, NAMES_RULE, type TypeRule, type TypeTable } from '../contract/type-table.ts'

/** Refinement by the words of a control account or of a classification. */
export interface Refinement {
  type?: AccountType
  subType?: string
}

/**
 * The thirteen ids of /ledger_account_types, spelled exactly. Ids outside the UK and Ireland are unconfirmed.
 * Source: https://github.com/codatio/oas (yaml/Codat-Accounting.yaml, options for chart of accounts)
 */
const BY_TYPE: ReadonlyMap<string, TypeRule> = new Map<string, TypeRule>([
  ['SALES', { class: 'INCOME', type: 'INCOME' }],
  ['OTHER_INCOME', { class: 'INCOME', type: 'OTHER_INCOME' }],
  ['DIRECT_EXPENSES', { class: 'EXPENSE', type: 'COST_OF_GOODS_SOLD' }],
  ['OVERHEADS', { class: 'EXPENSE', type: 'EXPENSE' }],
  ['DEPRECIATION', { class: 'EXPENSE', type: 'DEPRECIATION' }],
  ['CURRENT_ASSETS', { class: 'ASSET', type: 'OTHER_CURRENT_ASSET' }],
  ['FIXED_ASSETS', { class: 'ASSET', type: 'FIXED_ASSET' }],
  ['FUTURE_ASSETS', { class: 'ASSET', type: 'OTHER_ASSET' }],
  ['BANK', { class: 'ASSET', type: 'BANK' }],
  ['LINE_OF_CREDIT', { class: 'LIABILITY', type: 'OTHER_CURRENT_LIABILITY' }],
  ['CURRENT_LIABILITY', { class: 'LIABILITY', type: 'OTHER_CURRENT_LIABILITY' }],
  ['FUTURE_LIABILITY', { class: 'LIABILITY', type: 'LONG_TERM_LIABILITY' }],
  ['EQUITY', { class: 'EQUITY', type: 'EQUITY' }],
])

/**
 * Ids of ledger_account_group, one or many; the Swagger does not list them. Each with the default for an unknown type.
 */
const BY_GROUP: ReadonlyMap<string, TypeRule> = new Map<string, TypeRule>([
  ['ASSET', { class: 'ASSET', type: 'OTHER_ASSET' }],
  ['ASSETS', { class: 'ASSET', type: 'OTHER_ASSET' }],
  ['LIABILITY', { class: 'LIABILITY', type: 'OTHER_LIABILITY' }],
  ['LIABILITIES', { class: 'LIABILITY', type: 'OTHER_LIABILITY' }],
  ['EQUITY', { class: 'EQUITY', type: 'EQUITY' }],
  ['CAPITAL', { class: 'EQUITY', type: 'EQUITY' }],
  ['INCOME', { class: 'INCOME', type: 'INCOME' }],
  ['EXPENSE', { class: 'EXPENSE', type: 'EXPENSE' }],
  ['EXPENSES', { class: 'EXPENSE', type: 'EXPENSE' }],
])

/** By type id: refinements by words (whole, lower case, separated by `|`); the first matching row wins. */
const REFINEMENTS: Readonly<Record<string, readonly (readonly [words: string, Refinement])[]>> = {
  CURRENT_ASSETS: [
    ['debtor|debtors|receivable|receivables', { type: 'ACCOUNTS_RECEIVABLE' }],
    ['stock|inventory', { type: 'INVENTORY' }],
    ['prepayment|prepayments', { type: 'PREPAYMENT' }],
    ['vat|gst|hst|pst|qst|tax', { subType: 'SALES_TAX' }],
    ['suspense', { subType: 'SUSPENSE' }],
  ],
  CURRENT_LIABILITY: [
    ['vat|gst|hst|pst|qst|sales tax', { type: 'TAX_LIABILITY', subType: 'SALES_TAX' }],
    ['corporation tax|income tax', { type: 'TAX_LIABILITY', subType: 'INCOME_TAX' }],
    ['wages|payroll|paye|nic', { subType: 'PAYROLL_LIABILITY' }],
    ['creditor|creditors|payable|payables', { type: 'ACCOUNTS_PAYABLE' }],
    ['suspense', { subType: 'SUSPENSE' }],
  ],
  EQUITY: [
    ['retained|profit and loss', { type: 'RETAINED_EARNINGS' }],
    ['opening balance|opening balances', { subType: 'OPENING_BALANCE_EQUITY' }],
    ['dividend|dividends', { subType: 'DIVIDENDS' }],
    ['share capital|shares', { subType: 'SHARE_CAPITAL' }],
  ],
  BANK: [
    ['cash|petty cash', { subType: 'CASH' }],
    ['savings', { subType: 'SAVINGS' }],
    ['current|checking|chequing', { subType: 'CHECKING' }],
  ],
  LINE_OF_CREDIT: [['credit card|card', { type: 'CREDIT_CARD' }]],
  OTHER_INCOME: [['exchange|currency', { subType: 'FX_GAIN_LOSS' }]],
  OVERHEADS: [
    ['exchange|currency', { subType: 'FX_GAIN_LOSS' }],
    ['bad debt|bad debts', { subType: 'BAD_DEBT' }],
    ['bank charges', { subType: 'BANK_FEES' }],
  ],
}

/** Refinement of a type that no word refines. */
const UNREFINED: Readonly<Record<string, Refinement>> = { LINE_OF_CREDIT: { subType: 'LINE_OF_CREDIT' } }

const PATTERNS: ReadonlyMap<string, readonly (readonly [RegExp, Refinement])[]> = new Map(
  Object.entries(REFINEMENTS).map(([type, rows]) => [type, rows.map(([words, to]) => [new RegExp(`\\b(?:${words})\\b`), to] as const)]),
)

export function findTypeRule(type: string): TypeRule | null {
  return BY_TYPE.get(type) ?? null
}

export function findGroupRule(group: string): TypeRule | null {
  return BY_GROUP.get(group) ?? null
}

/** Refinement by a control name or a classification id within a type; null when neither is known. */
export function findRefinement(type: string, words: string): Refinement | null {
  if (words === '') return null
  const plain = words.toLowerCase().replace(/[^a-z]+/g, ' ')
  return PATTERNS.get(type)?.find(([pattern]) => pattern.test(plain))?.[1] ?? null
}

export function unrefined(type: string): Refinement {
  return UNREFINED[type] ?? {}
}

export const typeTable: TypeTable = {
  rows: [
    ...[...BY_TYPE.keys()].map((id) => ({
      group: 'ledger_account_type',
      words: { ledger_account_type: id },
      means: { wire: { ledger_account_type: { id } } },
    })),
    ...[...BY_GROUP.keys()].map((id) => ({
      group: 'ledger_account_group, where the type is new',
      words: { ledger_account_group: id },
      means: { wire: { ledger_account_group: { id } } },
    })),
    ...Object.entries(REFINEMENTS).flatMap(([id, refinements]) =>
      refinements.map(([words]) => ({
        group: 'Words in control_name or ledger_account_classification',
        words: { ledger_account_type: id, word: words.replaceAll('|', ', ') },
        means: { wire: { ledger_account_type: { id }, control_name: words.split('|')[0] } },
      })),
    ),
    ...flagRows('included_in_chart, visible nowhere', (included_in_chart) => ({ included_in_chart })),
  ],
  rules: [
    'The type decides, up to the class: where the group of Sage says otherwise, only `classApp` keeps it.',
    'Sage has no archive: an account that is out of the chart and visible nowhere is as good as archived; one that is visible somewhere is active.',
    NAMES_RULE,
  ],
}
