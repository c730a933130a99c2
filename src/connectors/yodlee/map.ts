import type { BankAccount } from '../../model/records/bank-account.ts'
import type { BankTransaction } from '../../model/records/bank-transaction.ts'
import type { BankAccountKind } from '../../model/records/banking.ts'
import { absolute, type Decimal, negate, toDecimal } from '../../model/values/decimal.ts'
import { parseDay, parseInstant, toOffsetTimestamp } from '../../model/values/timestamps.ts'
import { bankAccountMapping, type MapContext, mapping } from '../contract/mapping.ts'
import { toDayTimestamp, toMaskedNumber } from '../toolkit/values/raw-values.ts'
import { toKind } from './type-table.ts'
import type { Money, YodleeAccount, YodleeTransaction } from './wire.ts'

/** Signs of balances equal ours: owed is positive, overdrawn is negative. */
export const toBankAccount = bankAccountMapping<YodleeAccount>(3, ['actualBalanceDate', 'sourceUpdatedDate'], {
  origId: (w) => String(w.id),
  providerName: (w) => w.providerName ?? '',
  accountName: nameOf,
  accountNumber: (w) => toMaskedNumber(w.accountNumber),
  accountStatusSystem: (w, context) => toStatus(w.accountStatus, context),
  userAccountClassification: (w, context) => toClassification(w, context),
  kind: (w, context) => kindOf(w, (word) => context.unmapped('kind', word)),
  interestRate: (w) => toDecimal(w.interestRate ?? (w.CONTAINER === 'creditCard' ? w.apr : null) ?? w.annualPercentageYield),
  availableCredit: (w) => amountOf(w.availableCredit),
  dueDate: (w) => toDayTimestamp(w.dueDate),
  maturityAmount: (w) => amountOf(w.maturityAmount),
  maturityDate: (w) => toDayTimestamp(w.maturityDate),
  minimumAmountDue: (w) => amountOf(w.minimumAmountDue),
  totalCreditLine: (w) => amountOf(w.totalCreditLine ?? w.totalCreditLimit ?? w.overDraftLimit),
  originalLoanAmount: (w) => amountOf(w.originalLoanAmount),
  lender: (w) => (w.CONTAINER === 'loan' ? (w.lender ?? w.providerName ?? null) : null),
  amountDue: (w) => amountOf(w.amountDue),
  principalBalance: (w) => amountOf(w.principalBalance),
  currency: currencyOf,
  actualBalance: (w) => amountOf(w.currentBalance ?? w.balance ?? w.runningBalance),
  actualBalanceDate: (w, context) => toOffsetTimestamp(readAt(w) ?? context.fetchedAt),
  sourceUpdatedDate: (w) => {
    const instant = parseInstant(w.lastUpdated)
    return instant === null ? null : toOffsetTimestamp(instant)
  },
})

/** Amounts of Yodlee have no sign; `baseType` is the direction. */
export const toBankTransaction = mapping<YodleeTransaction, BankTransaction>(1, {
  origId: toTransactionId,
  accountOrigId: (w) => String(w.accountId),
  postedOn: (w) => (isPending(w) ? null : parseDay(w.postDate ?? w.date)),
  transactionOn: (w) => parseDay(w.transactionDate ?? (isPending(w) ? w.date : null)),
  amount: signedAmount,
  currency: (w) => (w.amount.currency ?? '').toUpperCase(),
  description: (w) => w.description?.original?.trim() || (w.description?.simple ?? ''),
  counterparty: (w) => w.merchant?.name ?? '',
  category: (w) => w.category ?? '',
  isPending,
  runningBalance: (w) => amountOf(w.runningBalance),
})

/**
 * Transaction id with its container, since ids are unique within a container only.
 * Source: TransactionWithDateTime.id in Yodlee's API document
 */
export function toTransactionId({ CONTAINER, id }: Pick<YodleeTransaction, 'CONTAINER' | 'id'>): string {
  return `${CONTAINER}/${id}`
}

/** Currency of the first amount present. */
export function currencyOf(w: YodleeAccount): string {
  const amounts = [w.currentBalance, w.balance, w.runningBalance, w.principalBalance, w.amountDue, w.availableCredit, w.totalCreditLine]
  return (amounts.find((money) => money?.currency)?.currency ?? '').toUpperCase()
}

function signedAmount({ amount: { amount }, baseType }: YodleeTransaction): Decimal {
  const size = absolute(toDecimal(amount))
  if (size === null) throw new RangeError('no amount')
  if (baseType === 'CREDIT') return size
  if (baseType === 'DEBIT') return negate(size)
  throw new RangeError('neither CREDIT nor DEBIT')
}

/** Pending: not booked yet, or dated in the future. */
function isPending({ status }: YodleeTransaction): boolean {
  return status === 'PENDING' || status === 'SCHEDULED'
}

function amountOf(money: Money | null | undefined): Decimal | null {
  return toDecimal(money?.amount)
}

function toStatus(word: string | null | undefined, context: MapContext): BankAccount['accountStatusSystem'] {
  switch (word) {
    case 'ACTIVE':
    case 'INACTIVE':
    case 'TO_BE_CLOSED':
    case 'CLOSED':
    case 'DELETED':
      return word
    default:
      if (word) context.unmapped('accountStatusSystem', word)
      return 'ACTIVE'
  }
}

/** Classifications that are neither business nor person. */
const NEITHER: ReadonlySet<string> = new Set(['OTHER', 'TRUST', 'ADD_ON_CARD', 'VIRTUAL_CARD'])

function toClassification(
  { userClassification, classification }: YodleeAccount,
  context: MapContext,
): BankAccount['userAccountClassification'] {
  const word = userClassification ?? classification ?? null
  if (word === 'BUSINESS' || word === 'CORPORATE' || word === 'SMALL_BUSINESS') return 'BUSINESS'
  if (word === 'PERSONAL') return 'PERSONAL'
  if (word !== null && !NEITHER.has(word)) context.unmapped('userAccountClassification', word)
  return null
}

function kindOf(w: YodleeAccount, onUnknown: (word: string) => void): BankAccountKind {
  const isBusiness = toClassification(w, { fetchedAt: new Date(0), unmapped: () => undefined }) === 'BUSINESS'
  return toKind({ container: w.CONTAINER ?? null, accountType: w.accountType ?? null, isBusiness }, onUnknown)
}

/** Time at which the account's figures were read at the bank. */
function readAt({ dataset, lastUpdated }: YodleeAccount): Date | null {
  const basic = dataset?.find(({ name }) => name === 'BASIC_AGG_DATA')
  return parseInstant(lastUpdated ?? basic?.lastUpdated)
}

/** Account name: shown to readers and compared when a new login is matched. */
export function nameOf(account: YodleeAccount): string {
  return account.nickname?.trim() || account.accountName?.trim() || (account.displayedName ?? '')
}
