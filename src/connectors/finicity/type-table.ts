import type { BankAccountKind } from '../../model/records/banking.ts'
import type { TypeTable } from '../contract/type-table.ts'

const RETIREMENT: BankAccountKind = { type: 'Investments', subType: 'Retirement' }
const EDUCATION: BankAccountKind = { type: 'Investments', subType: 'EducationSavings' }
const TRUST: BankAccountKind = { type: 'Investments', subType: 'Trust' }
const OTHER_INVESTMENT: BankAccountKind = { type: 'Investments', subType: 'OtherInvestment' }
const STUDENT_LOAN: BankAccountKind = { type: 'Loans', subType: 'StudentLoan' }
const UNKNOWN: BankAccountKind = { type: 'Other', subType: 'Unknown' }

/** Source: AccountType of the OpenAPI document; `529`, `457` and `unknown` are what some accounts say in fact. */
const KINDS: Readonly<Record<string, BankAccountKind>> = {
  checking: { type: 'Cash', subType: 'Checking' },
  savings: { type: 'Cash', subType: 'Savings' },
  moneyMarket: { type: 'Cash', subType: 'Mmda' },
  cd: { type: 'Cash', subType: 'Cd' },
  healthSavingsAccount: { type: 'Cash', subType: 'Hsa' },
  creditCard: { type: 'CreditCards', subType: 'CreditCard' },
  lineOfCredit: { type: 'Loans', subType: 'LineOfCredit' },
  mortgage: { type: 'Loans', subType: 'Mortgage' },
  loan: { type: 'Loans', subType: 'OtherLoan' },
  studentLoan: STUDENT_LOAN,
  studentLoanAccount: STUDENT_LOAN,
  studentLoanGroup: STUDENT_LOAN,
  brokerageAccount: { type: 'Investments', subType: 'Brokerage' },
  employeeStockPurchasePlan: { type: 'Investments', subType: 'EmployeeStockPlan' },
  pension: { type: 'Investments', subType: 'Pension' },
  variableAnnuity: { type: 'Investments', subType: 'Annuity' },
  cryptocurrency: { type: 'Investments', subType: 'DigitalAsset' },
  investment: OTHER_INVESTMENT,
  investmentTaxDeferred: RETIREMENT,
  ...all(RETIREMENT, ['ira', '401k', 'roth', '403b', 'rollover', 'keogh', '457plan', '457', '401a']),
  ...all(RETIREMENT, ['profitSharingPlan', 'roth401k', 'sepIRA', 'simpleIRA', 'thriftSavingsPlan']),
  ...all(EDUCATION, ['529plan', '529', 'educationSavings']),
  ...all(TRUST, ['ugma', 'utma']),
  unknown: UNKNOWN,
}

export interface KindWords {
  type: string | null
  isBusiness: boolean
  /** Purpose of a loan, as the bank names it. */
  purpose: string
}

/** Kind for Finicity's value. `onUnknown` is called with a value that the table lacks. */
export function toKind({ type, isBusiness, purpose }: KindWords, onUnknown: (word: string) => void): BankAccountKind {
  const kind = type !== null && Object.hasOwn(KINDS, type) ? KINDS[type] : undefined
  if (!kind) {
    onUnknown(type ?? 'null')
    return UNKNOWN
  }
  if (type === 'loan') {
    if (/\b(auto|automobile|vehicle|car|truck)\b/i.test(purpose)) return { type: 'Loans', subType: 'AutoLoan' }
    return isBusiness ? { type: 'Loans', subType: 'BusinessLoan' } : kind
  }
  return type === 'creditCard' && isBusiness ? { type: 'CreditCards', subType: 'BusinessCard' } : kind
}

/** Term loans: the bank can owe nothing on them, whatever sign it sends. */
export function isTermLoan(type: string | null): boolean {
  return type === 'mortgage' || type === 'loan' || /^studentLoan(Account|Group)?$/.test(type ?? '')
}

/**
 * Accounts with the opposite sign: on cards, lines and investments money in is negative.
 * Source: https://developer.mastercard.com/open-finance-us/documentation/products/manage/transaction-data/understanding-transaction-data/#transaction-data-by-segment
 */
export function countsOutflowsUp(type: string | null): boolean {
  const kind = type !== null && Object.hasOwn(KINDS, type) ? KINDS[type] : undefined
  return kind?.type === 'CreditCards' || kind?.type === 'Investments' || type === 'lineOfCredit'
}

function all(kind: BankAccountKind, words: readonly string[]): Record<string, BankAccountKind> {
  return Object.fromEntries(words.map((word) => [word, kind]))
}

const wireOf = (account: object) => ({ account: { id: '1', mask: '', ...account }, institution: {} })

export const typeTable: TypeTable = {
  rows: [
    ...Object.keys(KINDS).map((type) => ({ group: 'type', words: { type }, means: { wire: wireOf({ type }) } })),
    ...['creditCard', 'loan'].map((type) => ({
      group: 'type of a business',
      words: { type, marketSegment: 'business' },
      means: { wire: wireOf({ type, marketSegment: 'business' }) },
    })),
    {
      group: 'type of a business',
      words: { type: 'loan', 'detail.loanTypeDesc': 'Auto *' },
      means: { wire: wireOf({ type: 'loan', detail: { loanTypeDesc: 'Auto loan' } }) },
    },
  ],
  rules: [
    'A group of student loans is set aside: it is the sum of its loans, each of which is an account.',
    'A loan whose type or collateral speaks of a car is an AutoLoan, one of a business a BusinessLoan.',
    'A word that is not in the table becomes Unknown and is counted.',
    'What is pending has been found at the bank and not been shared yet: INACTIVE. Else the bank’s own word counts, and none is ACTIVE.',
  ],
}
