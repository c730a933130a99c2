import type { BankAccount } from '../../model/records/bank-account.ts'
import type { BankTransaction } from '../../model/records/bank-transaction.ts'
import { type Decimal, negate, toDecimal } from '../../model/values/decimal.ts'
import { parseDay, toOffsetTimestamp } from '../../model/values/timestamps.ts'
import { bankAccountMapping, type MapContext, mapping } from '../contract/mapping.ts'
import { toMaskedNumber } from '../toolkit/values/raw-values.ts'
import { toKind } from './type-table.ts'
import type { TellerAccount, TellerTransaction } from './wire.ts'

/**
 * Signs of balances: Teller's ledger is positive for credit balances of an account and for debt on a card, as ours.
 * Teller has no loan balances.
 */
export const toBankAccount = bankAccountMapping<TellerAccount>(2, ['actualBalanceDate'], {
  origId: (w) => w.account.id,
  providerName: (w) => w.account.institution?.name ?? '',
  accountName: (w) => w.account.name ?? '',
  accountNumber: (w) => toMaskedNumber(w.account.last_four || w.ending),
  accountStatusSystem: (w, context) => toStatus(w.account.status, context),
  userAccountClassification: () => null,
  kind: (w, context) => toKind(w.account.type ?? null, w.account.subtype ?? null, (word) => context.unmapped('kind', word)),
  interestRate: () => null,
  availableCredit: (w) => (isCredit(w.account.type) ? toDecimal(w.balances?.available) : null),
  dueDate: () => null,
  maturityAmount: () => null,
  maturityDate: () => null,
  minimumAmountDue: () => null,
  totalCreditLine: () => null,
  originalLoanAmount: () => null,
  lender: () => null,
  amountDue: () => null,
  principalBalance: () => null,
  currency: (w) => (w.account.currency ?? '').toUpperCase(),
  // Amount owed: never read from `available`, which is the credit still available.
  actualBalance: (w) => toDecimal(w.balances?.ledger ?? (isCredit(w.account.type) ? null : w.balances?.available)),
  // Balance date: the bank was queried in real time.
  actualBalanceDate: (w, context) => (w.balances ? toOffsetTimestamp(context.fetchedAt) : null),
  sourceUpdatedDate: () => null,
})

/**
 * Sign of amounts: an amount is the change of the ledger, so a purchase on a card is positive; the sign is inverted
 * here and nowhere else.
 */
export const toBankTransaction = mapping<TellerTransaction, BankTransaction>(1, {
  origId: (w) => w.transaction.id,
  accountOrigId: (w) => w.transaction.account_id,
  postedOn: (w) => (isPending(w) ? null : parseDay(w.transaction.date)),
  transactionOn: (w) => (isPending(w) ? parseDay(w.transaction.date) : null),
  amount: (w) => requireAmount(w),
  currency: (w) => (w.account.currency ?? '').toUpperCase(),
  description: (w) => w.transaction.description?.trim() ?? '',
  counterparty: (w) => w.transaction.details?.counterparty?.name ?? '',
  category: (w) => w.transaction.details?.category ?? '',
  isPending: (w) => isPending(w),
  runningBalance: (w) => toDecimal(w.transaction.running_balance),
})

function toStatus(word: string | null | undefined, context: MapContext): BankAccount['accountStatusSystem'] {
  if (word === 'closed') return 'CLOSED'
  if (word !== 'open' && word !== null && word !== undefined) context.unmapped('accountStatusSystem', word)
  return 'ACTIVE'
}

function isCredit(type: string | null | undefined): boolean {
  return type === 'credit'
}

function isPending({ transaction }: TellerTransaction): boolean {
  return transaction.status === 'pending'
}

function requireAmount({ transaction, account }: TellerTransaction): Decimal {
  const amount = toDecimal(transaction.amount)
  if (amount === null) throw new RangeError('no amount')
  return isCredit(account.type) ? negate(amount) : amount
}
