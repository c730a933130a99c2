import type { BankAccountKind } from '../../model/records/banking.ts'
import type { TypeTable } from '../contract/type-table.ts'

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

/** Source: https://docs.mx.com/api-reference/platform-api/reference/account-types */
const INVESTMENTS: Table = {
  ...all({ type: 'Investments', subType: 'Brokerage' }, ['BROKERAGE', 'BROKERAGE_MARGIN', 'TAXABLE', 'ADVISORY_ACCOUNT', 'INDIVIDUAL']),
  ...all({ type: 'Investments', subType: 'Brokerage' }, [
    ...['JOINT_TENANTS_BY_ENTIRITY', 'JOINT_TENANTS_COMMUNITY_PROPERTY', 'JOINT_TENANTS_IN_COMMON'],
    ...[
      'JOINT_TENANTS_WITH_RIGHTS_OF_SURVIVORSHIP',
      'CORPORATE_ACCOUNT',
      'PARTNERSHIP',
      'SOLE_PROPRIETORSHIP',
      'LIMITED_LIABILITY_ACCOUNT',
    ],
  ]),
  ...all(RETIREMENT, ['IRA', 'ROLLOVER_IRA', 'ROTH_IRA', 'SIMPLE_IRA', 'SARSEP_IRA', 'SEPP_IRA', 'SPOUSAL_IRA', 'SPOUSAL_ROTH_IRA']),
  ...all(RETIREMENT, ['INHERITED_TRADITIONAL_IRA', 'INHERITED_ROTH_IRA', 'ROTH_CONVERSION', 'SIMPLIFIED_EMPLOYEE_PENSION', 'KEOUGH_PLAN']),
  ...all(RETIREMENT, ['PLAN_401_A', 'PLAN_401_K', 'PLAN_ROTH_401_K', 'PLAN_403_B', 'PLAN_ROTH_403_B', 'PLAN_409_A', 'PLAN_457']),
  ...all(RETIREMENT, ['PROFIT_SHARING_PLAN', 'MONEY_PURCHASE_PLAN', 'DEFINED_CONTRIBUTION_PLAN', 'THRIFT_SAVINGS_PLAN']),
  ...all(REGISTERED, [
    'LIRA',
    'RESP',
    'RRIF',
    'RRSP',
    'TFSA',
    'TAX_FREE_SAVINGS_ACCOUNT',
    'LIFE_INCOME_FUND',
    'GROUP_RETIREMENT_SAVINGS_PLAN',
  ]),
  ...all(REGISTERED, ['REGISTERED_RETIREMENT_INCOME_FUND', 'REGISTERED_RETIREMENT_SAVINGS_PLAN', 'REGISTERED_EDUCATION_SAVINGS_PLAN']),
  ...all(REGISTERED, ['REGISTERED_DISABILITY_SAVINGS_PLAN', 'REGISTERED_LOCKED_IN_SAVINGS_PLAN', 'LOCKED_IN_RETIREMENT_ACCOUNT']),
  ...all(REGISTERED, ['LOCKED_IN_RETIREMENT_INVESTMENT_FUND', 'LOCKED_IN_RETIREMENT_SAVINGS_ACCOUNT']),
  ...all({ type: 'Investments', subType: 'EducationSavings' }, ['PLAN_529', 'COVERDELL', 'EDUCATIONAL']),
  ...all({ type: 'Investments', subType: 'Pension' }, ['PENSION', 'DEFINED_BENEFIT_PLAN', 'REGISTERED_PENSION_PLAN']),
  ...all({ type: 'Investments', subType: 'EmployeeStockPlan' }, ['EMPLOYEE_STOCK_OWNERSHIP_PLAN', 'EMPLOYEE_STOCK_PURCHASE_PLAN']),
  ...all({ type: 'Investments', subType: 'Trust' }, [
    'TRUST',
    'IRREVOCABLE_TRUST',
    'REVOCABLE_TRUST',
    'LIVING_TRUST',
    'TESTAMENTARY_TRUST',
  ]),
  ...all({ type: 'Investments', subType: 'Trust' }, ['UNIFORM_GIFTS_TO_MINORS_ACT', 'UNIFORM_TRANSFER_TO_MINORS_ACT', 'CUSTODIAL']),
  ...all({ type: 'Investments', subType: 'Annuity' }, ['FIXED_ANNUITY', 'VARIABLE_ANNUITY', 'INDEXED_ANNUITY', 'INHERITED_ANNUITY']),
  ...all(RETIREMENT, [
    'FIXED_ANNUITY_TRADITIONAL_IRA',
    'VARIABLE_ANNUITY_TRADITIONAL_IRA',
    'FIXED_ANNUITY_ROTH_IRA',
    'VARIABLE_ANNUITY_ROTH_IRA',
  ]),
  ...all(OTHER_INVESTMENT, ['NON_TAXABLE', 'CHARITABLE_GIFT_ACCOUNT', 'CHURCH_ACCOUNT', 'CONSERVATORSHIP', 'ESTATE', 'EXECUTOR', 'HRA']),
  ...all(OTHER_INVESTMENT, ['INVESTMENT_CLUB']),
  HSA: { type: 'Cash', subType: 'Hsa' },
  CASH_MANAGEMENT_ACCOUNT: { type: 'Cash', subType: 'CashManagement' },
  GUARANTEED_INVESTMENT_CERTIFICATE: { type: 'Cash', subType: 'Cd' },
}

const INSURANCE: Table = {
  VEHICLE_INSURANCE: { type: 'Insurance', subType: 'AutoInsurance' },
  ...all({ type: 'Insurance', subType: 'HealthInsurance' }, ['DISABILITY', 'HEALTH', 'LONG_TERM_CARE']),
  ...all({ type: 'Insurance', subType: 'LifeInsurance' }, ['UNIVERSAL_LIFE', 'VARIABLE_UNIVERSAL_LIFE', 'TERM_LIFE', 'WHOLE_LIFE']),
  ...all({ type: 'Insurance', subType: 'OtherInsurance' }, ['PROPERTY_AND_CASUALTY', 'ACCIDENTAL_DEATH_AND_DISMEMBERMENT']),
}

interface Group {
  /** Kind without a subtype, or with one that the table lacks. */
  own: BankAccountKind
  table: Table
}

const GROUPS: Readonly<Record<string, Group>> = {
  ANY: { own: UNKNOWN, table: {} },
  // Type name of older versions.
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
  INSURANCE: { own: { type: 'Insurance', subType: 'OtherInsurance' }, table: INSURANCE },
  PROPERTY: { own: { type: 'Other', subType: 'RealEstate' }, table: {} },
}

function all(kind: BankAccountKind, words: readonly string[]): Table {
  return Object.fromEntries(words.map((word) => [word, kind]))
}

/** Type values of one account; absent values are null. */
export interface KindWords {
  type: string | null
  subtype: string | null
  propertyType: string | null
}

/**
 * Kind for the values of MX. `onUnknown` is called with a value that the tables lack; an absent subtype is not
 * reported.
 */
export function toKind({ type, subtype, propertyType }: KindWords, onUnknown: (word: string) => void): BankAccountKind {
  const group = type !== null && Object.hasOwn(GROUPS, type) ? GROUPS[type] : undefined
  if (!group) {
    onUnknown(`${type ?? 'null'}/${subtype ?? 'null'}`)
    return UNKNOWN
  }
  // Property other than real estate: a car, a painting.
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
