import type { BankAccount } from '../../model/records/bank-account.ts'
import type { BankAccountKind } from '../../model/records/banking.ts'
import { plainRows, type TypeTable } from '../contract/type-table.ts'

type Status = BankAccount['accountStatusSystem']
type Table = Readonly<Record<string, BankAccountKind>>

interface Group {
  table: Table
  /** Kind for a sub-type that is absent or new. */
  other: BankAccountKind
}

const OTHER_LOAN: BankAccountKind = { type: 'Loans', subType: 'OtherLoan' }

/** Groups by normalized key, without case, blanks and punctuation: banks spell the values differently. */
const GROUPS: Readonly<Record<string, Group>> = {
  deposit: {
    table: {
      checking: { type: 'Cash', subType: 'Checking' },
      savings: { type: 'Cash', subType: 'Savings' },
      moneymarket: { type: 'Cash', subType: 'Mmda' },
      cd: { type: 'Cash', subType: 'Cd' },
      certificateofdeposit: { type: 'Cash', subType: 'Cd' },
      certificate: { type: 'Cash', subType: 'Cd' },
      club: { type: 'Cash', subType: 'Savings' },
      hsa: { type: 'Cash', subType: 'Hsa' },
      ira: { type: 'Investments', subType: 'Retirement' },
    },
    other: { type: 'Cash', subType: 'OtherCash' },
  },
  debt: {
    table: {
      loan: OTHER_LOAN,
      mortgage: { type: 'Loans', subType: 'Mortgage' },
      autoloan: { type: 'Loans', subType: 'AutoLoan' },
      commercialloan: { type: 'Loans', subType: 'CommercialLoan' },
      studentloan: { type: 'Loans', subType: 'StudentLoan' },
      creditcard: { type: 'CreditCards', subType: 'CreditCard' },
      homeequityloan: { type: 'Loans', subType: 'HomeEquityLoan' },
    },
    other: OTHER_LOAN,
  },
  lineofcredit: {
    table: {
      lineofcredit: { type: 'Loans', subType: 'LineOfCredit' },
      creditcard: { type: 'CreditCards', subType: 'CreditCard' },
      heloc: { type: 'Loans', subType: 'Heloc' },
      homeequity: { type: 'Loans', subType: 'Heloc' },
    },
    other: { type: 'Loans', subType: 'LineOfCredit' },
  },
  investment: {
    table: {
      ira: { type: 'Investments', subType: 'Retirement' },
      brokerage: { type: 'Investments', subType: 'Brokerage' },
    },
    other: { type: 'Investments', subType: 'OtherInvestment' },
  },
  billpay: { table: {}, other: { type: 'Other', subType: 'Bill' } },
}

/** Source: the enumeration of `accountStatus`, https://jackhenry.dev/open-api-docs/consumer-api/api-reference/v0/accounts/details/ */
const STATUSES: Readonly<Record<Exclude<Status, 'DELETED'>, readonly string[]>> = {
  ACTIVE: [
    ...['Active', 'Active nonaccruing', 'Normal', 'New', 'Past due', 'No auto pay', 'No credits', 'Mail return', 'Occupied', 'Unoccupied'],
    ...['Do not close on zero balance', 'Drill', 'Matured', 'Mature not paid', 'Matured not paid', 'Waiting for payment', 'Zero accrual'],
    ...['Non accrual allow transactions', 'Interest accrual prohibited', 'Unknown', 'Bankrupt'],
  ],
  INACTIVE: [
    ...['Inactive', 'Dormant', 'Frozen', 'Frozen nonaccruing', 'Frozen with accrual', 'Frozen without accrual', 'Freeze with accrual'],
    ...['Freeze with zero accrual', 'No post', 'Restricted', 'Authorization prohibited', 'Lost', 'Stolen', 'Not available'],
  ],
  TO_BE_CLOSED: ['Close pending', 'Pending closed'],
  CLOSED: ['Closed', 'Paid off', 'Charge off', 'Charged off', 'Redeemed', 'Escheat', 'Revoked'],
}

const STATUS_OF: ReadonlyMap<string, Status> = new Map(
  Object.entries(STATUSES).flatMap(([status, words]) => words.map((word) => [plain(word), status as Status] as const)),
)

/**
 * Kind for the values of Banno; `onUnknown` is called with values that the tables lack, but not for an absent sub-type.
 */
export function toKind(
  type: string | null | undefined,
  subType: string | null | undefined,
  onUnknown: (word: string) => void,
): BankAccountKind {
  const group = GROUPS[plain(type ?? '')]
  if (!group) {
    if (type) onUnknown(`${type}/${subType ?? ''}`)
    return { type: 'Other', subType: 'Unknown' }
  }
  if (!subType) return group.other
  const kind = group.table[plain(subType)]
  if (!kind && plain(subType) !== plain(type ?? '')) onUnknown(`${type}/${subType}`)
  return kind ?? group.other
}

export function findStatus(word: string): Status | undefined {
  return STATUS_OF.get(plain(word))
}

function plain(word: string): string {
  return word.toLowerCase().replace(/[^a-z]/g, '')
}

const FOR_READERS: Readonly<Record<string, readonly [type: string, subTypes: readonly string[]]>> = {
  deposit: ['Deposit', ['Checking', 'Savings', 'Money Market', 'CD', 'Certificate of Deposit', 'Certificate', 'Club', 'HSA', 'IRA']],
  debt: ['Debt', ['Loan', 'Mortgage', 'Auto Loan', 'Commercial Loan', 'Student Loan', 'Credit Card', 'Home Equity Loan']],
  lineofcredit: ['Line of Credit', ['Line of Credit', 'Credit Card', 'HELOC', 'Home Equity']],
  investment: ['Investment', ['IRA', 'Brokerage']],
  billpay: ['Bill Pay', []],
}

export const typeTable: TypeTable = {
  rows: [
    ...plainRows(
      'accountType and accountSubType',
      Object.values(FOR_READERS).flatMap(([accountType, subTypes]) => [
        { accountType },
        ...subTypes.map((accountSubType) => ({ accountType, accountSubType })),
      ]),
      { id: '' },
    ),
    ...Object.values(STATUSES)
      .flat()
      .map((accountStatus) => ({
        group: 'Status',
        words: { accountStatus },
        means: { wire: { id: '', accountStatus } },
        isStatus: true,
      })),
  ],
  rules: [
    'Words are compared without case, blanks and signs.',
    'A sub-type that is not in the table falls into the other kind of its type, a type that is not into Unknown; both are counted.',
    'Credit unions always say the status Unknown: that is ACTIVE, for a closed account leaves the list.',
  ],
}
