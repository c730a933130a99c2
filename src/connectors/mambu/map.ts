import type { BankTransaction } from '../../model/records/bank-transaction.ts'
import type { BankAccountKind } from '../../model/records/banking.ts'
import { absolute, add, type Decimal, negate, toDecimal } from '../../model/values/decimal.ts'
import { maskAccountNumber } from '../../model/values/text.ts'
import { dayToOffsetTimestamp, parseDay, parseInstant, toOffsetTimestamp } from '../../model/values/timestamps.ts'
import { bankAccountMapping, type MapContext, mapping } from '../contract/mapping.ts'
import { findDirection, findKind, findStatus } from './type-table.ts'
import type { MambuAccount, MambuTransaction } from './wire.ts'

/**
 * Signs of balances equal ours: debts are positive, an overdrawn account is negative. Days are kept as written, in the
 * bank's time zone.
 */
export const toBankAccount = bankAccountMapping<MambuAccount>(3, ['actualBalanceDate'], {
  origId: (w) => recordOf(w).encodedKey,
  providerName: (w) => w.tenant,
  accountName: (w) => (w.loan ? w.loan.loanName : w.deposit?.name) ?? '',
  accountNumber: (w) => maskAccountNumber(recordOf(w).id),
  accountStatusSystem: (w, context) => {
    const word = recordOf(w).accountState ?? ''
    const status = findStatus(word)
    if (status === null && word !== '') context.unmapped('accountStatusSystem', word)
    return status ?? 'ACTIVE'
  },
  userAccountClassification: () => null,
  kind: toKind,
  interestRate: (w) => yearlyRate(w.loan ? w.loan.interestSettings : w.deposit?.interestSettings?.interestRateSettings),
  availableCredit: () => null,
  dueDate: (w) => dayToOffsetTimestamp(parseDay(instalmentsOf(w).find(({ state }) => state !== 'PAID' && state !== 'GRACE')?.dueDate)),
  maturityAmount: () => null,
  maturityDate: (w) => dayToOffsetTimestamp(parseDay(w.loan ? instalmentsOf(w).at(-1)?.dueDate : w.deposit?.maturityDate)),
  minimumAmountDue: () => null,
  totalCreditLine: (w) => {
    if (w.loan) return isRevolving(w) ? toDecimal(w.loan.loanAmount) : null
    return w.deposit?.overdraftSettings?.allowOverdraft === true ? toDecimal(w.deposit.overdraftSettings.overdraftLimit) : null
  },
  originalLoanAmount: (w) => (isRevolving(w) ? null : toDecimal(w.loan?.loanAmount)),
  lender: (w) => (w.loan ? w.tenant : null),
  amountDue: (w) => {
    const { principalDue, interestDue, feesDue, penaltyDue } = w.loan?.balances ?? {}
    return sumOf([principalDue, interestDue, feesDue, penaltyDue])
  },
  principalBalance: (w) => toDecimal(w.loan?.balances?.principalBalance),
  currency: (w) => {
    const { currency } = w.loan?.currency ? w.loan : (w.schedule ?? {})
    return toCurrency([w.deposit?.currencyCode, currency?.code, currency?.currencyCode, w.home])
  },
  actualBalance: (w) => {
    const { principalBalance, interestBalance, feesBalance, penaltyBalance } = w.loan?.balances ?? {}
    return w.loan ? sumOf([principalBalance, interestBalance, feesBalance, penaltyBalance]) : toDecimal(w.deposit?.balances?.totalBalance)
  },
  actualBalanceDate: (_w, context) => toOffsetTimestamp(context.fetchedAt),
  sourceUpdatedDate: (w) => {
    const instant = parseInstant(recordOf(w).lastModifiedDate)
    return instant === null ? null : toOffsetTimestamp(instant)
  },
})

export const toBankTransaction = mapping<MambuTransaction, BankTransaction>(2, {
  origId: (w) => w.row.encodedKey,
  accountOrigId: (w) => w.account,
  postedOn: (w) => parseDay(w.row.bookingDate ?? w.row.valueDate),
  transactionOn: (w) => (w.row.bookingDate ? parseDay(w.row.valueDate) : null),
  amount: toAmount,
  currency: ({ row, accountCurrency }) => toCurrency([row.currencyCode, row.currency?.code, row.currency?.currencyCode, accountCurrency]),
  description: (w) => w.row.notes?.trim() || w.row.type,
  counterparty: (w) => w.row.cardTransaction?.cardAcceptor?.name ?? '',
  category: (w) => w.row.type,
  isPending: () => false,
  runningBalance: (w) => toDecimal(w.row.accountBalances?.totalBalance),
})

/** First currency present. */
function toCurrency(codes: readonly (string | null | undefined)[]): string {
  return (codes.find((each) => each?.trim()) ?? '').trim().toUpperCase()
}

function recordOf(w: MambuAccount) {
  const record = w.loan ?? w.deposit
  if (!record) throw new RangeError('neither a loan nor a deposit')
  return record
}

function toKind(w: MambuAccount, context: MapContext): BankAccountKind {
  if (w.loan) return { type: 'Loans', subType: isRevolving(w) ? 'LineOfCredit' : 'OtherLoan' }
  const word = w.deposit?.accountType ?? ''
  const kind = findKind(word)
  if (kind === null && word !== '') context.unmapped('kind', word)
  return kind ?? { type: 'Cash', subType: 'OtherCash' }
}

function isRevolving({ loan }: MambuAccount): boolean {
  return loan?.principalPaymentSettings !== undefined && loan.principalPaymentSettings !== null
}

function instalmentsOf({ schedule }: MambuAccount) {
  return schedule?.installments ?? []
}

/** Charges per year by frequency; no rate can be derived from other values. */
const CHARGES_A_YEAR: Readonly<Record<string, number>> = {
  ANNUALIZED: 1,
  EVERY_MONTH: 12,
  EVERY_FOUR_WEEKS: 13,
  EVERY_WEEK: 52,
  EVERY_DAY: 365,
}

/**
 * Nominal annual rate: a monthly rate times twelve. For an indexed rate Mambu sends only the spread, which is no rate.
 */
function yearlyRate(
  settings: { interestRate?: number | string | null; interestChargeFrequency?: string | null } | null | undefined,
): Decimal | null {
  const rate = toDecimal(settings?.interestRate)
  const times = CHARGES_A_YEAR[settings?.interestChargeFrequency ?? 'ANNUALIZED']
  return rate === null || times === undefined ? null : add(...Array.from({ length: times }, () => rate))
}

/** Sum of the parts present; null when there is none. */
function sumOf(parts: readonly (number | string | null | undefined)[]): Decimal | null {
  const known = parts.map((part) => toDecimal(part)).filter((part) => part !== null)
  return known.length === 0 ? null : add(...known)
}

function toAmount(w: MambuTransaction, context: MapContext): Decimal {
  const amount = toDecimal(w.row.amount)
  if (amount === null) throw new RangeError('no amount')
  const direction = findDirection(w.of, w.row.type)
  if (direction === null) {
    context.unmapped('amount', w.row.type)
    throw new RangeError('a new kind of movement: its direction is unknown')
  }
  if (direction === 'asGiven') return amount
  return direction < 0 ? negate(absolute(amount)) : absolute(amount)
}
