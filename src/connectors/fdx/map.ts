import type { BankAccount } from '../../model/records/bank-account.ts'
import type { BankTransaction } from '../../model/records/bank-transaction.ts'
import type { BankAccountKind } from '../../model/records/banking.ts'
import { absolute, type Decimal, negate, toDecimal } from '../../model/values/decimal.ts'
import { parseDay, parseInstant, toOffsetTimestamp } from '../../model/values/timestamps.ts'
import { bankAccountMapping, type MapContext, mapping } from '../contract/mapping.ts'
import { toDayTimestamp } from '../toolkit/values/raw-values.ts'
import { isCreditLine, toKind, toStatus } from './type-table.ts'
import type { FdxAccount, FdxTransaction } from './wire.ts'

/** Signs of balances equal ours: owed is positive, an overdrawn asset negative. */
export const toBankAccount = bankAccountMapping<FdxAccount>(2, ['actualBalanceDate'], {
  origId: (w) => w.account.accountId,
  providerName: (w) => w.provider,
  accountName: (w) => firstText(w.account.nickname, w.account.productName, w.account.description),
  accountNumber: (w) => toMaskedNumber(w.account.accountNumberDisplay),
  accountStatusSystem: (w, context) => statusOf(w, context),
  userAccountClassification: (w) => toClassification(w),
  kind: (w, context) => kindOf(w, (word) => context.unmapped('kind', word)),
  interestRate: (w) =>
    toRate(
      w.account.interestRate ?? w.account.chargedInterest?.rate ?? w.account.purchasesApr ?? w.account.earnedInterest?.rate,
      w.isFraction,
    ),
  availableCredit: (w) => (isCreditLine(quietKindOf(w)) ? toDecimal(w.account.availableCredit) : null),
  dueDate: (w) => toDayTimestamp(w.account.nextPaymentDate ?? w.account.bills?.[0]?.dueDate),
  maturityAmount: () => null,
  maturityDate: (w) => toDayTimestamp(w.account.maturityDate),
  minimumAmountDue: (w) => toDecimal(w.account.minimumPaymentAmount ?? w.account.bills?.[0]?.minimumPaymentDue),
  totalCreditLine: (w) => (isCreditLine(quietKindOf(w)) ? toDecimal(w.account.creditLine) : null),
  originalLoanAmount: (w) => toDecimal(w.account.originalPrincipal),
  lender: (w) => (quietKindOf(w).type === 'Loans' ? firstText(w.account.loanProviderName, w.provider) : null),
  amountDue: (w) => toDecimal(w.account.nextPaymentAmount ?? w.account.bills?.[0]?.totalPaymentDue),
  principalBalance: (w) => (quietKindOf(w).type === 'Loans' ? toDecimal(w.account.principalBalance) : null),
  currency: (w) => (w.account.currency?.currencyCode ?? w.currency ?? '').toUpperCase(),
  actualBalance: (w) =>
    toDecimal(
      w.account.currentBalance ?? w.account.principalBalance ?? w.account.currentValue ?? (isOwed(w) ? null : w.account.availableBalance),
    ),
  actualBalanceDate: (w, context) => toOffsetTimestamp(parseInstant(w.account.balanceAsOf) ?? context.fetchedAt),
  sourceUpdatedDate: (w) => {
    const instant = parseInstant(w.account.lastActivityDate)
    return instant === null ? null : toOffsetTimestamp(instant)
  },
})

/**
 * Amounts of FDX have no sign; a separate field is the direction. NOTE Ids of transactions are unique within their
 * account only, so the account's id is prefixed.
 * Source: https://github.com/plaid/core-exchange,
 * Transaction.transactionId and .amount
 */
export const toBankTransaction = mapping<FdxTransaction, BankTransaction>(1, {
  origId: (w) => toTransactionId(w.accountId, w.transaction.transactionId),
  accountOrigId: (w) => w.accountId,
  postedOn: (w) => (isPending(w.transaction) ? null : parseDay(w.transaction.postedTimestamp ?? w.transaction.transactionTimestamp)),
  transactionOn: (w) => parseDay(w.transaction.transactionTimestamp),
  amount: (w) => toSigned(w.transaction.amount, w.transaction.debitCreditMemo),
  currency: (w) => w.currency.toUpperCase(),
  description: (w) => firstText(w.transaction.description, w.transaction.memo),
  counterparty: (w) => w.transaction.payee ?? '',
  category: (w) => w.transaction.category ?? '',
  isPending: (w) => isPending(w.transaction),
  runningBalance: (w) => toDecimal(w.transaction.runningBalance),
})

export function toTransactionId(accountId: string, transactionId: string): string {
  return `${accountId}/${transactionId}`
}

/**
 * Whether a transaction is pending. Without a status it is booked when it has a booking day. MEMO, AUTHORIZATION and
 * PENDING are not booked yet.
 */
export function isPending({ status, debitCreditMemo, postedTimestamp }: FdxTransaction['transaction']): boolean {
  if (debitCreditMemo.toUpperCase() === 'MEMO') return true
  return status === null || status === undefined ? !postedTimestamp : status.toUpperCase() !== 'POSTED'
}

/**
 * Signed amount. A MEMO is to be booked as a debit at the end of the day. Some banks sign debits too: the direction
 * field decides, not the sign.
 */
function toSigned(value: number | string, word: string): Decimal {
  const amount = absolute(toDecimal(value))
  if (amount === null) throw new RangeError('no amount')
  const direction = word.toUpperCase()
  if (direction === 'CREDIT') return amount
  if (direction === 'DEBIT' || direction === 'MEMO') return negate(amount)
  throw new RangeError('debitCreditMemo does not say whether money came in or went out')
}

/**
 * Masked account number, as in `...7054`, `xxxxxxxx0071`, `5820`: most banks mask it themselves; at most four letters
 * or digits are kept.
 */
function toMaskedNumber(display: string | null | undefined): string {
  const kept = (display ?? '').replace(/[^0-9A-Za-z]/g, '').slice(-4)
  const shown = kept.replace(/^[xX]+/, '')
  return shown === '' ? '' : `••••${shown}`
}

function statusOf(w: FdxAccount, context: MapContext): BankAccount['accountStatusSystem'] {
  const word = w.account.status
  if (word === null || word === undefined || word === '') return 'ACTIVE'
  const status = toStatus(word)
  if (status === null) context.unmapped('accountStatusSystem', word)
  return status ?? 'ACTIVE'
}

/** Classification from `lineOfBusiness`, which is free text; null when it matches neither. */
function toClassification(w: FdxAccount): BankAccount['userAccountClassification'] {
  if (isBusiness(w)) return 'BUSINESS'
  return /\b(personal|consumer|retail)\b/i.test(w.account.lineOfBusiness ?? '') ? 'PERSONAL' : null
}

function isBusiness(w: FdxAccount): boolean {
  if (w.category === 'COMMERCIAL_ACCOUNT' || /^(smbloan|commercial)/i.test(w.account.accountType ?? '')) return true
  return /business|commercial|corporate|entreprise/i.test(w.account.lineOfBusiness ?? '')
}

function kindOf(w: FdxAccount, onUnknown: (word: string) => void): BankAccountKind {
  const { nickname, productName, description } = w.account
  // The bank's own name before the owner's.
  const name = firstText(productName, nickname, description)
  return toKind({ category: w.category ?? null, accountType: w.account.accountType ?? null, name, isBusiness: isBusiness(w) }, onUnknown)
}

/** Kind without a report, for the fields that depend on it: the field `kind` itself has reported an unknown value. */
function quietKindOf(w: FdxAccount): BankAccountKind {
  return kindOf(w, () => {})
}

/** Amount owed: never read from the credit still available. */
function isOwed(w: FdxAccount): boolean {
  const { type } = quietKindOf(w)
  return type === 'CreditCards' || type === 'Loans'
}

/**
 * Rate in percent. Whether 0.0125 is 1.25 % differs from bank to bank, so the profile decides; `15.789%` is
 * unambiguous.
 */
function toRate(value: number | string | null | undefined, isFraction: boolean): Decimal | null {
  const isPercent = typeof value === 'string' && value.trim().endsWith('%')
  const rate = toDecimal(isPercent ? value.trim().slice(0, -1) : value)
  if (rate === null || isPercent || !isFraction || !/^-?0\./.test(rate)) return rate
  return toDecimal(`${rate}e2`)
}

function firstText(...texts: readonly (string | null | undefined)[]): string {
  return texts.find((text) => text?.trim())?.trim() ?? ''
}
