import type { BankTransaction } from '../../model/records/bank-transaction.ts'
import { negate, toDecimal } from '../../model/values/decimal.ts'
import { maskAccountNumber } from '../../model/values/text.ts'
import { type Day, parseDay, toOffsetTimestamp } from '../../model/values/timestamps.ts'
import { bankAccountMapping, type MapContext, mapping } from '../contract/mapping.ts'
import { isOwed, nameInDoubt } from '../toolkit/names/product-names.ts'
import { isAddress, kindOf } from './type-table.ts'
import type { SimplefinAccount, SimplefinTransaction } from './wire.ts'

/** Sign of balances: debts are negative at SimpleFIN, so the sign of amounts owed is inverted here and nowhere else. */
export const toBankAccount = bankAccountMapping<SimplefinAccount>(3, ['actualBalanceDate', 'sourceUpdatedDate'], {
  origId: (w) => w.id,
  providerName: (w) => w.account.org?.name ?? w.account.org?.domain ?? '',
  accountName: (w) => hideNumbers(w.account.name ?? ''),
  accountNumber: (w) => numberIn(w.account.name ?? ''),
  accountStatusSystem: () => 'ACTIVE',
  userAccountClassification: () => null,
  kind: ({ account }, context) => {
    const kind = kindOf(account)
    if (kind.subType === 'Unknown') context.unmapped('kind', nameInDoubt(account.name ?? ''))
    return kind
  },
  interestRate: () => null,
  availableCredit: () => null,
  dueDate: () => null,
  maturityAmount: () => null,
  maturityDate: () => null,
  minimumAmountDue: () => null,
  totalCreditLine: () => null,
  originalLoanAmount: () => null,
  lender: (w) => (kindOf(w.account).type === 'Loans' ? (w.account.org?.name ?? w.account.org?.domain ?? null) : null),
  amountDue: () => null,
  principalBalance: () => null,
  currency: (w, context) => toCurrency(w.account.currency, context),
  actualBalance: (w) => {
    const balance = toDecimal(w.account.balance)
    return isOwed(kindOf(w.account)) ? negate(balance) : balance
  },
  actualBalanceDate: (w, context) => toOffsetTimestamp(toInstant(w.account['balance-date']) ?? context.fetchedAt),
  sourceUpdatedDate: (w) => {
    const instant = toInstant(w.account['balance-date'])
    return instant === null ? null : toOffsetTimestamp(instant)
  },
})

/** Sign of amounts: money in is positive, as ours. Days are those of UTC: the Bridge writes noon. */
export const toBankTransaction = mapping<SimplefinTransaction, BankTransaction>(1, {
  origId: (w) => w.id,
  accountOrigId: (w) => w.account,
  postedOn: (w) => {
    if (w.transaction.pending === true) return null
    const day = toDay(w.transaction.posted)
    if (day === null) throw new RangeError('booked on no day, and not pending')
    return day
  },
  transactionOn: (w) => toDay(w.transaction.transacted_at),
  amount: (w) => {
    const amount = toDecimal(w.transaction.amount)
    if (amount === null) throw new RangeError('no amount')
    return amount
  },
  currency: (w, context) => toCurrency(w.currency, context),
  description: (w) => hideNumbers(w.transaction.description ?? ''),
  counterparty: (w) => w.transaction.payee ?? '',
  category: (w) => w.transaction.extra?.category ?? '',
  isPending: (w) => w.transaction.pending === true,
  runningBalance: () => null,
})

/** Currency code. A custom currency is a URL. It is never requested: a URL in a bank's response may lead anywhere. */
function toCurrency(word: string | null | undefined, context: MapContext): string {
  if (/^[A-Za-z]{3}$/.test(word ?? '')) return (word ?? '').toUpperCase()
  if (word) context.unmapped('currency', isAddress(word) ? new URL(word).hostname : word.slice(0, 20))
  return ''
}

/** Seconds since 1970; 0 means none. */
function toInstant(seconds: string | number | null | undefined): Date | null {
  const decimal = toDecimal(seconds)
  if (decimal === null || decimal === '0') return null
  const instant = new Date(Number(decimal) * 1000)
  if (Number.isNaN(instant.getTime())) throw new RangeError('not a timestamp')
  return instant
}

function toDay(seconds: string | number | null | undefined): Day | null {
  const instant = toInstant(seconds)
  return instant === null ? null : parseDay(instant.toISOString())
}

/** Digit sequences long enough for an account number, with blanks and hyphens between them. */
const LONG_NUMBER = /\d(?:[ -]?\d){6,}/g

function hideNumbers(text: string): string {
  return text.replace(LONG_NUMBER, (number) => maskAccountNumber(number))
}

/**
 * Account number from a name: `Visa (7712)`, `Chequing x4410`, `Épargne - 5501`; the last digits, where the name ends
 * in some.
 */
function numberIn(name: string): string {
  const [, digits] = /(?:^|[^\d])(\d{4,}(?:[ -]?\d+)*)\)?\s*$/.exec(name) ?? []
  if (digits === undefined) return ''
  // Four digits are already a masked ending.
  return digits.length === 4 ? `••••${digits}` : maskAccountNumber(digits)
}
