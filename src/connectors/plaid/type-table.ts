import type { BankAccountKind } from '../../model/records/banking.ts'
import type { TypeTable } from '../contract/type-table.ts'

type Table = Readonly<Record<string, BankAccountKind>>

const CHECKING: BankAccountKind = { type: 'Cash', subType: 'Checking' }
const LINE: BankAccountKind = { type: 'Loans', subType: 'LineOfCredit' }
const OTHER_LOAN: BankAccountKind = { type: 'Loans', subType: 'OtherLoan' }
const RETIREMENT: BankAccountKind = { type: 'Investments', subType: 'Retirement' }
const REGISTERED: BankAccountKind = { type: 'Investments', subType: 'RegisteredPlan' }
const BROKERAGE: BankAccountKind = { type: 'Investments', subType: 'Brokerage' }
const EDUCATION: BankAccountKind = { type: 'Investments', subType: 'EducationSavings' }
const PENSION: BankAccountKind = { type: 'Investments', subType: 'Pension' }
const ANNUITY: BankAccountKind = { type: 'Investments', subType: 'Annuity' }
const TRUST: BankAccountKind = { type: 'Investments', subType: 'Trust' }
const DIGITAL: BankAccountKind = { type: 'Investments', subType: 'DigitalAsset' }
const OTHER_INVESTMENT: BankAccountKind = { type: 'Investments', subType: 'OtherInvestment' }

const DEPOSITORY: Table = {
  checking: CHECKING,
  'limited purpose checking': CHECKING,
  savings: { type: 'Cash', subType: 'Savings' },
  'money market': { type: 'Cash', subType: 'Mmda' },
  cd: { type: 'Cash', subType: 'Cd' },
  hsa: { type: 'Cash', subType: 'Hsa' },
  paypal: { type: 'Cash', subType: 'PayPal' },
  'cash management': { type: 'Cash', subType: 'CashManagement' },
  prepaid: { type: 'Cash', subType: 'PrepaidDebitCard' },
  ebt: { type: 'Cash', subType: 'Ebt' },
}

const CREDIT: Table = {
  'credit card': { type: 'CreditCards', subType: 'CreditCard' },
  paypal: { type: 'CreditCards', subType: 'PayPalCard' },
}

const LOAN: Table = {
  auto: { type: 'Loans', subType: 'AutoLoan' },
  business: { type: 'Loans', subType: 'BusinessLoan' },
  commercial: { type: 'Loans', subType: 'CommercialLoan' },
  construction: { type: 'Loans', subType: 'ConstructionLoan' },
  consumer: { type: 'Loans', subType: 'ConsumerLoan' },
  // Line of credit by Plaid's definition: "Home Equity Line of Credit (HELOC)".
  'home equity': { type: 'Loans', subType: 'Heloc' },
  'line of credit': LINE,
  loan: OTHER_LOAN,
  mortgage: { type: 'Loans', subType: 'Mortgage' },
  other: OTHER_LOAN,
  overdraft: { type: 'Loans', subType: 'Overdraft' },
  student: { type: 'Loans', subType: 'StudentLoan' },
}

const INVESTMENT: Table = {
  gic: { type: 'Cash', subType: 'Cd' },
  'line of credit': LINE,
  'life insurance': { type: 'Insurance', subType: 'LifeInsurance' },
  'other insurance': { type: 'Insurance', subType: 'OtherInsurance' },
  brokerage: BROKERAGE,
  'non-taxable brokerage account': BROKERAGE,
  'mutual fund': { type: 'Investments', subType: 'MutualFund' },
  'stock plan': { type: 'Investments', subType: 'EmployeeStockPlan' },
  ...all(RETIREMENT, [
    '401a',
    '401k',
    '403B',
    '457b',
    'ira',
    'keogh',
    'profit sharing plan',
    'retirement',
    'roth',
    'roth 401k',
    'roth 403B',
  ]),
  ...all(RETIREMENT, ['roth 457b', 'roth profit sharing plan', 'roth thrift savings plan', 'sarsep', 'sep ira', 'simple ira', 'sipp']),
  ...all(RETIREMENT, ['thrift savings plan']),
  ...all(REGISTERED, ['fhsa', 'lif', 'lira', 'lrif', 'lrsp', 'prif', 'rdsp', 'resp', 'rlif', 'rrif', 'rrsp', 'tfsa']),
  ...all(EDUCATION, ['529', 'education savings account']),
  ...all(PENSION, ['pension', 'roth pension']),
  ...all(ANNUITY, ['fixed annuity', 'other annuity', 'variable annuity']),
  ...all(TRUST, ['trust', 'ugma', 'utma']),
  ...all(DIGITAL, ['crypto exchange', 'non-custodial wallet']),
  ...all(OTHER_INVESTMENT, ['cash isa', 'health reimbursement arrangement', 'hsa', 'isa', 'other', 'qshr']),
}

interface Group {
  table: Table
  other: BankAccountKind
}

const GROUPS: Readonly<Record<string, Group>> = {
  depository: { table: DEPOSITORY, other: { type: 'Cash', subType: 'OtherCash' } },
  credit: { table: CREDIT, other: { type: 'CreditCards', subType: 'OtherCard' } },
  loan: { table: LOAN, other: OTHER_LOAN },
  investment: { table: INVESTMENT, other: OTHER_INVESTMENT },
  // Type name of API versions up to 2018-05-22.
  brokerage: { table: INVESTMENT, other: BROKERAGE },
  payroll: { table: {}, other: { type: 'Other', subType: 'Payroll' } },
  other: { table: {}, other: { type: 'Other', subType: 'Unknown' } },
}

/** Type values of one account; absent values are null. */
export interface KindWords {
  type: string | null
  subtype: string | null
  isBusiness: boolean
}

/**
 * Kind for the values of Plaid. `onUnknown` is called with a value that the tables lack; an absent subtype is not
 * reported.
 */
export function toKind(words: KindWords, onUnknown: (word: string) => void): BankAccountKind {
  const { type, subtype } = words
  const group = type !== null && Object.hasOwn(GROUPS, type) ? GROUPS[type] : undefined
  if (!group) {
    onUnknown(`${type ?? 'null'}/${subtype ?? 'null'}`)
    return { type: 'Other', subType: 'Unknown' }
  }
  if (subtype === null || subtype === type) return ownKind(group, subtype)
  const kind = Object.hasOwn(group.table, subtype) ? group.table[subtype] : undefined
  if (!kind) {
    onUnknown(`${type}/${subtype}`)
    return group.other
  }
  const isCard = kind.type === 'CreditCards' && kind.subType === 'CreditCard'
  return isCard && words.isBusiness ? { type: 'CreditCards', subType: 'BusinessCard' } : kind
}

/** Credit lines: kinds of account for which a limit and available credit are meaningful. */
export function isCreditLine(kind: BankAccountKind): boolean {
  if (kind.type === 'CreditCards') return true
  return kind.type === 'Loans' && (kind.subType === 'LineOfCredit' || kind.subType === 'Heloc' || kind.subType === 'Overdraft')
}

function ownKind(group: Group, subtype: string | null): BankAccountKind {
  return (subtype !== null && Object.hasOwn(group.table, subtype) ? group.table[subtype] : undefined) ?? group.other
}

function all(kind: BankAccountKind, subtypes: readonly string[]): Table {
  return Object.fromEntries(subtypes.map((subtype) => [subtype, kind]))
}

export const typeTable: TypeTable = {
  rows: Object.entries(GROUPS).flatMap(([type, { table }]) =>
    [null, ...Object.keys(table)].map((subtype) => ({
      group: 'type and subtype',
      words: { type, ...(subtype === null ? {} : { subtype }) },
      means: { wire: { account: { type, subtype, balances: {} }, item: {} } },
    })),
  ),
  rules: [
    'A credit card of a business is a BusinessCard.',
    'A home equity account is a line of credit: Plaid defines it so.',
    'A subtype that is not in the table falls into the other kind of its type, a type that is not into Unknown; both are counted.',
    'Plaid lists open accounts only: all are ACTIVE.',
  ],
}
