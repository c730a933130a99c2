import type { BankAccount } from '../../model/records/bank-account.ts'
import type { BankTransaction } from '../../model/records/bank-transaction.ts'
import type { BankAccountKind } from '../../model/records/banking.ts'
import { type Decimal, fromMinorUnits, negate } from '../../model/values/decimal.ts'
import { type Day, parseDay, toOffsetTimestamp } from '../../model/values/timestamps.ts'
import { bankAccountMapping, type MapContext, mapping } from '../contract/mapping.ts'
import { toMaskedNumber } from '../toolkit/values/raw-values.ts'
import { toKind } from './type-table.ts'
import type { StripeAccount, StripeTransaction } from './wire.ts'

/**
 * Sign of balances: Stripe counts debts as negative; for cards and loans the sign is inverted here and nowhere else.
 */
export const toBankAccount = bankAccountMapping<StripeAccount>(2, ['actualBalanceDate', 'sourceUpdatedDate'], {
  origId: (w) => w.id,
  providerName: (w) => w.institution_name,
  accountName: (w) => w.display_name ?? '',
  accountNumber: (w) => toMaskedNumber(w.last4),
  accountStatusSystem: (w, context) => toStatus(w.status, context),
  userAccountClassification: () => null,
  kind: (w, context) => kindOf(w, (word) => context.unmapped('kind', word)),
  interestRate: () => null,
  availableCredit: () => null,
  dueDate: () => null,
  maturityAmount: () => null,
  maturityDate: () => null,
  minimumAmountDue: () => null,
  totalCreditLine: () => null,
  originalLoanAmount: () => null,
  lender: (w) => (quietKindOf(w).type === 'Loans' ? w.institution_name : null),
  amountDue: () => null,
  principalBalance: (w) => (quietKindOf(w).type === 'Loans' ? balanceOf(w) : null),
  currency: (w) => currencyOf(w)?.toUpperCase() ?? '',
  actualBalance: (w) => balanceOf(w),
  actualBalanceDate: (w) => (balanceOf(w) === null ? null : toTimestamp(w.balance?.as_of)),
  sourceUpdatedDate: (w) => (w.balance_refresh?.status === 'succeeded' ? toTimestamp(w.balance_refresh.last_attempted_at) : null),
})

/** Sign of amounts: money in is positive at Stripe too. */
export const toBankTransaction = mapping<StripeTransaction, BankTransaction>(1, {
  origId: (w) => w.id,
  accountOrigId: (w) => w.account,
  postedOn: (w) => (w.status === 'pending' ? null : toDayOf(w.status_transitions?.posted_at ?? w.transacted_at)),
  transactionOn: (w) => toDayOf(w.transacted_at),
  amount: (w) => fromMinorUnits(w.amount, minorDigits(w.currency)),
  currency: (w) => w.currency.toUpperCase(),
  description: (w) => w.description?.trim() ?? '',
  counterparty: () => '',
  category: () => '',
  isPending: (w, context) => toIsPending(w.status, context),
  runningBalance: () => null,
})

function toStatus(word: string | null | undefined, context: MapContext): BankAccount['accountStatusSystem'] {
  if (word === 'inactive' || word === 'disconnected') return 'INACTIVE'
  if (word !== 'active' && word !== null && word !== undefined) context.unmapped('accountStatusSystem', word)
  return 'ACTIVE'
}

function toIsPending(word: string, context: MapContext): boolean {
  if (word !== 'pending' && word !== 'posted') context.unmapped('isPending', word)
  return word === 'pending'
}

function kindOf(w: StripeAccount, onUnknown: (word: string) => void): BankAccountKind {
  return toKind(w.category ?? null, w.subcategory ?? null, onUnknown)
}

/** Kind without a report, for the fields that depend on it: the field `kind` itself has reported an unknown value. */
function quietKindOf(w: StripeAccount): BankAccountKind {
  return kindOf(w, () => {})
}

/** First key that is a currency code: Stripe's own fixtures contain one that is not. */
function currencyOf({ balance }: StripeAccount): string | null {
  return Object.keys(balance?.current ?? {}).find((key) => /^[a-z]{3}$/.test(key)) ?? null
}

function balanceOf(w: StripeAccount): Decimal | null {
  const currency = currencyOf(w)
  const minor = currency === null ? undefined : w.balance?.current?.[currency]
  if (currency === null || minor === undefined) return null
  const amount = fromMinorUnits(minor, minorDigits(currency))
  const { type } = quietKindOf(w)
  return type === 'CreditCards' || type === 'Loans' ? negate(amount) : amount
}

/** Decimal places of a currency by ISO 4217. */
function minorDigits(currency: string): number {
  return new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2
}

function toTimestamp(seconds: number | null | undefined): string | null {
  return seconds === null || seconds === undefined ? null : toOffsetTimestamp(toInstant(seconds))
}

/** Day in UTC: Stripe sends no time zone. */
function toDayOf(seconds: number | null | undefined): Day | null {
  return seconds === null || seconds === undefined ? null : parseDay(toInstant(seconds).toISOString())
}

function toInstant(seconds: number): Date {
  const instant = new Date(seconds * 1000)
  if (Number.isNaN(instant.getTime())) throw new RangeError('an instant that is none')
  return instant
}
