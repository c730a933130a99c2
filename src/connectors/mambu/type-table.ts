import type { BankAccount } from '../../model/records/bank-account.ts'
import type { BankAccountKind } from '../../model/records/banking.ts'
import type { TypeTable } from '../contract/type-table.ts'

type Status = BankAccount['accountStatusSystem']

/** Source: DepositAccount.accountType in Mambu's document */
const KINDS: Readonly<Record<string, BankAccountKind>> = {
  CURRENT_ACCOUNT: { type: 'Cash', subType: 'Checking' },
  REGULAR_SAVINGS: { type: 'Cash', subType: 'Savings' },
  SAVINGS_PLAN: { type: 'Cash', subType: 'Savings' },
  FIXED_DEPOSIT: { type: 'Cash', subType: 'Cd' },
  INVESTOR_ACCOUNT: { type: 'Investments', subType: 'OtherInvestment' },
}

/** Of deposits and loans. Source: DepositAccount.accountState, LoanAccount.accountState */
const STATUSES: Readonly<Record<string, Status>> = {
  PARTIAL_APPLICATION: 'INACTIVE',
  PENDING_APPROVAL: 'INACTIVE',
  APPROVED: 'INACTIVE',
  ACTIVE: 'ACTIVE',
  ACTIVE_IN_ARREARS: 'ACTIVE',
  MATURED: 'ACTIVE',
  LOCKED: 'ACTIVE',
  DORMANT: 'INACTIVE',
  CLOSED: 'CLOSED',
  CLOSED_WRITTEN_OFF: 'CLOSED',
  CLOSED_REJECTED: 'CLOSED',
  WITHDRAWN: 'CLOSED',
}

/** Direction: 1 increases the account, -1 decreases it; `asGiven`: the sign of the amount decides. */
export type Direction = 1 | -1 | 'asGiven'

/** Source: DepositTransaction.type */
const DEPOSIT_DIRECTIONS: Readonly<Record<string, Direction>> = {
  DEPOSIT: 1,
  WITHDRAWAL_ADJUSTMENT: 1,
  CARD_TRANSACTION_REVERSAL: 1,
  FEE_ADJUSTED: 1,
  FEES_DUE_REDUCED: 1,
  WITHHOLDING_TAX_ADJUSTMENT: 1,
  LOAN_FUNDED_ADJUSTMENT: 1,
  LOAN_REPAID: 1,
  LOAN_FRACTION_BOUGHT_ADJUSTMENT: 1,
  LOAN_FRACTION_SOLD: 1,
  ADJUSTMENT: -1,
  WITHDRAWAL: -1,
  FEE_APPLIED: -1,
  FEE_REDUCTION_ADJUSTMENT: -1,
  WITHHOLDING_TAX: -1,
  LOAN_FUNDED: -1,
  LOAN_REPAID_ADJUSTMENT: -1,
  LOAN_FRACTION_BOUGHT: -1,
  LOAN_FRACTION_SOLD_ADJUSTMENT: -1,
}

/**
 * Directions of loans: 1 for transactions that lower a debt, -1 for those that raise it.
 * Source: https://docs.mambu.com/api/api-v2/loans_transactions
 */
const LOAN_DIRECTIONS: Readonly<Record<string, Direction>> = {
  REPAYMENT: 1,
  PAYMENT_MADE: 1,
  WRITE_OFF: 1,
  DISBURSEMENT_ADJUSTMENT: 1,
  INTEREST_APPLIED_ADJUSTMENT: 1,
  FEE_ADJUSTMENT: 1,
  FEES_DUE_REDUCED: 1,
  INTEREST_DUE_REDUCED: 1,
  PENALTIES_DUE_REDUCED: 1,
  PENALTY_ADJUSTMENT: 1,
  WITHDRAWAL_REDRAW_ADJUSTMENT: 1,
  DISBURSEMENT: -1,
  INTEREST_APPLIED: -1,
  FEE: -1,
  FEE_CHARGED: -1,
  FEES_APPLIED: -1,
  PENALTY_APPLIED: -1,
  PENALTIES_APPLIED: -1,
  REPAYMENT_ADJUSTMENT: -1,
  PAYMENT_MADE_ADJUSTMENT: -1,
  WRITE_OFF_ADJUSTMENT: -1,
  WITHDRAWAL_REDRAW: -1,
}

/** Notes about the account that move no money. */
const NOTES = /^(OVERDRAFT_)?INTEREST_RATE_CHANGED$|^OVERDRAFT_LIMIT_CHANGED$|^BRANCH_CHANGED$|^TERMS_CHANGED$|^DUE_DATE_CHANGED$/

export function findKind(word: string): BankAccountKind | null {
  return Object.hasOwn(KINDS, word) ? (KINDS[word] ?? null) : null
}

export function findStatus(word: string): Status | null {
  return Object.hasOwn(STATUSES, word) ? (STATUSES[word] ?? null) : null
}

/** Null for an unknown kind of loan transaction; amounts of deposits are signed where the kind has no direction. */
export function findDirection(of: string, word: string): Direction | null {
  const table = of === 'loan' ? LOAN_DIRECTIONS : DEPOSIT_DIRECTIONS
  const found = Object.hasOwn(table, word) ? table[word] : undefined
  return found ?? (of === 'loan' ? null : 'asGiven')
}

export function isMovement(type: unknown): boolean {
  return typeof type !== 'string' || !NOTES.test(type)
}

const tenant = 'tenant'
const encodedKey = '1'

export const typeTable: TypeTable = {
  rows: [
    ...Object.keys(KINDS).map((accountType) => ({
      group: 'accountType',
      words: { accountType },
      means: { wire: { tenant, deposit: { encodedKey, accountType } } },
    })),
    { group: 'Loans', words: { accountType: 'a loan', principalPaymentSettings: '' }, means: { wire: { tenant, loan: { encodedKey } } } },
    {
      group: 'Loans',
      words: { accountType: 'a loan', principalPaymentSettings: 'present' },
      means: { wire: { tenant, loan: { encodedKey, principalPaymentSettings: {} } } },
    },
    ...Object.keys(STATUSES).map((accountState) => ({
      group: 'Status',
      words: { accountState },
      means: { wire: { tenant, deposit: { encodedKey, accountState } } },
      isStatus: true,
    })),
  ],
  rules: [
    'A loan with settings for principal payments is a revolving credit: a LineOfCredit.',
    'A new kind of account is OtherCash, a new state ACTIVE; both are counted.',
    'Movements that move nothing (changed rates, limits, branches) are left out; one of a loan of a new kind is set aside.',
  ],
}
