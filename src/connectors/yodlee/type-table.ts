import { BANK_ACCOUNT_STATUSES, type BankAccountKind } from '../../model/records/banking.ts'
import type { TypeTable } from '../contract/type-table.ts'

type Table = Readonly<Record<string, BankAccountKind>>

const CD: BankAccountKind = { type: 'Cash', subType: 'Cd' }
const OTHER_INVESTMENT: BankAccountKind = { type: 'Investments', subType: 'OtherInvestment' }
const RETIREMENT: BankAccountKind = { type: 'Investments', subType: 'Retirement' }

const BANK: Table = {
  CHECKING: { type: 'Cash', subType: 'Checking' },
  SAVINGS: { type: 'Cash', subType: 'Savings' },
  CD,
  PPF: { type: 'Cash', subType: 'Ppf' },
  RECURRING_DEPOSIT: { type: 'Cash', subType: 'RecurringDeposit' },
  FSA: { type: 'Cash', subType: 'Fsa' },
  HSA: { type: 'Cash', subType: 'Hsa' },
  MONEY_MARKET: { type: 'Cash', subType: 'Mmda' },
  IRA: RETIREMENT,
  PREPAID: { type: 'Cash', subType: 'PrepaidDebitCard' },
}

const CARD: Table = {
  CREDIT: { type: 'CreditCards', subType: 'CreditCard' },
  STORE: { type: 'CreditCards', subType: 'StoreCard' },
  CHARGE: { type: 'CreditCards', subType: 'ChargeCard' },
}

const LOAN: Table = {
  MORTGAGE: { type: 'Loans', subType: 'Mortgage' },
  INSTALLMENT_LOAN: { type: 'Loans', subType: 'Installment' },
  PERSONAL_LOAN: { type: 'Loans', subType: 'PersonalLoan' },
  HOME_EQUITY_LINE_OF_CREDIT: { type: 'Loans', subType: 'Heloc' },
  LINE_OF_CREDIT: { type: 'Loans', subType: 'LineOfCredit' },
  AUTO_LOAN: { type: 'Loans', subType: 'AutoLoan' },
  STUDENT_LOAN: { type: 'Loans', subType: 'StudentLoan' },
  HOME_LOAN: { type: 'Loans', subType: 'HomeLoan' },
}

const INSURANCE: Table = {
  AUTO_INSURANCE: { type: 'Insurance', subType: 'AutoInsurance' },
  HEALTH_INSURANCE: { type: 'Insurance', subType: 'HealthInsurance' },
  HOME_INSURANCE: { type: 'Insurance', subType: 'HomeInsurance' },
  LIFE_INSURANCE: { type: 'Insurance', subType: 'LifeInsurance' },
  ANNUITY: { type: 'Investments', subType: 'Annuity' },
  TRAVEL_INSURANCE: { type: 'Insurance', subType: 'OtherInsurance' },
  INSURANCE: { type: 'Insurance', subType: 'OtherInsurance' },
}

/**
 * Prefix table of investment types: some hundred and fifty names of three generations, which differ in their endings
 * (`…_SAVINGS_ACCOUNT`, then `…_SAVINGS_ACCOUNT_TFSA`). The first matching prefix decides.
 * Source: Account.accountType in Yodlee's API document
 */
const INVESTMENT_BEGINNINGS: readonly (readonly [kind: BankAccountKind, beginnings: readonly string[]])[] = [
  [CD, ['GUARANTEED_INVESTMENT_CERTIFICATES']],
  [{ type: 'Loans', subType: 'OtherLoan' }, ['INVESTMENT_LOAN_ACCOUNT']],
  [{ type: 'Cash', subType: 'Mmda' }, ['MONEY_MARKET']],
  [{ type: 'Cash', subType: 'CashManagement' }, ['CMA', 'CASH_MANAGEMENT']],
  [{ type: 'Cash', subType: 'Hsa' }, ['HSA', 'HEALTH_SAVINGS']],
  [
    { type: 'Investments', subType: 'RegisteredPlan' },
    [
      ...[
        'REGISTERED_RETIREMENT',
        'REGISTERED_EDUCATION',
        'REGISTERED_DISABILITY',
        'TAX_FREE_SAVINGS',
        'LOCKED_IN',
        'RESTRICTED_LOCKED_IN',
      ],
      ...['LIFE_INCOME_FUND', 'PRESCRIBED_REGISTERED', 'SPOUSAL_RETIREMENT', 'GROUP_RETIREMENT_SAVINGS', 'FIRST_HOME_SAVINGS'],
    ],
  ],
  [
    { type: 'Investments', subType: 'Pension' },
    ['REGISTERED_PENSION', 'PENSION_PLAN', 'DEFINED_BENEFIT', 'SUPER', 'EMPLOYEES_PENSION', 'NATIONAL_PENSION'],
  ],
  [
    { type: 'Investments', subType: 'Annuity' },
    ['ANNUITY', 'INDEXED_ANNUITY', 'ANNUITIZED', 'VARIABLE_ANNUITY', 'GRANTOR_RETAINED_ANNUITY'],
  ],
  [{ type: 'Investments', subType: 'EducationSavings' }, ['529_PLAN', 'EDUCATIONAL', 'COVERDELL']],
  [
    RETIREMENT,
    [
      ...['IRA', '401', '403', '457', 'ROTH', 'ROLLOVER', 'SEP', 'SARSEP', 'SIMPLE', 'SPOUSAL_IRA', 'SPOUSAL_ROTH', 'KEOGH', 'PSP', 'MPP'],
      ...[
        'INDIVIDUAL_RETIREMENT',
        'EMPLOYEE_RETIREMENT',
        'MONEY_PURCHASE',
        'DEFERRED_COMPENSATION',
        'DEFINED_CONTRIBUTION',
        'PROFIT_SHARING',
      ],
      ...['DEFERRED_PROFIT_SHARING', 'NONQUALIFIED_DEFERRED', 'SUBSTANTIALLY_EQUAL'],
    ],
  ],
  [{ type: 'Investments', subType: 'EmployeeStockPlan' }, ['ESOPP', 'EMPLOYEE_STOCK', 'RESTRICTED_STOCK']],
  [
    { type: 'Investments', subType: 'Trust' },
    [
      ...[
        'TRUST',
        'LIVING_TRUST',
        'REVOCABLE_TRUST',
        'IRREVOCABLE',
        'CHARITABLE',
        'UTMA',
        'UGMA',
        'UNIFORM_',
        'TESTAMENTARY',
        'OFFSHORE_TRUST',
      ],
      ...['INTERNATIONAL_TRUST', 'LIFE_INTEREST_TRUST', 'EMPLOYEE_BENEFIT_TRUST', 'GRANTOR_RETAINED_INCOME'],
    ],
  ],
  [{ type: 'Investments', subType: 'Trust' }, ['CUSTODIAL']],
  [{ type: 'Investments', subType: 'DigitalAsset' }, ['DIGITAL_WALLET']],
  [{ type: 'Cash', subType: 'Ppf' }, ['PUBLIC_PROVIDENT_FUND']],
  [RETIREMENT, ['EMPLOYEES_PROVIDENT_FUND']],
  [{ type: 'Investments', subType: 'Brokerage' }, ['COMMUNITY_PROPERTY', 'PARTNERSHIP', 'SOLE_PROPRIETORSHIP', 'PROPRIETORSHIP']],
  [
    OTHER_INVESTMENT,
    [
      ...[
        'CONSERVATOR',
        'ADMINISTRATOR',
        'EXECUTOR',
        'ESTATE',
        'CHURCH',
        'NON_PROFIT',
        'INVESTMENT_CLUB',
        'STOCK_BASKET',
        'PRECIOUS_METAL',
      ],
      ...['NON_REGISTERED_SAVINGS', 'PERFORMANCE_PLAN', 'DEFERRED_CONTINGENT', 'EMPLOYEE_BENEFIT_PLAN', 'EMPLOYEE_SAVINGS_PLAN'],
      ...['HEALTH_REIMBURSEMENT', 'CASH_ISA', 'STOCKS_AND_SHARES', 'INNOVATIVE_FINANCE', 'JUNIOR_ISA', 'INDIVIDUAL_SAVINGS'],
    ],
  ],
  [{ type: 'Investments', subType: 'Brokerage' }, ['BROKERAGE', 'INDIVIDUAL', 'CORPORATE', 'JTTIC', 'JTWROS', 'JOINT_', 'ADVISORY']],
]

interface Group {
  table: Table
  /** Kind without an account type, or with one that the table lacks. */
  other: BankAccountKind
}

const GROUPS: Readonly<Record<string, Group>> = {
  bank: { table: BANK, other: { type: 'Cash', subType: 'OtherCash' } },
  creditCard: { table: CARD, other: { type: 'CreditCards', subType: 'OtherCard' } },
  loan: { table: LOAN, other: { type: 'Loans', subType: 'OtherLoan' } },
  investment: { table: {}, other: OTHER_INVESTMENT },
  insurance: { table: INSURANCE, other: { type: 'Insurance', subType: 'OtherInsurance' } },
  reward: { table: {}, other: { type: 'CreditCards', subType: 'RewardPoints' } },
  bill: { table: {}, other: { type: 'Other', subType: 'Bill' } },
  realEstate: { table: {}, other: { type: 'Other', subType: 'RealEstate' } },
  otherAssets: { table: {}, other: { type: 'Other', subType: 'OtherAsset' } },
  otherLiabilities: { table: {}, other: { type: 'Other', subType: 'OtherLiability' } },
}

/** Type values that add nothing to their container. */
const PLAIN: ReadonlySet<string> = new Set(['OTHER', 'REWARD_POINTS', 'BILLS', 'REAL_ESTATE'])

/** Type values of one account; absent values are null. */
export interface KindWords {
  container: string | null
  accountType: string | null
  isBusiness: boolean
}

/**
 * Kind for the values of Yodlee. `onUnknown` is called with a value that the tables lack; an absent account type is not
 * reported.
 */
export function toKind({ container, accountType, isBusiness }: KindWords, onUnknown: (word: string) => void): BankAccountKind {
  const group = container !== null && Object.hasOwn(GROUPS, container) ? GROUPS[container] : undefined
  if (!group) {
    onUnknown(`${container ?? 'null'}/${accountType ?? 'null'}`)
    return { type: 'Other', subType: 'Unknown' }
  }
  if (accountType === null || PLAIN.has(accountType)) return group.other
  const kind =
    container === 'investment' ? investmentOf(accountType) : Object.hasOwn(group.table, accountType) ? group.table[accountType] : undefined
  if (!kind) {
    onUnknown(`${container}/${accountType}`)
    return group.other
  }
  const isCard = kind.type === 'CreditCards' && kind.subType === 'CreditCard'
  return isCard && isBusiness ? { type: 'CreditCards', subType: 'BusinessCard' } : kind
}

function investmentOf(accountType: string): BankAccountKind | undefined {
  return INVESTMENT_BEGINNINGS.find(([, beginnings]) => beginnings.some((beginning) => accountType.startsWith(beginning)))?.[0]
}

export const typeTable: TypeTable = {
  rows: [
    ...Object.entries(GROUPS).flatMap(([container, { table }]) =>
      [null, ...Object.keys(table)].map((accountType) => ({
        group: 'CONTAINER and accountType',
        words: { CONTAINER: container, ...(accountType === null ? {} : { accountType }) },
        means: { wire: { CONTAINER: container, accountType } },
      })),
    ),
    ...INVESTMENT_BEGINNINGS.flatMap(([, beginnings]) =>
      beginnings.map((beginning) => ({
        group: 'CONTAINER and accountType',
        words: { CONTAINER: 'investment', accountType: `${beginning}*` },
        means: { wire: { CONTAINER: 'investment', accountType: beginning } },
      })),
    ),
    ...BANK_ACCOUNT_STATUSES.map((accountStatus) => ({
      group: 'Status',
      words: { accountStatus },
      means: { wire: { accountStatus } },
      isStatus: true,
    })),
  ],
  rules: [
    'A credit card of a business is a BusinessCard.',
    'Investments are told by how their account type begins; one that fits none is an OtherInvestment and is counted.',
    'An account type that is not in the table falls into the other kind of its container, a container that is not into Unknown; both are counted.',
  ],
}
