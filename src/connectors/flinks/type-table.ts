import type { BankAccountKind } from '../../model/banking.ts'
import type { TypeTable } from '../type-table.ts'

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
  /** What the title says where the type says nothing that is known, in both languages. */
  titles: readonly (readonly [RegExp, BankAccountKind])[]
}

const DEBT_TITLES: Group['titles'] = [
  [/hypoth|mortgage/i, MORTGAGE],
  [/marge|line of credit|\bloc\b/i, LINE],
  [/visa|master ?card|amex|american express|\bcarte\b|\bcard\b/i, CARD],
  [/prêt personnel|personal loan/i, PERSONAL_LOAN],
]

/** By category. Source: the page of account types on docs.flinks.com, and recorded answers */
const GROUPS: Readonly<Record<string, Group>> = {
  Operations: {
    table: { Chequing: CHECKING, Checking: CHECKING, Savings: SAVINGS },
    other: { type: 'Cash', subType: 'OtherCash' },
    titles: [
      [/épargne|epargne|saving/i, SAVINGS],
      [/chèque|chequ|checking|opérations|courant/i, CHECKING],
    ],
  },
  Credits: { table: DEBTS, other: OTHER_LOAN, titles: DEBT_TITLES },
  Loans: { table: DEBTS, other: OTHER_LOAN, titles: DEBT_TITLES },
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
    titles: [
      [/hypoth|mortgage/i, MORTGAGE],
      [/\b(rrsp|reer|tfsa|celi|resp|reee|rrif|ferr|fhsa|celiapp|lira|cri|rdsp|reei)\b/i, REGISTERED],
      [/\b(gic|cpg)\b|dépôt à terme|term deposit/i, CD],
      [/placement|investment/i, OTHER_INVESTMENT],
    ],
  },
  Other: { table: {}, other: UNKNOWN, titles: [] },
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

/** Our kind for Flinks' words. `onUnknown` hears a word that the tables lack; an absent type is no unknown word. */
export function toKind({ category, type, title, isBusiness }: KindWords, onUnknown: (word: string) => void): BankAccountKind {
  const group = GROUPS_BY_WORD.get(plain(category))
  if (!group) {
    onUnknown(`${category ?? 'null'}/${type ?? 'null'}`)
    return UNKNOWN
  }
  const known = group.byWord.get(plain(type))
  if (!known && type !== null && type !== '' && type.toLowerCase() !== 'unknown') onUnknown(`${category}/${type}`)
  const kind = known ?? group.titles.find(([words]) => words.test(title))?.[1] ?? group.other
  return isBusiness ? ofBusiness(kind) : kind
}

function ofBusiness(kind: BankAccountKind): BankAccountKind {
  if (kind.subType === 'CreditCard') return { type: 'CreditCards', subType: 'BusinessCard' }
  if (kind.subType === 'OtherLoan') return { type: 'Loans', subType: 'BusinessLoan' }
  return kind.subType === 'OtherCash' ? { type: 'Cash', subType: 'BusinessAccount' } : kind
}

/** Accounts that the owner may draw on: their limit and what is left of it mean something. */
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
    'A type that is not in the table falls into the other kind of its category, a category that is not into Unknown; both are counted.',
    'A chequing account with an overdraft limit stays one account: the limit is its credit line.',
    'Flinks lists open accounts only: all are ACTIVE.',
  ],
}
