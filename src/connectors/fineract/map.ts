import type { BankAccount } from '../../model/records/bank-account.ts'
import type { BankTransaction } from '../../model/records/bank-transaction.ts'
import type { BankAccountKind } from '../../model/records/banking.ts'
import { add, type Decimal, negate, toDecimal } from '../../model/values/decimal.ts'
import { maskAccountNumber } from '../../model/values/text.ts'
import { dayToOffsetTimestamp, toOffsetTimestamp } from '../../model/values/timestamps.ts'
import { bankAccountMapping, type MapContext, mapping } from '../contract/mapping.ts'
import { readDay } from './dates.ts'
import { findDepositKind, findDirection, findStatus, kindOfResource, wordOf } from './type-table.ts'
import type { FineractAccount, FineractTransaction } from './wire.ts'

/**
 * Signs of balances equal ours: debts are positive, an overdrawn account is negative. Overpaid amounts are a separate
 * field.
 */
export const toBankAccount = bankAccountMapping<FineractAccount>(3, ['actualBalanceDate'], {
  origId: (w) => w.id,
  providerName: (w) => w.client.officeName ?? '',
  accountName: (w) => w.loan?.loanProductName ?? w.deposit?.depositProductName ?? w.deposit?.savingsProductName ?? '',
  accountNumber: (w) => maskAccountNumber(recordOf(w)?.accountNo),
  accountStatusSystem: toStatus,
  userAccountClassification: (w, context) => {
    const code = w.client.legalForm?.code ?? ''
    if (/\.entity$/i.test(code)) return 'BUSINESS'
    if (/\.person$/i.test(code)) return 'PERSONAL'
    if (code !== '') context.unmapped('userAccountClassification', code)
    return null
  },
  kind: toKind,
  interestRate: (w) => toDecimal(w.loan?.annualInterestRate ?? w.deposit?.nominalAnnualInterestRate),
  availableCredit: () => null,
  dueDate: (w) => dayToOffsetTimestamp(readDay(nextPeriod(w)?.dueDate ?? w.loan?.delinquent?.nextPaymentDueDate)),
  maturityAmount: (w) => toDecimal(w.deposit?.maturityAmount),
  maturityDate: (w) => dayToOffsetTimestamp(readDay(w.loan?.timeline?.expectedMaturityDate ?? w.deposit?.maturityDate)),
  minimumAmountDue: () => null,
  totalCreditLine: (w) => (w.deposit?.allowOverdraft === true ? toDecimal(w.deposit.overdraftLimit) : null),
  originalLoanAmount: (w) => toDecimal(w.loan?.principal),
  lender: (w) => (w.loan ? (w.client.officeName ?? null) : null),
  amountDue: (w, context) => amountDue(w, context.fetchedAt),
  principalBalance: (w) => toDecimal(w.loan?.summary?.principalOutstanding),
  currency: (w) => (recordOf(w)?.currency?.code ?? '').toUpperCase(),
  actualBalance: (w) => (w.loan ? owed(w) : toDecimal(w.deposit?.summary?.accountBalance)),
  actualBalanceDate: (_w, context) => toOffsetTimestamp(context.fetchedAt),
  sourceUpdatedDate: () => null,
})

/** Amounts have no sign; the kind of transaction, or `entryType`, is the direction. */
export const toBankTransaction = mapping<FineractTransaction, BankTransaction>(1, {
  origId: (w) => w.id,
  accountOrigId: (w) => w.account,
  postedOn: (w) => readDay(movementOf(w).submittedOnDate ?? movementOf(w).date),
  transactionOn: (w) => (movementOf(w).submittedOnDate ? readDay(movementOf(w).date) : null),
  amount: (w, context) => {
    const amount = toDecimal(movementOf(w).amount)
    if (amount === null) throw new RangeError('no amount')
    return directionOf(w, context) < 0 ? negate(amount) : amount
  },
  currency: (w) => (movementOf(w).currency?.code ?? '').toUpperCase(),
  description: (w) => movementOf(w).note?.trim() || (typeOf(w).value ?? ''),
  counterparty: () => '',
  category: (w) => wordOf(typeOf(w).code),
  isPending: () => false,
  runningBalance: (w) => toDecimal(w.savings ? w.savings.runningBalance : w.loan?.outstandingLoanBalance),
})

function recordOf(w: FineractAccount) {
  return w.loan ?? w.deposit
}

function toKind(w: FineractAccount, context: MapContext): BankAccountKind {
  if (w.loan) return { type: 'Loans', subType: /\.entity$/i.test(w.client.legalForm?.code ?? '') ? 'BusinessLoan' : 'OtherLoan' }
  const code = w.deposit?.depositType?.code ?? ''
  // Details do not always include their kind; the resource they were read from implies it.
  const kind = code === '' ? kindOfResource(w.resource ?? '') : findDepositKind(code)
  if (kind === null) context.unmapped('kind', code)
  return kind ?? { type: 'Cash', subType: 'OtherCash' }
}

function toStatus(w: FineractAccount, context: MapContext): BankAccount['accountStatusSystem'] {
  const code = recordOf(w)?.status?.code ?? ''
  const status = findStatus(w.loan ? 'loan' : 'deposit', code)
  if (status === null && code !== '') context.unmapped('accountStatusSystem', code)
  const isAsleep = status === 'ACTIVE' && /\.(dormant|inactive)$/i.test(w.deposit?.subStatus?.code ?? '')
  return isAsleep ? 'INACTIVE' : (status ?? 'ACTIVE')
}

/** First instalment that is not fully paid. The line of the disbursement has no number. */
function nextPeriod(w: FineractAccount) {
  return periodsOf(w)[0]
}

function periodsOf(w: FineractAccount) {
  const periods = w.loan?.repaymentSchedule?.periods ?? []
  return periods.filter(({ period, complete }) => typeof period === 'number' && complete !== true)
}

/** Overdue amount plus the next instalment; null when neither is known. */
function amountDue(w: FineractAccount, now: Date): Decimal | null {
  if (!w.loan || toDecimal(w.loan.summary?.totalOutstanding) === '0') return null
  const today = now.toISOString().slice(0, 10)
  const coming = periodsOf(w).find(({ dueDate }) => (readDay(dueDate) ?? '') >= today)
  const parts = [
    toDecimal(w.loan.summary?.totalOverdue),
    toDecimal(coming?.totalOutstandingForPeriod ?? w.loan.delinquent?.nextPaymentAmount),
  ]
  const known = parts.filter((part) => part !== null)
  return known.length === 0 ? null : add(...known)
}

/**
 * Amount owed today. `totalOutstanding` includes the interest and fees of all future instalments, which are not owed
 * yet: of interest and fees only the overdue part counts.
 * Source: org.apache.fineract.portfolio.loanaccount.data.LoanSummaryData
 */
function owed({ loan }: FineractAccount): Decimal | null {
  const overpaid = toDecimal(loan?.totalOverpaid)
  if (overpaid !== null && overpaid !== '0') return negate(overpaid)
  const summary = loan?.summary ?? {}
  const principal = toDecimal(summary.principalOutstanding)
  if (principal === null) return toDecimal(summary.totalOutstanding)
  const charged = [summary.interestOverdue, summary.feeChargesOverdue, summary.penaltyChargesOutstanding ?? summary.penaltyChargesOverdue]
  return add(principal, ...charged.map((part) => toDecimal(part)).filter((part) => part !== null))
}

function movementOf(w: FineractTransaction) {
  const movement = w.savings ?? w.loan
  if (!movement) throw new RangeError('neither of a loan nor of savings')
  return movement
}

function typeOf(w: FineractTransaction) {
  if (w.savings) return w.savings.transactionType
  if (w.loan) return w.loan.type
  throw new RangeError('neither of a loan nor of savings')
}

function directionOf(w: FineractTransaction, context: MapContext): number {
  const entry = w.savings?.entryType
  const told = (typeof entry === 'string' ? entry : (entry?.value ?? entry?.code ?? '')).toUpperCase()
  if (told.endsWith('CREDIT')) return 1
  if (told.endsWith('DEBIT')) return -1
  const { code } = typeOf(w)
  const direction = findDirection(w.loan ? 'loan' : 'savings', code)
  if (direction !== null) return direction
  context.unmapped('amount', wordOf(code))
  throw new RangeError('a new kind of movement: its direction is unknown')
}
