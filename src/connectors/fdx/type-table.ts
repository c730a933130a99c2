import type { BankAccountKind } from '../../model/records/banking.ts'
import type { TypeTable } from '../contract/type-table.ts'
import { kindWithin } from '../toolkit/names/product-names.ts'

type Table = Readonly<Record<string, BankAccountKind>>

const OTHER_CASH: BankAccountKind = { type: 'Cash', subType: 'OtherCash' }
const OTHER_LOAN: BankAccountKind = { type: 'Loans', subType: 'OtherLoan' }
const LINE: BankAccountKind = { type: 'Loans', subType: 'LineOfCredit' }
const OTHER_INVESTMENT: BankAccountKind = { type: 'Investments', subType: 'OtherInvestment' }
const REGISTERED: BankAccountKind = { type: 'Investments', subType: 'RegisteredPlan' }
const RETIREMENT: BankAccountKind = { type: 'Investments', subType: 'Retirement' }
const BROKERAGE: BankAccountKind = { type: 'Investments', subType: 'Brokerage' }
const EDUCATION: BankAccountKind = { type: 'Investments', subType: 'EducationSavings' }
const PENSION: BankAccountKind = { type: 'Investments', subType: 'Pension' }
const TRUST: BankAccountKind = { type: 'Investments', subType: 'Trust' }
const ANNUITY: BankAccountKind = { type: 'Investments', subType: 'Annuity' }
const LIFE: BankAccountKind = { type: 'Insurance', subType: 'LifeInsurance' }
const UNKNOWN: BankAccountKind = { type: 'Other', subType: 'Unknown' }
const HEALTH: BankAccountKind = { type: 'Insurance', subType: 'HealthInsurance' }

/** Registered plans of Canada, which banks list under deposits or under investments. */
const PLANS: Table = all(REGISTERED, [
  ...['FIRSTHOMESAVINGSACCOUNT', 'LIFEINCOMEFUND', 'LOCKEDINRETIREMENTACCOUNT', 'LOCKEDINRETIREMENTINCOMEFUND'],
  ...['LOCKEDINRETIREMENTSAVINGSPLAN', 'PRESCRIBEDREGISTEREDRETIREMENTINCOMEFUND', 'REGISTEREDDISABILITYSAVINGSPLAN'],
  ...['REGISTEREDEDUCATIONSAVINGSPLAN', 'REGISTEREDRETIREMENTINCOMEFUND', 'REGISTEREDRETIREMENTSAVINGSPLAN', 'RESTRICTEDLIFEINCOMEFUND'],
  ...['RESTRICTEDLOCKEDINSAVINGSPLAN', 'TAXFREESAVINGSACCOUNT'],
])

const DEPOSIT: Table = {
  CHECKING: { type: 'Cash', subType: 'Checking' },
  SAVINGS: { type: 'Cash', subType: 'Savings' },
  HIGHINTERESTSAVINGSACCOUNT: { type: 'Cash', subType: 'Savings' },
  CD: { type: 'Cash', subType: 'Cd' },
  MONEYMARKET: { type: 'Cash', subType: 'Mmda' },
  COMMERCIALDEPOSIT: { type: 'Cash', subType: 'BusinessAccount' },
  ESCROW: OTHER_CASH,
  OTHERDEPOSIT: OTHER_CASH,
  ...PLANS,
}

const LOAN: Table = {
  MORTGAGE: { type: 'Loans', subType: 'Mortgage' },
  INSTALLMENT: { type: 'Loans', subType: 'Installment' },
  PERSONALLOAN: { type: 'Loans', subType: 'PersonalLoan' },
  AUTOLOAN: { type: 'Loans', subType: 'AutoLoan' },
  STUDENTLOAN: { type: 'Loans', subType: 'StudentLoan' },
  SMBLOAN: { type: 'Loans', subType: 'BusinessLoan' },
  COMMERCIALLOAN: { type: 'Loans', subType: 'CommercialLoan' },
  HOMEEQUITYLOAN: { type: 'Loans', subType: 'HomeEquityLoan' },
  MILITARYLOAN: { type: 'Loans', subType: 'MilitaryLoan' },
  LOAN: OTHER_LOAN,
}

const LOC: Table = {
  LINEOFCREDIT: LINE,
  COMMERCIALLINEOFCREDIT: LINE,
  HOMELINEOFCREDIT: { type: 'Loans', subType: 'Heloc' },
  CREDITCARD: { type: 'CreditCards', subType: 'CreditCard' },
  CHARGE: { type: 'CreditCards', subType: 'ChargeCard' },
}

const INVESTMENT: Table = {
  ...PLANS,
  ...all(BROKERAGE, ['BROKERAGE', 'BROKERAGEPRODUCT', 'TAXABLE']),
  ...all(RETIREMENT, ['401A', '401K', '403B', '457', 'IRA', 'KEOGH', 'ROLLOVER', 'ROTH', 'ROTH401K', 'SARSEP', 'SEPIRA', 'SIMPLEIRA']),
  ...all(RETIREMENT, ['DEFERREDPROFITSHARINGPLAN', 'TAXDEFERRED', 'TDA']),
  ...all(EDUCATION, ['529', 'COLLEGESAVINGS', 'COVERDELL', 'EDUCATIONALSAVINGSPLAN']),
  ...all(PENSION, ['PENSIONPLAN', 'REGISTEREDPENSIONPLAN', 'SPECIFIEDPENSIONPLAN', 'DEFINEDBENEFIT']),
  ...all({ type: 'Investments', subType: 'EmployeeStockPlan' }, ['ESOP', 'EMPLOYEESTOCKPURCHASEPLAN']),
  ...all(TRUST, ['GUARDIAN', 'INSTITUTIONALTRUST', 'TRUST', 'UGMA', 'UTMA']),
  ...all(ANNUITY, ['FIXEDANNUITY', 'VARIABLEANNUITY']),
  ...all(OTHER_INVESTMENT, ['COMMERCIALINVESTMENT', 'HRA', 'NONQUALIFIEDPLAN', 'OTHER', 'OTHERINVESTMENT', 'TERM']),
}

const INSURANCE: Table = {
  ...all(LIFE, ['LIFE', 'TERMLIFE', 'UNIVERSALLIFE', 'WHOLELIFE']),
  ...all(HEALTH, ['HEALTH', 'LONGTERMCARE', 'LONGTERMDISABILITY', 'SHORTTERMDISABILITY', 'MEDICAL', 'DENTAL', 'VISION']),
  ...all({ type: 'Insurance', subType: 'HomeInsurance' }, ['HOMEOWNER', 'RENTER', 'CONDO']),
  ...all({ type: 'Insurance', subType: 'AutoInsurance' }, ['VEHICLE', 'VEHICLEINSURANCE', 'AUTO']),
}

interface Group {
  table: Table
  other: BankAccountKind
}

/** Kinds by category, with the enum values of version 6. */
const GROUPS: Readonly<Record<string, Group>> = {
  DEPOSIT_ACCOUNT: { table: DEPOSIT, other: OTHER_CASH },
  LOAN_ACCOUNT: { table: LOAN, other: OTHER_LOAN },
  LOC_ACCOUNT: { table: LOC, other: LINE },
  INVESTMENT_ACCOUNT: { table: INVESTMENT, other: OTHER_INVESTMENT },
  COMMERCIAL_ACCOUNT: { table: { ...DEPOSIT, ...LOAN, ...LOC, ...INVESTMENT }, other: { type: 'Cash', subType: 'BusinessAccount' } },
  INSURANCE_ACCOUNT: { table: INSURANCE, other: { type: 'Insurance', subType: 'OtherInsurance' } },
  ANNUITY_ACCOUNT: { table: all(ANNUITY, ['ANNUITY', 'FIXEDANNUITY', 'VARIABLEANNUITY']), other: ANNUITY },
  DIGITAL_WALLET: {
    table: all({ type: 'Other', subType: 'OtherAsset' }, ['DIGITALWALLET']),
    other: { type: 'Other', subType: 'OtherAsset' },
  },
}

/** Kinds for a new or absent category: the type alone is sufficient, where any category has it. */
const ANY: Table = { ...INSURANCE, ...INVESTMENT, ...LOC, ...LOAN, ...DEPOSIT }

/** Type values of one account; absent values are null. */
export interface KindWords {
  category: string | null
  accountType: string | null
  /** Account name, used when there is no type. */
  name: string
  isBusiness: boolean
}

/**
 * Kind for the values of FDX. `onUnknown` is called with a value that the tables lack, and with a name that does not
 * resolve an absent type.
 */
export function toKind({ category, accountType, name, isBusiness }: KindWords, onUnknown: (word: string) => void): BankAccountKind {
  const group = category !== null && Object.hasOwn(GROUPS, category) ? GROUPS[category] : undefined
  const { table, other } = group ?? { table: ANY, other: UNKNOWN }
  if (!group && category !== null) onUnknown(category)
  const known = accountType === null ? undefined : findKind(table, accountType)
  if (accountType !== null && !known) onUnknown(accountType)
  const isHeard = accountType !== null || (!group && category !== null)
  const kind = known ?? kindWithin(name, group ? typesOf(group) : 'any', other, isHeard ? () => undefined : onUnknown)
  const isCard = kind.type === 'CreditCards' && kind.subType === 'CreditCard'
  return isCard && isBusiness ? { type: 'CreditCards', subType: 'BusinessCard' } : kind
}

/** Account types of a category. */
function typesOf({ table, other }: Group): ReadonlySet<BankAccountKind['type']> {
  return new Set([other.type, ...Object.values(table).map(({ type }) => type)])
}

/** Kind of a type in its normalized spelling: some banks write `College Savings`, `Money_Market`. */
function findKind(table: Table, accountType: string): BankAccountKind | undefined {
  const word = accountType.toUpperCase().replace(/[^A-Z0-9]/g, '')
  return Object.hasOwn(table, word) ? table[word] : undefined
}

/** Credit lines: kinds of account for which a limit and available credit are meaningful. */
export function isCreditLine({ type, subType }: BankAccountKind): boolean {
  return type === 'CreditCards' || (type === 'Loans' && ['LineOfCredit', 'Heloc', 'Overdraft'].includes(subType))
}

const STATUSES = {
  OPEN: 'ACTIVE',
  DELINQUENT: 'ACTIVE',
  NEGATIVECURRENTBALANCE: 'ACTIVE',
  RESTRICTED: 'ACTIVE',
  PENDINGOPEN: 'ACTIVE',
  PENDINGCLOSE: 'TO_BE_CLOSED',
  CLOSED: 'CLOSED',
  PAID: 'CLOSED',
} as const

/** Status; null for a value that is new. */
export function toStatus(word: string): (typeof STATUSES)[keyof typeof STATUSES] | null {
  const plain = word.toUpperCase().replace(/[^A-Z]/g, '')
  return Object.entries(STATUSES).find(([name]) => name === plain)?.[1] ?? null
}

function all(kind: BankAccountKind, words: readonly string[]): Table {
  return Object.fromEntries(words.map((word) => [word, kind]))
}

const EMPTY = { provider: '', isFraction: false }

export const typeTable: TypeTable = {
  rows: [
    ...Object.entries(GROUPS).flatMap(([category, { table }]) =>
      [null, ...Object.keys(table)].map((accountType) => ({
        group: 'accountCategory and accountType',
        words: { accountCategory: category, ...(accountType === null ? {} : { accountType }) },
        means: { wire: { ...EMPTY, category, account: { accountId: '', ...(accountType === null ? {} : { accountType }) } } },
      })),
    ),
    ...Object.keys(STATUSES).map((status) => ({
      group: 'status',
      words: { status },
      means: { wire: { ...EMPTY, account: { accountId: '', status } } },
      isStatus: true,
    })),
  ],
  rules: [
    'The wrapper of versions 4 and 5 (`depositAccount`, `locAccount`, `lineOfCreditAccount` …) says the category that version 6 names.',
    'Letters and digits of a type count, not how it is written: `College Savings` is COLLEGESAVINGS.',
    'A credit card of a business (category COMMERCIAL_ACCOUNT, or a lineOfBusiness that says so) is a BusinessCard.',
    'Where no type is told, or none that is known, words of the name decide, in English and in French, as far as they fit the category.',
    'Where they do not, the other kind of the category stands, without a known category Unknown. A word that is not in the table is counted, else the name.',
    'An account without a status is ACTIVE; so is one with a status that is new, which is counted.',
  ],
}
