import type { AccountType } from '../../model/records/accounting.ts'
import { NAMES_RULE, plainRows, type TypeRule, type TypeTable } from '../contract/type-table.ts'

/**
 * The ten sub types, spelled exactly, as GET /accounting/ledger_accounts/sub_types lists them.
 * Source: https://github.com/InfiniteRoomLabs/freshbooks-tools
 * (freshbooks/testdata/seed/ledger_accounts/sub_types.json, recorded 2026-09-03)
 */
const BY_SUB_TYPE: ReadonlyMap<string, TypeRule> = new Map<string, TypeRule>([
  ['Cash & Bank', { class: 'ASSET', type: 'BANK' }],
  ['Current Asset', { class: 'ASSET', type: 'OTHER_CURRENT_ASSET' }],
  ['Property, Plant, and Equipment', { class: 'ASSET', type: 'FIXED_ASSET' }],
  ['Long-Term Asset', { class: 'ASSET', type: 'OTHER_ASSET' }],
  ['Current Liability', { class: 'LIABILITY', type: 'OTHER_CURRENT_LIABILITY' }],
  ['Long-Term Liability', { class: 'LIABILITY', type: 'LONG_TERM_LIABILITY' }],
  ['Equity', { class: 'EQUITY', type: 'EQUITY' }],
  ['Income', { class: 'INCOME', type: 'INCOME' }],
  ['Cost of Goods Sold', { class: 'EXPENSE', type: 'COST_OF_GOODS_SOLD' }],
  ['Operating Expense', { class: 'EXPENSE', type: 'EXPENSE' }],
])

/** The five types, with the mapping of an account whose sub type is unknown. */
const BY_TYPE: ReadonlyMap<string, TypeRule> = new Map<string, TypeRule>([
  ['asset', { class: 'ASSET', type: 'OTHER_CURRENT_ASSET' }],
  ['liability', { class: 'LIABILITY', type: 'OTHER_CURRENT_LIABILITY' }],
  ['equity', { class: 'EQUITY', type: 'EQUITY' }],
  ['income', { class: 'INCOME', type: 'INCOME' }],
  ['expense', { class: 'EXPENSE', type: 'EXPENSE' }],
])

/** Refinement by the role of an account created by FreshBooks, within the type of its sub type. */
interface Refinement {
  within: AccountType
  type?: AccountType
  subType?: string
}

/** Roles seen so far; the list is open, and a role without a row changes nothing. */
const BY_ROLE: ReadonlyMap<string, Refinement> = new Map<string, Refinement>([
  ['Accounts Receivable', { within: 'OTHER_CURRENT_ASSET', type: 'ACCOUNTS_RECEIVABLE' }],
  ['Accounts Payable', { within: 'OTHER_CURRENT_LIABILITY', type: 'ACCOUNTS_PAYABLE' }],
  ['Retained Earnings', { within: 'EQUITY', type: 'RETAINED_EARNINGS' }],
  ['Cash', { within: 'BANK', subType: 'CASH' }],
  ['Petty Cash', { within: 'BANK', subType: 'CASH' }],
])

/** Null for a sub type that FreshBooks had not published when this was written. */
export function findSubTypeRule(subType: string): TypeRule | null {
  return BY_SUB_TYPE.get(subType) ?? null
}

/** Null for a type outside the five. */
export function findTypeRule(type: string): TypeRule | null {
  return BY_TYPE.get(type) ?? null
}

/**
 * Refinement by the account's role; null when it has none, when it is not in the table, or when it contradicts the
 * type.
 */
export function findRefinement(type: AccountType, role: string): Omit<Refinement, 'within'> | null {
  const refinement = BY_ROLE.get(role)
  return refinement?.within === type ? refinement : null
}

export const typeTable: TypeTable = {
  rows: [
    ...plainRows(
      'sub_type',
      [...BY_SUB_TYPE.keys()].map((sub_type) => ({ sub_type })),
    ),
    ...plainRows(
      'type, where the sub_type is new',
      [...BY_TYPE.keys()].map((type) => ({ type })),
    ),
    ...plainRows(
      'system_account_name, within the type that the sub_type gives',
      [...BY_ROLE].flatMap(([system_account_name, { within }]) =>
        [...BY_SUB_TYPE].filter(([, rule]) => rule.type === within).map(([sub_type]) => ({ sub_type, system_account_name })),
      ),
    ),
    ...plainRows(
      'Status',
      ['active', 'archived', 'inactive', 'deleted'].map((state) => ({ state })),
    ).map((row) => ({ ...row, isStatus: true })),
  ],
  rules: [
    'The sub_type decides, up to the class: where the type of FreshBooks says otherwise, only `classApp` keeps it.',
    'Roles are an open list of FreshBooks; one without a row changes nothing.',
    NAMES_RULE,
  ],
}
