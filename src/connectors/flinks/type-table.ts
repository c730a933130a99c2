import type { BankAccountKind } from '../../model/records/banking.ts'
import type { TypeTable } from '../contract/type-table.ts'
import { kindWithin } from '../toolkit/names/product-names.ts'

type Table = Readonly<Record<string, BankAccountKind>>

const CHECKING: BankAccountKind = { type: 'Cash', subType: 'Checking' }
const SAVINGS: BankAccountKind = { type: 'Cash', subType: 'Savings' }
const CD: BankAccountKind = { type: 'Cash', subType: 'Cd' }
const CARD: BankAccountKind = { type: 'CreditCards', subType: 'CreditCard' }
const LINE: BankAccountKind = { type: 'Loans', subType: 'LineOfCredit' }
const MORTGAGE: BankAccountKind = { type: 'Loans', subType: 'Mortgage' }
const OTHER_LOAN: BankAccountKind = { type: 'Loans', subType: 'OtherLoan' }
const PERSONAL_LOAN: BankAccountKind = { type: 'Loans', subType: 'PersonalLoan' }
const REGISTERED: BankAccountKind = { type: 'Investments', subType: 'RegisteredPlan' }
const OTHER_INVESTMENT: BankAccountKind = { type: 'Investments', subType: 'OtherInvestment' }
const UNKNOWN: BankAccountKind = { type: 'Other', subType: 'Unknown' }

const DEBTS: Table = {
  CreditCard: CARD,
  LineOfCredit: LINE,
  Mortgage: MORTGAGE,
  PersonalLoan: PERSONAL_LOAN,
  Overdraft: { type: 'Loans', subType: 'Overdraft' },
  StudentLoan: { type: 'Loans', subType: 'StudentLoan' },
  AutoLoan: { type: 'Loans', subType: 'AutoLoan' },
  Loan: OTHER_LOAN,
}

interface Group {
  /** By type. */
  table: Table
  other: BankAccountKind
  /** Account types that may be derived from a title in this category, when the type is unknown. */
  types: ReadonlySet<BankAccountKind['type']> | 'any'
}

const OF_DEBTS: Group['types'] = new Set(['Loans', 'CreditCards'])

/** By category. Source: the page of account types on docs.flinks.com, and recorded answers */
const GROUPS: Readonly<Record<string, Group>> = {
  Operations: {
    table: { Chequing: CHECKING, Checking: CHECKING, Savings: SAVINGS },
    other: { type: 'Cash', subType: 'OtherCash' },
    types: new Set(['Cash']),
  },
  Credits: { table: DEBTS, other: OTHER_LOAN, types: OF_DEBTS },
  Loans: { table: DEBTS, other: OTHER_LOAN, types: OF_DEBTS },
  Products: {
    table: {
      ...DEBTS,
      TermDeposit: CD,
      GIC: CD,
      Investment: OTHER_INVESTMENT,
      ...Object.fromEntries(
        ['RRSP', 'TFSA', 'RESP', 'RRIF', 'FHSA', 'LIRA', 'LIF', 'RDSP', 'RegisteredPlan'].map((type) => [type, REGISTERED] as const),
      ),
      MutualFund: { type: 'Investments', subType: 'MutualFund' },
      Pension: { type: 'Investments', subType: 'Pension' },
    },
    other: UNKNOWN,
    types: 'any',
  },
  Other: { table: {}, other: UNKNOWN, types: 'any' },
}

/** Words are compared without regard to capitals, blanks and signs. */
const GROUPS_BY_WORD = new Map(Object.entries(GROUPS).map(([word, group]) => [plain(word), { ...group, byWord: byPlainWord(group.table) }]))

function byPlainWord(table: Table): ReadonlyMap<string, BankAccountKind> {
  return new Map(Object.entries(table).map(([word, kind]) => [plain(word), kind]))
}

function plain(word: string | null): string {
  return (word ?? '').toLowerCase().replace(/[^a-z]/g, '')
}

export interface KindWords {
  category: string | null
  type: string | null
  title: string
  isBusiness: boolean
}

/**
 * Kind for the values of Flinks. `onUnknown` is called with a value that the tables lack, and with a title that does
 * not resolve an absent type.
 */
export function toKind({ category, type, title, isBusiness }: KindWords, onUnknown: (word: string) => void): BankAccountKind {
  const group = GROUPS_BY_WORD.get(plain(category))
  if (!group) onUnknown(`${category ?? 'null'}/${type ?? 'null'}`)
  const isTold = plain(type) !== '' && plain(type) !== 'unknown'
  const known = group?.byWord.get(plain(type))
  if (group && !known && isTold) onUnknown(`${category}/${type}`)
  const isHeard = !group || isTold
  const kind = known ?? kindWithin(title, group?.types ?? 'any', group?.other ?? UNKNOWN, isHeard ? () => undefined : onUnknown)
  return isBusiness ? ofBusiness(kind) : kind
}

function ofBusiness(kind: BankAccountKind): BankAccountKind {
  if (kind.subType === 'CreditCard') return { type: 'CreditCards', subType: 'BusinessCard' }
  if (kind.subType === 'OtherLoan') return { type: 'Loans', subType: 'BusinessLoan' }
  return kind.subType === 'OtherCash' ? { type: 'Cash', subType: 'BusinessAccount' } : kind
}

/** Credit lines: kinds of account for which a limit and available credit are meaningful. */
export function isCreditLine({ type, subType }: BankAccountKind): boolean {
  return type === 'CreditCards' || subType === 'LineOfCredit' || subType === 'Overdraft'
}

const wireOf = (account: object) => ({ account: { Id: '1', Mask: '', ...account }, login: {}, institution: {} })

export const typeTable: TypeTable = {
  rows: Object.entries(GROUPS).flatMap(([category, { table }]) =>
    [null, ...Object.keys(table)].flatMap((type) =>
      [false, true].map((isBusiness) => {
        const words = { Category: category, ...(type === null ? {} : { Type: type }), ...(isBusiness ? { AccountType: 'Business' } : {}) }
        return { group: 'Category and Type', words, means: { wire: wireOf(words) } }
      }),
    ),
  ),
  rules: [
    'Words are compared without regard to capitals, blanks and signs.',
    'Where the type is missing or says nothing that is known, words of the title decide, in English and in French.',
    'Where they say nothing either the other kind of the category stands, without a known category Unknown. A word that is not in the table is counted, else the title.',
    'A chequing account with an overdraft limit stays one account: the limit is its credit line.',
    'Flinks lists open accounts only: all are ACTIVE.',
  ],
}
