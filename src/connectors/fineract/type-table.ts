import type { BankAccount } from '../../model/records/bank-account.ts'
import type { BankAccountKind } from '../../model/records/banking.ts'
import type { Json } from '../../model/values/json.ts'
import { plainRows, type TypeTable } from '../contract/type-table.ts'
import { isJsonObject } from '../toolkit/http/answers.ts'

type Status = BankAccount['accountStatusSystem']

/**
 * Words are the ends of codes: `loanStatusType.closed.obligations.met`.
 * Source: org.apache.fineract.portfolio.loanaccount.domain.LoanStatus
 */
const LOAN_STATUSES: Readonly<Record<string, Status>> = {
  'submitted.and.pending.approval': 'INACTIVE',
  approved: 'INACTIVE',
  active: 'ACTIVE',
  'transfer.in.progress': 'ACTIVE',
  'transfer.on.hold': 'ACTIVE',
  overpaid: 'ACTIVE',
  'withdrawn.by.client': 'CLOSED',
  rejected: 'CLOSED',
  'closed.obligations.met': 'CLOSED',
  'closed.written.off': 'CLOSED',
  'closed.reschedule.outstanding.amount': 'CLOSED',
}

/** Source: org.apache.fineract.portfolio.savings.domain.SavingsAccountStatusType */
const DEPOSIT_STATUSES: Readonly<Record<string, Status>> = {
  'submitted.and.pending.approval': 'INACTIVE',
  approved: 'INACTIVE',
  active: 'ACTIVE',
  'transfer.in.progress': 'ACTIVE',
  'transfer.on.hold': 'ACTIVE',
  matured: 'ACTIVE',
  'withdrawn.by.applicant': 'CLOSED',
  rejected: 'CLOSED',
  closed: 'CLOSED',
  'pre.mature.closure': 'CLOSED',
}

const DEPOSIT_KINDS: Readonly<Record<string, BankAccountKind>> = {
  savingsDeposit: { type: 'Cash', subType: 'Savings' },
  fixedDeposit: { type: 'Cash', subType: 'Cd' },
  recurringDeposit: { type: 'Cash', subType: 'RecurringDeposit' },
}

/**
 * Direction of a transaction: 1 increases the account, -1 decreases it; 0: no money moves, such rows are no
 * transactions.
 */
type Direction = 1 | -1 | 0

/** Source: org.apache.fineract.portfolio.savings.SavingsAccountTransactionType */
const SAVINGS_DIRECTIONS: Readonly<Record<string, Direction>> = {
  deposit: 1,
  interestPosting: 1,
  dividendPayout: 1,
  approveTransfer: 1,
  withdrawal: -1,
  withdrawalFee: -1,
  annualFee: -1,
  payCharge: -1,
  feeDeduction: -1,
  overdraftInterest: -1,
  withholdTax: -1,
  escheat: -1,
  initiateTransfer: -1,
  waiveCharge: 0,
  accrual: 0,
  onHold: 0,
  release: 0,
  amountHold: 0,
  amountRelease: 0,
}

/**
 * Directions of loans: 1 for transactions that lower a debt, -1 for those that raise it.
 * Source: org.apache.fineract.portfolio.loanaccount.domain.LoanTransactionType
 */
const LOAN_DIRECTIONS: Readonly<Record<string, Direction>> = {
  repayment: 1,
  repaymentAtDisbursement: 1,
  downPayment: 1,
  recoveryRepayment: 1,
  waiver: 1,
  waiveInterest: 1,
  waiveCharges: 1,
  writeOff: 1,
  merchantIssuedRefund: 1,
  payoutRefund: 1,
  goodwillCredit: 1,
  interestPaymentWaiver: 1,
  interestRefund: 1,
  chargeAdjustment: 1,
  chargePayment: 1,
  disbursement: -1,
  incomePosting: -1,
  refund: -1,
  refundForActiveLoan: -1,
  creditBalanceRefund: -1,
  chargeback: -1,
  chargeRefund: -1,
  contra: 0,
  markedForRescheduling: 0,
  accrual: 0,
  accrualActivity: 0,
  accrualAdjustment: 0,
  chargeOff: 0,
  reAge: 0,
  reAmortize: 0,
  initiateTransfer: 0,
  approveTransfer: 0,
  withdrawTransfer: 0,
  rejectTransfer: 0,
}

/** Part of a code after its first point. */
export function wordOf(code: string): string {
  return code.slice(code.indexOf('.') + 1)
}

export function findStatus(kind: 'loan' | 'deposit', code: string): Status | null {
  return lookUp(kind === 'loan' ? LOAN_STATUSES : DEPOSIT_STATUSES, wordOf(code))
}

export function findDepositKind(code: string): BankAccountKind | null {
  return lookUp(DEPOSIT_KINDS, wordOf(code))
}

/** Source: org.apache.fineract…DepositAccountType, each of which has an address of its own */
export function kindOfResource(resource: string): BankAccountKind {
  if (resource === 'fixeddepositaccounts') return { type: 'Cash', subType: 'Cd' }
  return resource === 'recurringdepositaccounts' ? { type: 'Cash', subType: 'RecurringDeposit' } : { type: 'Cash', subType: 'Savings' }
}

/** Null for an unknown kind of transaction. */
export function findDirection(kind: string, code: string): Direction | null {
  return lookUp(kind === 'loan' ? LOAN_DIRECTIONS : SAVINGS_DIRECTIONS, wordOf(code))
}

/** Whether a row moved money and is still valid: a reversed one stays listed, marked. */
export function isMovement(kind: string, row: { [key: string]: Json }): boolean {
  const type = kind === 'loan' ? row.type : row.transactionType
  const code = isJsonObject(type) && typeof type.code === 'string' ? type.code : ''
  return row.reversed !== true && row.manuallyReversed !== true && findDirection(kind, code) !== 0
}

/** Case-insensitive look-up: versions differ in the case of some values. */
function lookUp<T>(table: Readonly<Record<string, T>>, word: string): T | null {
  const key = Object.keys(table).find((each) => each.toLowerCase() === word.toLowerCase())
  return key === undefined ? null : (table[key] ?? null)
}

const client = { legalForm: null }

export const typeTable: TypeTable = {
  rows: [
    ...plainRows('Loan', [{ legalForm: 'legalFormType.entity' }, { legalForm: 'legalFormType.person' }]).map(({ words, ...row }) => ({
      ...row,
      words,
      means: { wire: { id: 'loan/1', client: { legalForm: { code: words.legalForm } }, loan: {} } },
    })),
    ...Object.keys(DEPOSIT_KINDS).map((word) => {
      const code = `savingsAccountDepositType.${word}`
      return {
        group: 'Deposit',
        words: { depositType: code },
        means: { wire: { id: 'savings/1', client, deposit: { depositType: { code } } } },
      }
    }),
    ...Object.keys(LOAN_STATUSES).map((word) => {
      const code = `loanStatusType.${word}`
      return {
        group: 'Status of loans',
        words: { status: code },
        means: { wire: { id: 'loan/1', client, loan: { status: { code } } } },
        isStatus: true,
      }
    }),
    ...Object.keys(DEPOSIT_STATUSES).map((word) => {
      const code = `savingsAccountStatusType.${word}`
      const wire = { id: 'savings/1', client, deposit: { status: { code } } }
      return { group: 'Status of deposits', words: { status: code }, means: { wire }, isStatus: true }
    }),
  ],
  rules: [
    'A loan of an entity is a BusinessLoan, of a person an OtherLoan.',
    'A dormant or inactive deposit is INACTIVE whatever its status.',
    'A new word of status is ACTIVE, a new kind of deposit OtherCash; both are counted.',
    'Movements that move nothing (holds, accruals) and those that were undone are left out; one of a new kind without a direction is set aside.',
  ],
}
