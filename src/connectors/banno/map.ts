import type { BankTransaction } from '../../model/records/bank-transaction.ts'
import { type Decimal, toDecimal } from '../../model/values/decimal.ts'
import { dayToOffsetTimestamp, parseDay, parseInstant, toOffsetTimestamp } from '../../model/values/timestamps.ts'
import { bankAccountMapping, type MapContext, mapping } from '../contract/mapping.ts'
import { findStatus, toKind } from './type-table.ts'
import type { AccountWire, TransactionWire } from './wire.ts'

/** Currency of all accounts: banks in the United States only; the API has no currency of an account. */
const CURRENCY = 'USD'

const BOOKED: ReadonlySet<string> = new Set(['', 'posted', 'reconciled', 'complete', 'completed', 'notpending'])

/** Sign of balances: debts are positive, as Banno documents credit accounts: the sum of all charges. */
export const accountMapping = bankAccountMapping<AccountWire>(2, ['actualBalanceDate', 'sourceUpdatedDate'], {
  origId: (account) => account.id,
  providerName: (account) => account.institution?.name ?? '',
  accountName: (account) => (account.name ?? '').replace(/\s+/g, ' ').trim(),
  accountNumber: (account) => toMaskedNumber(account.numbers),
  accountStatusSystem: ({ accountStatus }, context) => {
    const status = findStatus(accountStatus ?? '')
    if (!status && accountStatus) context.unmapped('accountStatusSystem', accountStatus)
    return status ?? 'ACTIVE'
  },
  userAccountClassification: () => null,
  kind: (account, context) => toKind(account.accountType, account.accountSubType, (word) => context.unmapped('kind', word)),
  interestRate: ({ interestRate }) => toRate(interestRate),
  availableCredit: ({ availableCredit }) => toDecimal(availableCredit),
  dueDate: ({ paymentDueDate }) => dayToOffsetTimestamp(parseDay(paymentDueDate)),
  maturityAmount: () => null,
  maturityDate: () => null,
  minimumAmountDue: ({ minimumPaymentDue }) => toDecimal(minimumPaymentDue),
  totalCreditLine: ({ creditLimit }) => toDecimal(creditLimit),
  originalLoanAmount: () => null,
  lender: (account) => (isLoan(account) ? (account.institution?.name ?? null) : null),
  amountDue: ({ paymentDueAmount }) => toDecimal(paymentDueAmount),
  principalBalance: (account) => (isLoan(account) ? toDecimal(account.principalAmount) : null),
  currency: () => CURRENCY,
  actualBalance: ({ balance }) => toDecimal(balance),
  actualBalanceDate: ({ fetchedDate }, context) => toOffsetTimestamp(parseInstant(fetchedDate) ?? context.fetchedAt),
  sourceUpdatedDate: ({ fetchedDate }) => {
    const instant = parseInstant(fetchedDate)
    return instant === null ? null : toOffsetTimestamp(instant)
  },
})

/** Sign of amounts: money in is positive at Banno, as ours. */
export const transactionMapping = mapping<TransactionWire, BankTransaction>(1, {
  origId: ({ transaction }) => transaction.id,
  accountOrigId: ({ transaction, account }) => transaction.accountId || account,
  postedOn: ({ transaction }, context) => (isPending(transaction, context) ? null : parseDay(transaction.datePosted)),
  transactionOn: ({ transaction }, context) => (isPending(transaction, context) ? parseDay(transaction.datePosted) : null),
  amount: ({ transaction }) => requireAmount(transaction.amount),
  currency: ({ transaction }) => (transaction.currency || CURRENCY).toUpperCase(),
  description: ({ transaction }) => transaction.memo?.trim() || transaction.filteredMemo?.trim() || (transaction.displayName ?? ''),
  counterparty: ({ transaction }) => transaction.merchant?.name ?? transaction.displayName ?? '',
  category: ({ transaction }) => transaction.enrichments?.expenseCategory ?? transaction.type ?? '',
  isPending: ({ transaction }, context) => isPending(transaction, context),
  runningBalance: ({ transaction }) => toDecimal(transaction.runningBalance),
})

function isPending({ pendingStatus }: TransactionWire['transaction'], context: MapContext): boolean {
  const word = (pendingStatus ?? '').toLowerCase().replace(/[^a-z]/g, '')
  if (!BOOKED.has(word) && word !== 'pending') context.unmapped('isPending', pendingStatus ?? '')
  return !BOOKED.has(word)
}

function isLoan(account: AccountWire): boolean {
  return toKind(account.accountType, account.accountSubType, () => {}).type === 'Loans'
}

/** Account number, already masked by Banno; at most four characters are ever shown. */
function toMaskedNumber(numbers: unknown): string {
  if (Array.isArray(numbers)) return toMaskedNumber(numbers[0])
  if (typeof numbers === 'object' && numbers !== null) return 'masked' in numbers ? toMaskedNumber(numbers.masked) : ''
  if (typeof numbers !== 'string' && typeof numbers !== 'number') return ''
  const kept = String(numbers)
    .replace(/[^0-9A-Za-z]/g, '')
    .replace(/^[xX]+/, '')
  return kept === '' ? '' : `••••${kept.slice(-4)}`
}

/** Rate in percent; the percent sign may follow it. */
function toRate(value: string | number | null | undefined): Decimal | null {
  return toDecimal(typeof value === 'string' ? value.replace(/\s*%$/, '') : value)
}

function requireAmount(value: number | string): Decimal {
  const amount = toDecimal(value)
  if (amount === null) throw new RangeError('no amount')
  return amount
}
