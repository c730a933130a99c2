import type { AccountClass, AccountType } from '../../model/records/accounting.ts'
import type { TypeRule, TypeTable, WordRow } from '../contract/type-table.ts'

/** Refinement by a more specific value. A type applies only within the account's class; the sub type always. */
export interface Refinement {
  type?: readonly [AccountClass, AccountType]
  subType?: string
}

/**
 * Every Type of Xero's document, and those of Australian payroll files.
 * Source: https://github.com/XeroAPI/Xero-OpenAPI/blob/master/xero_accounting.yaml (AccountType)
 */
const TYPES: ReadonlyMap<string, TypeRule> = new Map<string, TypeRule>([
  ['BANK', { class: 'ASSET', type: 'BANK' }],
  ['CURRENT', { class: 'ASSET', type: 'OTHER_CURRENT_ASSET' }],
  ['INVENTORY', { class: 'ASSET', type: 'INVENTORY' }],
  ['PREPAYMENT', { class: 'ASSET', type: 'PREPAYMENT' }],
  ['FIXED', { class: 'ASSET', type: 'FIXED_ASSET' }],
  ['NONCURRENT', { class: 'ASSET', type: 'OTHER_ASSET' }],
  ['CURRLIAB', { class: 'LIABILITY', type: 'OTHER_CURRENT_LIABILITY' }],
  ['PAYG', { class: 'LIABILITY', type: 'TAX_LIABILITY' }],
  ['PAYGLIABILITY', { class: 'LIABILITY', type: 'TAX_LIABILITY' }],
  ['SUPERANNUATIONLIABILITY', { class: 'LIABILITY', type: 'OTHER_CURRENT_LIABILITY', subType: 'PAYROLL_LIABILITY' }],
  ['LIABILITY', { class: 'LIABILITY', type: 'OTHER_LIABILITY' }],
  ['TERMLIAB', { class: 'LIABILITY', type: 'LONG_TERM_LIABILITY' }],
  ['EQUITY', { class: 'EQUITY', type: 'EQUITY' }],
  ['REVENUE', { class: 'INCOME', type: 'INCOME' }],
  ['SALES', { class: 'INCOME', type: 'INCOME', subType: 'SALES' }],
  ['OTHERINCOME', { class: 'INCOME', type: 'OTHER_INCOME' }],
  ['DIRECTCOSTS', { class: 'EXPENSE', type: 'COST_OF_GOODS_SOLD' }],
  ['EXPENSE', { class: 'EXPENSE', type: 'EXPENSE' }],
  ['OVERHEADS', { class: 'EXPENSE', type: 'EXPENSE' }],
  ['WAGESEXPENSE', { class: 'EXPENSE', type: 'EXPENSE', subType: 'PAYROLL' }],
  ['SUPERANNUATIONEXPENSE', { class: 'EXPENSE', type: 'EXPENSE', subType: 'PAYROLL' }],
  ['DEPRECIATN', { class: 'EXPENSE', type: 'DEPRECIATION' }],
])

/**
 * Rules by BankAccountType of an account of Type BANK. Xero's Class is ASSET for a credit card, which is money owed.
 */
const BANK_KINDS: ReadonlyMap<string, TypeRule> = new Map<string, TypeRule>([
  ['BANK', { class: 'ASSET', type: 'BANK' }],
  ['CREDITCARD', { class: 'LIABILITY', type: 'CREDIT_CARD' }],
  ['PAYPAL', { class: 'ASSET', type: 'BANK', subType: 'PAYPAL' }],
])

/** Accounts that Xero keeps itself, by SystemAccount. */
const SYSTEM_ACCOUNTS: ReadonlyMap<string, Refinement> = new Map<string, Refinement>([
  ['DEBTORS', { type: ['ASSET', 'ACCOUNTS_RECEIVABLE'] }],
  ['CREDITORS', { type: ['LIABILITY', 'ACCOUNTS_PAYABLE'] }],
  ['GST', { type: ['LIABILITY', 'TAX_LIABILITY'], subType: 'SALES_TAX' }],
  ['GSTONIMPORTS', { type: ['LIABILITY', 'TAX_LIABILITY'], subType: 'SALES_TAX' }],
  ['WAGEPAYABLES', { subType: 'PAYROLL_LIABILITY' }],
  ['UNPAIDEXPCLM', { subType: 'PAYROLL_LIABILITY' }],
  ['ROUNDING', { subType: 'ROUNDING' }],
  ['HISTORICAL', { subType: 'SUSPENSE' }],
  ['TRACKINGTRANSFERS', { subType: 'SUSPENSE' }],
  ['RETAINEDEARNINGS', { type: ['EQUITY', 'RETAINED_EARNINGS'] }],
  ['BANKCURRENCYGAIN', { subType: 'FX_GAIN_LOSS' }],
  ['REALISEDCURRENCYGAIN', { subType: 'FX_GAIN_LOSS' }],
  ['UNREALISEDCURRENCYGAIN', { subType: 'FX_GAIN_LOSS' }],
  // The Construction Industry Scheme of the United Kingdom: known, without a more specific type.
  ...['CISASSET', 'CISASSETS', 'CISLABOUR', 'CISLABOUREXPENSE', 'CISLABOURINCOME', 'CISLIABILITY', 'CISMATERIALS'].map(
    (word) => [word, {}] as const,
  ),
])

/**
 * Sub types by ReportingCode: the code itself or the codes below it. The accountant sets these codes, so they never
 * change a type.
 */
const REPORTING_CODES: readonly (readonly [code: string, subType: string])[] = [
  ['LIA.CUR.TAX.VAT', 'SALES_TAX'],
  ['LIA.NCL.LOA', 'LOAN'],
  ['REV.TRA.GOO', 'SALES'],
  ['REV.TRA.SER', 'SERVICES'],
  ['REV.INV.INT', 'INTEREST_INCOME'],
  ['EXP.FOR', 'FX_GAIN_LOSS'],
  ['EQU.SHA', 'SHARE_CAPITAL'],
  ['EQU.RET.DIV', 'DIVIDENDS'],
]
/** Type under which codes of each root occur. */
const TYPE_OF_ROOT: Readonly<Record<string, string>> = { ASS: 'FIXED', LIA: 'TERMLIAB', EQU: 'EQUITY', REV: 'REVENUE', EXP: 'EXPENSE' }
const REPORTING_ROOTS = /^(ASS|LIA|EQU|REV|EXP)(\.|$)/

/**
 * Rule of a Type, spelled exactly; null for a value that is not in the table. A bank account's rule depends on its
 * kind.
 */
export function findTypeRule(type: string, bankAccountType: string): TypeRule | null {
  const rule = TYPES.get(type) ?? null
  return type === 'BANK' ? (BANK_KINDS.get(bankAccountType) ?? rule) : rule
}

/** Whether the kind is known; `NONE` and an absent value are. */
export function isKnownBankKind(bankAccountType: string): boolean {
  return bankAccountType === 'NONE' || bankAccountType === '' || BANK_KINDS.has(bankAccountType)
}

export function findSystemAccount(systemAccount: string): Refinement | null {
  return SYSTEM_ACCOUNTS.get(systemAccount) ?? null
}

/**
 * Sub type by ReportingCode, empty when none. `.ACC` at the end of a fixed asset's code marks accumulated depreciation.
 */
export function subTypeOfReportingCode(code: string, type: AccountType): string {
  if (type === 'FIXED_ASSET' && code.endsWith('.ACC')) return 'ACCUMULATED_DEPRECIATION'
  return REPORTING_CODES.find(([prefix]) => code === prefix || code.startsWith(`${prefix}.`))?.[1] ?? ''
}

export function isKnownReportingCode(code: string): boolean {
  return code === '' || REPORTING_ROOTS.test(code)
}

/** Each system account with a Type under which Xero keeps it. */
function refinementRows(): WordRow[] {
  const homes: Readonly<Record<string, string>> = { ASSET: 'CURRENT', LIABILITY: 'CURRLIAB', EQUITY: 'EQUITY' }
  const told = [...SYSTEM_ACCOUNTS].filter(([, { type, subType }]) => type || subType)
  const words = told.map(([SystemAccount, { type, subType }]) => ({
    Type: subType === 'FX_GAIN_LOSS' ? 'EXPENSE' : (homes[type?.[0] ?? 'LIABILITY'] ?? ''),
    SystemAccount,
  }))
  return accountRows('SystemAccount', words)
}

function accountRows(group: string, words: readonly Record<string, string>[]): WordRow[] {
  return words.map((each) => ({ group, words: each, means: { wire: { Account: each, Organisation: {} } } }))
}

const REPORTING_ROWS = REPORTING_CODES.map(([ReportingCode]) => ({ ReportingCode, Type: TYPE_OF_ROOT[ReportingCode.slice(0, 3)] ?? '' }))

export const typeTable: TypeTable = {
  rows: [
    ...accountRows(
      'Type',
      [...TYPES.keys()].map((Type) => ({ Type })),
    ),
    ...accountRows(
      'BankAccountType of Type BANK',
      [...BANK_KINDS.keys()].map((BankAccountType) => ({ Type: 'BANK', BankAccountType })),
    ),
    ...refinementRows(),
    ...accountRows('ReportingCode, also those below it', [...REPORTING_ROWS, { Type: 'FIXED', ReportingCode: 'ASS.NCA.FIX.ACC' }]),
    ...['ACTIVE', 'ARCHIVED', 'DELETED'].map((Status) => ({
      group: 'Status',
      words: { Status },
      means: { wire: { Account: { Status }, Organisation: {} } },
      isStatus: true,
    })),
  ],
  rules: [
    'Credit cards: Xero files every bank account under Class ASSET, credit cards too. A card is money owed, so its class is LIABILITY; `classApp` keeps the ASSET of Xero. Where Class and Type disagree otherwise, the Type wins as well.',
    'A SystemAccount changes a type only within the class that the account has: GST on an asset stays an asset.',
    'A ReportingCode, which anyone may set, gives a sub type and never changes a type.',
    'Where nothing of these tells more, the name of the account does, in English and French: rent, insurance, wages payable. A name with words of two meanings says nothing, and an account that Xero keeps itself is never told by its name.',
    'A Type that is not in the table takes the least that its Class allows, and is counted.',
  ],
}
