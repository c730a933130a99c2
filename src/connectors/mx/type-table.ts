import type { BankAccountKind } from '../../model/banking.ts'
import type { TypeTable } from '../type-table.ts'

type Table = Readonly<Record<string, BankAccountKind>>

const CHECKING: BankAccountKind = { type: 'Cash', subType: 'Checking' }
const OTHER_LOAN: BankAccountKind = { type: 'Loans', subType: 'OtherLoan' }
const LINE: BankAccountKind = { type: 'Loans', subType: 'LineOfCredit' }
const HELOC: BankAccountKind = { type: 'Loans', subType: 'Heloc' }
const PERSONAL: BankAccountKind = { type: 'Loans', subType: 'PersonalLoan' }
const MORTGAGE: BankAccountKind = { type: 'Loans', subType: 'Mortgage' }
const OTHER_INVESTMENT: BankAccountKind = { type: 'Investments', subType: 'OtherInvestment' }
const RETIREMENT: BankAccountKind = { type: 'Investments', subType: 'Retirement' }
const REGISTERED: BankAccountKind = { type: 'Investments', subType: 'RegisteredPlan' }
const UNKNOWN: BankAccountKind = { type: 'Other', subType: 'Unknown' }

const LOANS: Table = {
  AUTO: { type: 'Loans', subType: 'AutoLoan' },
  BOAT: PERSONAL,
  HELOC,
  HOME_EQUITY: { type: 'Loans', subType: 'HomeEquityLoan' },
  PERSONAL,
  PERSONAL_WITH_COLLATERAL: PERSONAL,
  POWERSPORTS: PERSONAL,
  RV: PERSONAL,
  SMALL_BUSINESS: { type: 'Loans', subType: 'BusinessLoan' },
  STUDENT: { type: 'Loans', subType: 'StudentLoan' },
}

const INVESTMENTS: Table = {
  BROKERAGE: { type: 'Investments', subType: 'Brokerage' },
  PLAN_529: { type: 'Investments', subType: 'EducationSavings' },
  PENSION: { type: 'Investments', subType: 'Pension' },
  TRUST: { type: 'Investments', subType: 'Trust' },
  ...Object.fromEntries(['IRA', 'PLAN_401_A', 'PLAN_401_K', 'PLAN_403_B', 'PLAN_457', 'ROTH_IRA'].map((word) => [word, RETIREMENT])),
  ...Object.fromEntries(['LIRA', 'RESP', 'RRIF', 'RRSP', 'TFSA'].map((word) => [word, REGISTERED])),
}

interface Group {
  /** Without a subtype, and with one that the table lacks. */
  own: BankAccountKind
  table: Table
}

const GROUPS: Readonly<Record<string, Group>> = {
  ANY: { own: UNKNOWN, table: {} },
  // The word of older versions.
  UNKNOWN: { own: UNKNOWN, table: {} },
  CHECKING: { own: CHECKING, table: {} },
  CHECKING_LINE_OF_CREDIT: { own: CHECKING, table: {} },
  SAVINGS: {
    own: { type: 'Cash', subType: 'Savings' },
    table: { MONEY_MARKET: { type: 'Cash', subType: 'Mmda' }, CERTIFICATE_OF_DEPOSIT: { type: 'Cash', subType: 'Cd' } },
  },
  CASH: { own: { type: 'Cash', subType: 'CashManagement' }, table: {} },
  PREPAID: { own: { type: 'Cash', subType: 'PrepaidDebitCard' }, table: {} },
  CREDIT_CARD: { own: { type: 'CreditCards', subType: 'CreditCard' }, table: {} },
  LOAN: { own: OTHER_LOAN, table: LOANS },
  LINE_OF_CREDIT: { own: LINE, table: { HELOC, HOME_EQUITY: HELOC } },
  MORTGAGE: { own: MORTGAGE, table: { MORTGAGE } },
  INVESTMENT: { own: OTHER_INVESTMENT, table: INVESTMENTS },
  INSURANCE: { own: { type: 'Insurance', subType: 'OtherInsurance' }, table: {} },
  PROPERTY: { own: { type: 'Other', subType: 'RealEstate' }, table: {} },
}

/** The words of one account; absent ones are null. */
export interface KindWords {
  type: string | null
  subtype: string | null
  propertyType: string | null
}

/** Our kind for the words of MX. `onUnknown` hears a word that the tables lack; an absent subtype is no unknown word. */
export function toKind({ type, subtype, propertyType }: KindWords, onUnknown: (word: string) => void): BankAccountKind {
  const group = type !== null && Object.hasOwn(GROUPS, type) ? GROUPS[type] : undefined
  if (!group) {
    onUnknown(`${type ?? 'null'}/${subtype ?? 'null'}`)
    return UNKNOWN
  }
  // What somebody owns besides a house: a car, a painting.
  if (type === 'PROPERTY' && (propertyType ?? 'REAL_ESTATE') !== 'REAL_ESTATE') return { type: 'Other', subType: 'OtherAsset' }
  if (subtype === null || subtype === 'NONE' || subtype === type) return group.own
  const kind = Object.hasOwn(group.table, subtype) ? group.table[subtype] : undefined
  if (!kind) onUnknown(`${type}/${subtype}`)
  return kind ?? group.own
}

export const typeTable: TypeTable = {
  rows: [
    ...Object.entries(GROUPS).flatMap(([type, { table }]) =>
      [null, ...Object.keys(table)].map((subtype) => ({
        group: 'type and subtype',
        words: { type, ...(subtype === null ? {} : { subtype }) },
        means: { wire: { account: { type, subtype }, member: {} } },
      })),
    ),
    ...[
      { words: { is_closed: 'false' }, account: { is_closed: false } },
      { words: { is_hidden: 'true' }, account: { is_hidden: true } },
      { words: { is_closed: 'true' }, account: { is_closed: true } },
    ].map(({ words, account }) => ({ group: 'Status', words, means: { wire: { account, member: {} } }, isStatus: true })),
  ],
  rules: [
    'A chequing account with a line of credit stays one chequing account; its limit is the total credit line.',
    'PROPERTY that is not REAL_ESTATE (a vehicle, art) is an OtherAsset.',
    'A subtype that is not in the table falls into the kind of its type alone, a type that is not into Unknown; both are counted.',
    'A loan of the subtype SMALL_BUSINESS is one of a business; MX tells nothing else about who holds an account.',
  ],
}
