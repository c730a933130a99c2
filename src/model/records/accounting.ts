/** Version of the enum values below; a change of meaning raises it. */
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

/** Meaning of each enum value, for the documentation. */
export const ACCOUNTING_MEANINGS: {
  classes: Readonly<Record<AccountClass, string>>
  types: Readonly<Record<AccountType, string>>
  statuses: Readonly<Record<AccountStatus, string>>
} = {
  classes: {
    ASSET: 'What the business owns or is owed.',
    LIABILITY: 'What the business owes.',
    EQUITY: 'What belongs to the owners.',
    INCOME: 'What the business earns.',
    EXPENSE: 'What the business spends, costs of sales included.',
    NON_POSTING: 'Takes no postings: headings, totals, views, statistics, accounts off the balance sheet. Never add it to the others.',
    UNKNOWN: 'The source does not say, or in a word that we do not know.',
  },
  types: {
    BANK: 'Money at banks and in hand.',
    ACCOUNTS_RECEIVABLE: 'What customers owe.',
    INVENTORY: 'Goods and materials.',
    PREPAYMENT: 'Paid ahead.',
    OTHER_CURRENT_ASSET: 'Other assets of the next twelve months.',
    FIXED_ASSET: 'Land, buildings, equipment, vehicles, and what was written off of them.',
    OTHER_ASSET: 'Other assets, long-term ones among them.',
    ACCOUNTS_PAYABLE: 'What is owed to suppliers.',
    CREDIT_CARD: 'What is owed on cards.',
    TAX_LIABILITY: 'Taxes collected or owed.',
    OTHER_CURRENT_LIABILITY: 'Other debts of the next twelve months.',
    LONG_TERM_LIABILITY: 'Debts of more than twelve months.',
    OTHER_LIABILITY: 'Debts of which no more is known.',
    EQUITY: 'Capital, contributions, drawings, dividends.',
    RETAINED_EARNINGS: 'Results of the past that stayed in the business.',
    INCOME: 'Income of the ordinary business.',
    OTHER_INCOME: 'Income beside it: interest, gains.',
    COST_OF_GOODS_SOLD: 'Direct costs of what was sold.',
    EXPENSE: 'Expenses of the ordinary business.',
    DEPRECIATION: 'Wear of the year: depreciation and amortization.',
    OTHER_EXPENSE: 'Expenses beside the ordinary business.',
    OTHER: 'Fits nowhere above: non-posting and unknown accounts.',
  },
  statuses: {
    ACTIVE: 'In use.',
    ARCHIVED: 'Inactive, blocked or closed; its history stays.',
    DELETED: 'The source says that it is deleted.',
    UNKNOWN: 'The source does not say, or in a word that we do not know.',
  },
}
