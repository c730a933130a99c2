import type { Decimal } from './decimal.ts'
import type { Day } from './timestamps.ts'

/** Version of the words below; a change of meaning raises it. */
export const ACCOUNTING_TAXONOMY_VERSION = 1

export const ACCOUNT_CLASSES = ['ASSET', 'LIABILITY', 'EQUITY', 'INCOME', 'EXPENSE', 'NON_POSTING', 'UNKNOWN'] as const
export type AccountClass = (typeof ACCOUNT_CLASSES)[number]

export const ACCOUNT_TYPES = [
  'BANK',
  'ACCOUNTS_RECEIVABLE',
  'INVENTORY',
  'PREPAYMENT',
  'OTHER_CURRENT_ASSET',
  'FIXED_ASSET',
  'OTHER_ASSET',
  'ACCOUNTS_PAYABLE',
  'CREDIT_CARD',
  'TAX_LIABILITY',
  'OTHER_CURRENT_LIABILITY',
  'LONG_TERM_LIABILITY',
  'OTHER_LIABILITY',
  'EQUITY',
  'RETAINED_EARNINGS',
  'INCOME',
  'OTHER_INCOME',
  'COST_OF_GOODS_SOLD',
  'EXPENSE',
  'DEPRECIATION',
  'OTHER_EXPENSE',
  'OTHER',
] as const
export type AccountType = (typeof ACCOUNT_TYPES)[number]

export const ACCOUNT_STATUSES = ['ACTIVE', 'ARCHIVED', 'DELETED', 'UNKNOWN'] as const
export type AccountStatus = (typeof ACCOUNT_STATUSES)[number]

/** One row of a chart of accounts. `…App` is the source's own word, kept as it came; `…System` is ours. Absent text is empty. */
export interface AccountingAccount {
  origId: string
  number: string
  name: string
  /** ISO 4217, upper case; empty where the source does not say. */
  currency: string
  description: string
  classApp: string
  classSystem: AccountClass
  typeApp: string
  typeSystem: AccountType
  subTypeApp: string
  /** Open list, upper case with underscores; empty when nothing finer than the type is known. */
  subTypeSystem: string
  statusApp: string
  statusSystem: AccountStatus
}

/** One line of a journal entry. Exactly one of debit and credit is set, both are positive. */
export interface AccountingTransaction {
  origId: string
  /** The entry that the line belongs to: lines of one entry balance. */
  entryId: string
  /** `origId` of the account. */
  accountOrigId: string
  postedOn: Day | null
  document: string
  description: string
  counterparty: string
  debit: Decimal | null
  credit: Decimal | null
  currency: string
  /** The source's word for the kind of document. */
  sourceType: string
}
