import type { AccountClass, AccountType } from '../../model/records/accounting.ts'
import { NAMES_RULE, type TypeTable, type WordRow } from '../contract/type-table.ts'

/** Mapping of an account by its nominal code. */
export interface CodeRule {
  class: AccountClass
  type: AccountType
  /** Empty when no more specific type is known. */
  subType: string
  /** False for a range inferred from its neighbours: its codes are counted as unknown. */
  isSure: boolean
}

interface Range extends CodeRule {
  first: number
  last: number
}

/**
 * Ranges of nominal codes, the narrower ones first: the first match counts. Those for the owner's own categories are
 * exact, the others are the codes that a new company has. What lies between codes of one kind is guessed, and counted.
 * Source: https://dev.freeagent.com/docs/categories and
 * …/balance_sheet
 */
const RANGES: readonly Range[] = [
  range(51, 51, 'INCOME', 'OTHER_INCOME', 'INTEREST_INCOME'),
  range(55, 58, 'INCOME', 'OTHER_INCOME'),
  range(401, 409, 'EXPENSE', 'EXPENSE', 'PAYROLL'),
  range(450, 450, 'EXPENSE', 'EXPENSE', 'BAD_DEBT'),
  range(460, 460, 'EXPENSE', 'DEPRECIATION'),
  range(461, 461, 'EXPENSE', 'OTHER_EXPENSE'),
  range(502, 503, 'EXPENSE', 'EXPENSE', 'TAX_EXPENSE'),
  range(599, 599, 'UNKNOWN', 'OTHER', 'SUSPENSE'),
  range(605, 607, 'ASSET', 'FIXED_ASSET', 'ACCUMULATED_DEPRECIATION'),
  range(601, 604, 'ASSET', 'FIXED_ASSET'),
  range(609, 610, 'ASSET', 'INVENTORY'),
  range(620, 620, 'ASSET', 'PREPAYMENT'),
  range(630, 633, 'ASSET', 'OTHER_ASSET', 'INVESTMENT'),
  range(650, 650, 'LIABILITY', 'OTHER_LIABILITY'),
  range(660, 660, 'LIABILITY', 'OTHER_CURRENT_LIABILITY'),
  range(670, 670, 'EQUITY', 'EQUITY', 'SHARE_CAPITAL'),
  range(681, 681, 'ASSET', 'ACCOUNTS_RECEIVABLE'),
  range(750, 750, 'ASSET', 'BANK'),
  // Money that has left one account of the bank and not reached the other yet.
  range(760, 761, 'ASSET', 'OTHER_CURRENT_ASSET'),
  // Contra accounts: they hold what is set off against something else, on either side.
  guess(790, 790, 'UNKNOWN', 'OTHER'),
  range(792, 793, 'LIABILITY', 'LONG_TERM_LIABILITY', 'LEASE'),
  range(794, 794, 'LIABILITY', 'OTHER_CURRENT_LIABILITY'),
  range(795, 795, 'LIABILITY', 'LONG_TERM_LIABILITY'),
  range(796, 796, 'LIABILITY', 'ACCOUNTS_PAYABLE'),
  range(797, 797, 'LIABILITY', 'OTHER_CURRENT_LIABILITY'),
  range(798, 798, 'LIABILITY', 'OTHER_CURRENT_LIABILITY', 'LEASE'),
  range(799, 799, 'LIABILITY', 'LONG_TERM_LIABILITY', 'LEASE'),
  range(813, 815, 'LIABILITY', 'OTHER_CURRENT_LIABILITY', 'PAYROLL_LIABILITY'),
  range(817, 819, 'LIABILITY', 'TAX_LIABILITY', 'SALES_TAX'),
  range(823, 824, 'LIABILITY', 'TAX_LIABILITY', 'SALES_TAX'),
  range(820, 820, 'LIABILITY', 'TAX_LIABILITY', 'INCOME_TAX'),
  range(825, 825, 'LIABILITY', 'TAX_LIABILITY', 'INCOME_TAX'),
  range(901, 901, 'EQUITY', 'EQUITY', 'SHARE_CAPITAL'),
  range(908, 908, 'EQUITY', 'EQUITY', 'DIVIDENDS'),
  range(910, 910, 'ASSET', 'OTHER_CURRENT_ASSET'),
  range(968, 968, 'EQUITY', 'RETAINED_EARNINGS'),
  guess(998, 998, 'UNKNOWN', 'OTHER'),
  range(999, 999, 'UNKNOWN', 'OTHER', 'SUSPENSE'),
  range(1, 49, 'INCOME', 'INCOME'),
  range(96, 199, 'EXPENSE', 'COST_OF_GOODS_SOLD'),
  range(200, 399, 'EXPENSE', 'EXPENSE'),
  range(671, 720, 'ASSET', 'OTHER_CURRENT_ASSET'),
  range(731, 780, 'LIABILITY', 'OTHER_CURRENT_LIABILITY'),
  range(900, 910, 'LIABILITY', 'OTHER_CURRENT_LIABILITY', 'SHAREHOLDER_LOAN'),
  range(921, 960, 'EQUITY', 'EQUITY'),
  guess(52, 59, 'INCOME', 'OTHER_INCOME'),
  guess(400, 598, 'EXPENSE', 'EXPENSE'),
  guess(600, 640, 'ASSET', 'OTHER_ASSET'),
  guess(721, 730, 'ASSET', 'OTHER_ASSET'),
  guess(781, 899, 'LIABILITY', 'OTHER_LIABILITY'),
  guess(911, 967, 'EQUITY', 'EQUITY'),
]

/** Accounts of the business's owners: equity if they are the business, debts if it is a separate legal entity. */
const OWNERS = { first: 900, last: 910 }
const OWNED_BY_PEOPLE = /SoleTrader|SoleProprietor|Partnership$/

/** Rules by group, for codes outside all ranges. */
const BY_GROUP: ReadonlyMap<string, CodeRule> = new Map([
  ['income_categories', { class: 'INCOME', type: 'INCOME', subType: '', isSure: false }],
  ['cost_of_sales_categories', { class: 'EXPENSE', type: 'COST_OF_GOODS_SOLD', subType: '', isSure: false }],
  ['admin_expenses_categories', { class: 'EXPENSE', type: 'EXPENSE', subType: '', isSure: false }],
])

const UNKNOWN: CodeRule = { class: 'UNKNOWN', type: 'OTHER', subType: '', isSure: false }

/**
 * Rule of a nominal code, with or without a sub-account after a hyphen; the company's type decides over the accounts of
 * its owners.
 */
export function toCodeRule(nominalCode: string, group: string, companyType: string): CodeRule {
  const digits = /^(\d{3})(?:-|$)/.exec(nominalCode)?.[1]
  const code = Number(digits ?? Number.NaN)
  if (code >= OWNERS.first && code <= OWNERS.last && OWNED_BY_PEOPLE.test(companyType)) {
    return { class: 'EQUITY', type: 'EQUITY', subType: 'OWNERS_EQUITY', isSure: true }
  }
  return RANGES.find(({ first, last }) => code >= first && code <= last) ?? BY_GROUP.get(group) ?? UNKNOWN
}

function range(first: number, last: number, accountClass: AccountClass, type: AccountType, subType = ''): Range {
  return { first, last, class: accountClass, type, subType, isSure: true }
}

function guess(first: number, last: number, accountClass: AccountClass, type: AccountType): Range {
  return { first, last, class: accountClass, type, subType: '', isSure: false }
}

/** Code of a range that no narrower range before it covers. */
function codeIn(range: Range): string {
  for (let code = range.first; code <= range.last; code++) {
    if (RANGES.find(({ first, last }) => code >= first && code <= last) === range) return String(code).padStart(3, '0')
  }
  throw new RangeError('a range of codes that others cover')
}

const NO_BOOKS = { group: '', bankAccount: null, company: {} }

function bankRow(words: Readonly<Record<string, string>>, bankAccount: object): WordRow {
  return {
    group: 'Sub-accounts of 750, by the type of their bank account',
    words,
    means: { wire: { ...NO_BOOKS, category: { nominal_code: '750' }, bankAccount } },
  }
}

export const typeTable: TypeTable = {
  rows: [
    ...RANGES.map((range) => ({
      group: range.isSure ? 'nominal_code' : 'nominal_code, guessed from its neighbours and counted',
      words: { nominal_code: range.first === range.last ? codeIn(range) : `${range.first} to ${range.last}` },
      means: { wire: { ...NO_BOOKS, category: { nominal_code: codeIn(range) } } },
    })),
    {
      group: 'Accounts of the people who own the business, where they are the business',
      words: { nominal_code: `${OWNERS.first} to ${OWNERS.last}`, 'type of the company': 'SoleTrader, SoleProprietor, Partnership' },
      means: { wire: { ...NO_BOOKS, category: { nominal_code: String(OWNERS.first) }, company: { type: 'UkSoleTrader' } } },
    },
    ...[...BY_GROUP.keys()].map((group) => ({
      group: 'The list that a category of another code stands in',
      words: { list: group },
      means: { wire: { ...NO_BOOKS, category: { nominal_code: 'none' }, group } },
    })),
    ...['StandardBankAccount', 'EcommerceAccount', 'PaypalAccount', 'CreditCardAccount'].map((type) => bankRow({ type }, { type })),
    ...['active', 'hidden'].map((status) => ({ ...bankRow({ status }, { status }), group: 'Status', isStatus: true })),
  ],
  rules: [
    'A category has no class and no type: its nominal code decides, or the bank account that it stands for. The narrower range counts.',
    'A category without a bank account is active: one that is not in use is deleted.',
    NAMES_RULE,
  ],
}
