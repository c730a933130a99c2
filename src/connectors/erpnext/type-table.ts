import type { AccountClass, AccountType } from '../../model/records/accounting.ts'
import { NAMES_RULE, plainRows, type TypeTable } from '../contract/type-table.ts'

export interface TypeRule {
  type: AccountType
  subType?: string
}

/** Class by `root_type`, on which all of ERPNext's statements are based. */
const CLASSES: Readonly<Record<string, AccountClass>> = {
  Asset: 'ASSET',
  Liability: 'LIABILITY',
  Equity: 'EQUITY',
  Income: 'INCOME',
  Expense: 'EXPENSE',
}

/**
 * Type by `account_type` and class: the same value has a different meaning on the other side of the balance sheet.
 * Without a root, the first class with the value is used.
 * Source: https://github.com/frappe/erpnext/blob/version-15/erpnext/accounts/doctype/account/account.json
 */
const RULES: Readonly<Partial<Record<AccountClass, Readonly<Record<string, TypeRule>>>>> = {
  ASSET: {
    Bank: { type: 'BANK' },
    Cash: { type: 'BANK', subType: 'CASH' },
    Receivable: { type: 'ACCOUNTS_RECEIVABLE' },
    Stock: { type: 'INVENTORY' },
    'Fixed Asset': { type: 'FIXED_ASSET' },
    'Capital Work in Progress': { type: 'FIXED_ASSET' },
    'Accumulated Depreciation': { type: 'FIXED_ASSET', subType: 'ACCUMULATED_DEPRECIATION' },
    'Current Asset': { type: 'OTHER_CURRENT_ASSET' },
    Temporary: { type: 'OTHER_CURRENT_ASSET' },
  },
  LIABILITY: {
    Payable: { type: 'ACCOUNTS_PAYABLE' },
    Tax: { type: 'TAX_LIABILITY', subType: 'SALES_TAX' },
    'Current Liability': { type: 'OTHER_CURRENT_LIABILITY' },
    'Stock Received But Not Billed': { type: 'OTHER_CURRENT_LIABILITY' },
    'Asset Received But Not Billed': { type: 'OTHER_CURRENT_LIABILITY' },
    'Service Received But Not Billed': { type: 'OTHER_CURRENT_LIABILITY' },
    Liability: { type: 'OTHER_LIABILITY' },
  },
  EQUITY: { Equity: { type: 'EQUITY' }, 'Round Off for Opening': { type: 'EQUITY', subType: 'ROUNDING' } },
  INCOME: {
    'Direct Income': { type: 'INCOME' },
    'Income Account': { type: 'INCOME' },
    'Indirect Income': { type: 'OTHER_INCOME' },
  },
  EXPENSE: {
    'Cost of Goods Sold': { type: 'COST_OF_GOODS_SOLD' },
    'Direct Expense': { type: 'COST_OF_GOODS_SOLD' },
    'Stock Adjustment': { type: 'COST_OF_GOODS_SOLD' },
    'Expenses Included In Valuation': { type: 'COST_OF_GOODS_SOLD' },
    'Expenses Included In Asset Valuation': { type: 'COST_OF_GOODS_SOLD' },
    Depreciation: { type: 'DEPRECIATION' },
    'Expense Account': { type: 'EXPENSE' },
    'Indirect Expense': { type: 'EXPENSE' },
    Chargeable: { type: 'EXPENSE' },
    'Round Off': { type: 'EXPENSE', subType: 'ROUNDING' },
  },
}

/**
 * Values of one class that have their own meaning in another: advances, overdrafts, recoverable and non-recoverable
 * taxes.
 */
const ELSEWHERE: typeof RULES = {
  ASSET: {
    Payable: { type: 'PREPAYMENT' },
    Tax: { type: 'OTHER_CURRENT_ASSET', subType: 'SALES_TAX' },
    'Stock Received But Not Billed': { type: 'OTHER_CURRENT_ASSET' },
    'Asset Received But Not Billed': { type: 'OTHER_CURRENT_ASSET' },
    'Service Received But Not Billed': { type: 'OTHER_CURRENT_ASSET' },
  },
  LIABILITY: {
    Bank: { type: 'OTHER_CURRENT_LIABILITY' },
    Cash: { type: 'OTHER_CURRENT_LIABILITY' },
    Receivable: { type: 'OTHER_CURRENT_LIABILITY', subType: 'CUSTOMER_DEPOSIT' },
    Temporary: { type: 'OTHER_CURRENT_LIABILITY' },
  },
  INCOME: { 'Round Off': { type: 'OTHER_INCOME', subType: 'ROUNDING' } },
  EXPENSE: { Tax: { type: 'EXPENSE', subType: 'TAX_EXPENSE' } },
}

/** Groups of the default charts by class: the type of an account without one, in that group. */
const GROUPS: Readonly<Partial<Record<AccountClass, Readonly<Record<string, AccountType>>>>> = {
  ASSET: {
    'Current Assets': 'OTHER_CURRENT_ASSET',
    'Loans and Advances (Assets)': 'OTHER_CURRENT_ASSET',
    'Securities and Deposits': 'OTHER_CURRENT_ASSET',
    'Fixed Assets': 'FIXED_ASSET',
    Investments: 'OTHER_ASSET',
    'Stock Assets': 'INVENTORY',
  },
  LIABILITY: {
    'Current Liabilities': 'OTHER_CURRENT_LIABILITY',
    'Accounts Payable': 'OTHER_CURRENT_LIABILITY',
    'Duties and Taxes': 'TAX_LIABILITY',
    'Loans (Liabilities)': 'LONG_TERM_LIABILITY',
    'Stock Liabilities': 'OTHER_CURRENT_LIABILITY',
  },
  INCOME: { 'Direct Income': 'INCOME', 'Indirect Income': 'OTHER_INCOME' },
  EXPENSE: { 'Direct Expenses': 'COST_OF_GOODS_SOLD', 'Stock Expenses': 'COST_OF_GOODS_SOLD', 'Indirect Expenses': 'EXPENSE' },
}

/**
 * Type of the group with this id: number, name and the company's abbreviation, `1100 - Current Assets - WP`; undefined
 * for another group.
 */
export function findTypeOfGroup(accountClass: AccountClass, groupId: string): AccountType | undefined {
  const parts = groupId.split(' - ')
  return Object.entries(GROUPS[accountClass] ?? {}).find(([name]) => parts.includes(name))?.[1]
}

export function findClass(rootType: string): AccountClass | undefined {
  return Object.hasOwn(CLASSES, rootType) ? CLASSES[rootType] : undefined
}

/** Class of an account type; undefined for a value that ERPNext does not publish. */
export function classOfType(accountType: string): AccountClass | undefined {
  return Object.values(CLASSES).find((each) => Object.hasOwn(RULES[each] ?? {}, accountType))
}

export function findTypeRule(accountClass: AccountClass, accountType: string): TypeRule | undefined {
  const rules = [RULES[accountClass], ELSEWHERE[accountClass]]
  return rules.find((each) => each && Object.hasOwn(each, accountType))?.[accountType]
}

const CLASS_WORDS = new Map(Object.entries(CLASSES).map(([word, accountClass]) => [accountClass, word]))

export const typeTable: TypeTable = {
  rows: [
    ...plainRows(
      'account_type, in its own class',
      Object.entries(RULES).flatMap(([accountClass, rules]) => toWords(accountClass, rules)),
    ),
    ...plainRows(
      'account_type, in another class',
      Object.entries(ELSEWHERE).flatMap(([accountClass, rules]) => toWords(accountClass, rules)),
    ),
    ...plainRows(
      'root_type, without an account_type',
      Object.keys(CLASSES).map((root_type) => ({ root_type })),
    ),
    { group: 'Groups', words: { is_group: '1' }, means: { wire: { is_group: 1, root_type: 'Asset' } } },
    ...[0, 1].map((disabled) => ({
      group: 'Status',
      words: { disabled: String(disabled) },
      means: { wire: { disabled } },
      isStatus: true,
    })),
  ],
  rules: [
    'The root of the tree decides the class, the account_type what the account is within it: the same word means something else on the other side of the balance sheet.',
    'A group adds up its children and takes no entries.',
    NAMES_RULE,
  ],
}

function toWords(accountClass: string, rules: Readonly<Record<string, TypeRule>>): { root_type: string; account_type: string }[] {
  const [root_type = ''] = [...CLASS_WORDS].filter(([each]) => each === accountClass).map(([, word]) => word)
  return Object.keys(rules).map((account_type) => ({ root_type, account_type }))
}
