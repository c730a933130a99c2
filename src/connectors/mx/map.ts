import type { BankTransaction } from '../../model/records/bank-transaction.ts'
import type { BankAccountKind } from '../../model/records/banking.ts'
import { absolute, type Decimal, negate, toDecimal } from '../../model/values/decimal.ts'
import { type Day, dayToOffsetTimestamp, parseDay, parseInstant, toDay, toOffsetTimestamp } from '../../model/values/timestamps.ts'
import { bankAccountMapping, type MapContext, mapping } from '../contract/mapping.ts'
import { toMaskedNumber } from '../toolkit/values/raw-values.ts'
import { toKind } from './type-table.ts'
import type { MxAccount, MxTransaction } from './wire.ts'

const CURRENCIES: Readonly<Record<string, string>> = { CA: 'CAD', US: 'USD', MX: 'MXN' }

/** Signs of balances equal ours: owed is positive, overdrawn and overpaid are negative. */
export const toBankAccount = bankAccountMapping<MxAccount>(3, ['actualBalanceDate', 'sourceUpdatedDate'], {
  origId: (w) => w.account.guid,
  providerName: (w) => bankName(w) ?? '',
  accountName: nameOf,
  accountNumber: (w) => toMaskedNumber(w.account.account_number),
  accountStatusSystem: (w) => (w.account.is_closed ? 'CLOSED' : w.account.is_hidden ? 'INACTIVE' : 'ACTIVE'),
  userAccountClassification: (w) => (w.account.subtype === 'SMALL_BUSINESS' ? 'BUSINESS' : null),
  kind: (w, context) => kindOf(w, (word) => context.unmapped('kind', word)),
  interestRate: (w) => toDecimal(w.account.interest_rate ?? w.account.apr ?? w.account.apy),
  availableCredit: (w) => toDecimal(w.account.available_credit),
  dueDate: (w, context) => dayToOffsetTimestamp(parseDay(w.account.payment_due_at) ?? nextDueDay(w, context)),
  maturityAmount: () => null,
  maturityDate: (w) => dayToOffsetTimestamp(parseDay(w.account.matures_on)),
  minimumAmountDue: (w) => toDecimal(w.account.minimum_payment),
  totalCreditLine: (w) => toDecimal(w.account.credit_limit),
  originalLoanAmount: (w) => (isLoan(w) ? toDecimal(w.account.loan_amount ?? w.account.original_balance) : null),
  lender: (w) => (isLoan(w) ? bankName(w) : null),
  amountDue: (w) =>
    toDecimal(isLoan(w) ? w.account.minimum_payment : quietKindOf(w).type === 'CreditCards' ? w.account.statement_balance : null),
  principalBalance: (w) => (w.account.type === 'LOAN' || w.account.type === 'MORTGAGE' ? toDecimal(w.account.balance) : null),
  currency: (w) => (w.account.currency_code ?? currencyOf(w.institution?.iso_country_code)).toUpperCase(),
  actualBalance: (w) => toDecimal(w.account.balance ?? (isOwed(w) ? null : w.account.available_balance)),
  actualBalanceDate: (w, context) =>
    toOffsetTimestamp(
      parseInstant(w.member.successfully_aggregated_at ?? w.account.imported_at ?? w.account.updated_at) ?? context.fetchedAt,
    ),
  sourceUpdatedDate: (w) => {
    const instant = parseInstant(w.account.updated_at)
    return instant === null ? null : toOffsetTimestamp(instant)
  },
})

/** Amounts of MX have no sign; `type` is the direction. */
export const toBankTransaction = mapping<MxTransaction, BankTransaction>(1, {
  origId: (w) => w.transaction.guid,
  accountOrigId: (w) => w.transaction.account_guid,
  postedOn: (w) => (isPending(w) ? null : parseDay(w.transaction.posted_at ?? w.transaction.date)),
  transactionOn: (w) => parseDay(w.transaction.transacted_at ?? w.transaction.date),
  amount: signedAmount,
  currency: (w) => (w.transaction.currency_code ?? w.defaultCurrency).toUpperCase(),
  description: (w) => w.transaction.original_description?.trim() || (w.transaction.description ?? ''),
  // Payee: the description that MX has cleaned.
  counterparty: (w) => w.transaction.description ?? '',
  category: (w) => w.transaction.category ?? '',
  isPending,
  runningBalance: () => null,
})

/** Usual currency of a bank's country; empty for any other country. */
export function currencyOf(country: string | null | undefined): string {
  return CURRENCIES[country ?? ''] ?? ''
}

function signedAmount({ transaction: { type, amount } }: MxTransaction): Decimal {
  const size = absolute(toDecimal(amount))
  if (size === null) throw new RangeError('no amount')
  if (type === 'CREDIT') return size
  if (type === 'DEBIT') return negate(size)
  throw new RangeError('neither CREDIT nor DEBIT')
}

function isPending({ transaction }: MxTransaction): boolean {
  return transaction.status === 'PENDING'
}

function bankName({ institution, member }: MxAccount): string | null {
  return institution?.name ?? member.name ?? null
}

function kindOf({ account }: MxAccount, onUnknown: (word: string) => void): BankAccountKind {
  return toKind({ type: account.type ?? null, subtype: account.subtype ?? null, propertyType: account.property_type ?? null }, onUnknown)
}

/** Kind without a report, for the fields that depend on it: the field `kind` itself has reported an unknown value. */
function quietKindOf(w: MxAccount): BankAccountKind {
  return kindOf(w, () => {})
}

function isLoan(w: MxAccount): boolean {
  return quietKindOf(w).type === 'Loans'
}

/** Amount owed: never read from a balance that is the credit still available. */
function isOwed(w: MxAccount): boolean {
  return isLoan(w) || quietKindOf(w).type === 'CreditCards'
}

/**
 * Next due date. Some banks send only the day of the month: its next occurrence from the day of the reading on, or
 * the last day in a shorter month.
 */
function nextDueDay({ account: { day_payment_is_due: wanted } }: MxAccount, context: MapContext): Day | null {
  if (wanted === null || wanted === undefined) return null
  if (wanted < 1 || wanted > 31) {
    context.unmapped('dueDate', String(wanted))
    return null
  }
  const [year, month, today] = [context.fetchedAt.getUTCFullYear(), context.fetchedAt.getUTCMonth() + 1, context.fetchedAt.getUTCDate()]
  const inMonth = (count: number): Day => {
    const last = new Date(Date.UTC(year, count, 0))
    return toDay(last.getUTCFullYear(), last.getUTCMonth() + 1, Math.min(wanted, last.getUTCDate()))
  }
  const thisMonth = inMonth(month)
  return Number(thisMonth.slice(8)) >= today ? thisMonth : inMonth(month + 1)
}

/** Account name: shown to readers and compared when a new login is matched. */
export function nameOf({ account }: MxAccount): string {
  return account.nickname?.trim() || (account.name ?? '')
}
