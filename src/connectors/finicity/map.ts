import type { BankAccount } from '../../model/records/bank-account.ts'
import type { BankTransaction } from '../../model/records/bank-transaction.ts'
import type { BankAccountKind } from '../../model/records/banking.ts'
import { absolute, compareDecimals, type Decimal, negate, toDecimal } from '../../model/values/decimal.ts'
import { dayToOffsetTimestamp, parseDay, toOffsetTimestamp } from '../../model/values/timestamps.ts'
import { bankAccountMapping, type MapContext, mapping } from '../contract/mapping.ts'
import { countsOutflowsUp, isTermLoan, toKind } from './type-table.ts'
import type { FinicityAccount, FinicityTransaction } from './wire.ts'

type Amount = number | string | null | undefined

/** Sign of balances: debts are negative at Finicity, so the sign is inverted here and nowhere else. */
export const toBankAccount = bankAccountMapping<FinicityAccount>(3, ['actualBalanceDate', 'sourceUpdatedDate'], {
  origId: (w) => String(w.account.id),
  providerName: (w) => w.institution.name ?? '',
  accountName: nameOf,
  accountNumber: (w) => w.account.mask,
  accountStatusSystem: (w, context) => toStatus(w, context),
  userAccountClassification: (w, context) => toClassification(w.account.marketSegment, context),
  kind: (w, context) => kindOf(w, (word) => context.unmapped('kind', word)),
  interestRate: (w) => toRate(w.account.detail?.interestRate) ?? toRate(w.account.detail?.periodInterestRate),
  availableCredit: (w) => toDecimal(w.account.detail?.creditAvailableAmount),
  dueDate: (w) => toDayTimestamp(w.account.detail?.paymentDueDate) ?? toDayTimestamp(w.account.detail?.nextPaymentDate),
  maturityAmount: (w) => toDecimal(w.account.detail?.maturityValueAmount),
  maturityDate: (w) => toDayTimestamp(w.account.detail?.originalMaturityDate) ?? toDayTimestamp(w.account.detail?.maturityDate),
  minimumAmountDue: (w) => toDecimal(w.account.detail?.paymentMinAmount ?? (isLoan(w) ? w.account.detail?.nextPayment : null)),
  totalCreditLine: (w) => toDecimal(w.account.detail?.creditMaxAmount),
  originalLoanAmount: (w) => toDecimal(w.account.detail?.initialMlAmount),
  lender: (w) => (isLoan(w) ? w.account.detail?.lender?.trim() || (w.institution.name ?? null) : null),
  amountDue: (w) =>
    toDecimal(
      isLoan(w) ? (w.account.detail?.nextPayment ?? w.account.detail?.recurringPaymentAmount) : w.account.detail?.statementCloseBalance,
    ),
  principalBalance: (w) => (isLoan(w) ? (toDecimal(w.account.detail?.principalBalance) ?? absolute(toDecimal(w.account.balance))) : null),
  currency: (w) => (w.account.currency ?? '').toUpperCase(),
  actualBalance: (w) => (isOwed(w) ? toOwed(w) : toDecimal(w.account.balance)),
  actualBalanceDate: (w, context) =>
    toOffsetTimestamp(toInstant(w.account.balanceDate) ?? toInstant(w.account.aggregationSuccessDate) ?? context.fetchedAt),
  sourceUpdatedDate: (w) => {
    const instant = toInstant(w.account.aggregationSuccessDate)
    return instant === null ? null : toOffsetTimestamp(instant)
  },
})

export const toBankTransaction = mapping<FinicityTransaction, BankTransaction>(1, {
  origId: (w) => String(w.transaction.id),
  accountOrigId: (w) => String(w.transaction.accountId),
  postedOn: (w) => (isPending(w) ? null : (toDayOf(w.transaction.postedDate) ?? toDayOf(w.transaction.transactionDate))),
  transactionOn: (w) => toDayOf(w.transaction.transactionDate),
  amount: (w) => {
    const amount = toDecimal(w.transaction.amount)
    if (amount === null) throw new RangeError('no amount')
    return countsOutflowsUp(w.account.type ?? null) ? negate(amount) : amount
  },
  currency: (w) => (w.account.currency ?? '').toUpperCase(),
  description: (w) => toDescription(w.transaction.description, w.transaction.memo),
  counterparty: (w) => w.transaction.categorization?.normalizedPayeeName ?? '',
  category: (w) => w.transaction.categorization?.category ?? '',
  isPending,
  runningBalance: (w) => {
    const balance = toDecimal(w.transaction.runningBalanceAmount)
    return countsOutflowsUp(w.account.type ?? null) || isTermLoan(w.account.type ?? null) ? absolute(balance) : balance
  },
})

function isPending(w: FinicityTransaction): boolean {
  return w.transaction.status === 'pending'
}

/** Finicity's placeholder for a description that the bank omitted. */
const NO_DESCRIPTION = 'No description provided by institution'

/** Description: banks use one field or both; both together are recommended. */
function toDescription(description: string | null | undefined, memo: string | null | undefined): string {
  const said = description?.trim() === NO_DESCRIPTION ? '' : (description?.trim() ?? '')
  const more = memo?.trim() ?? ''
  return said.includes(more) ? said : `${said} ${more}`.trim()
}

function toStatus(w: FinicityAccount, context: MapContext): BankAccount['accountStatusSystem'] {
  if (w.account.status === 'pending') return 'INACTIVE'
  const word = (w.account.financialinstitutionAccountStatus ?? '').trim().toUpperCase()
  if (word === '' || word === 'OPEN' || word === 'ACTIVE') return 'ACTIVE'
  if (word === 'CLOSED') return 'CLOSED'
  if (word === 'INACTIVE' || word === 'DORMANT') return 'INACTIVE'
  context.unmapped('accountStatusSystem', word)
  return 'ACTIVE'
}

function toClassification(word: string | null | undefined, context: MapContext): BankAccount['userAccountClassification'] {
  if (word === 'business') return 'BUSINESS'
  if (word === 'personal') return 'PERSONAL'
  if (word) context.unmapped('userAccountClassification', word)
  return null
}

function kindOf(w: FinicityAccount, onUnknown: (word: string) => void): BankAccountKind {
  const { type, marketSegment, detail } = w.account
  const purpose = `${detail?.loanTypeDesc ?? ''} ${detail?.collateral ?? ''}`
  return toKind({ type: type ?? null, isBusiness: marketSegment === 'business', purpose }, onUnknown)
}

/** Kind without a report, for the fields that depend on it: the field `kind` itself has reported an unknown value. */
function groupOf(w: FinicityAccount): BankAccountKind['type'] {
  return kindOf(w, () => {}).type
}

function isLoan(w: FinicityAccount): boolean {
  return groupOf(w) === 'Loans'
}

function isOwed(w: FinicityAccount): boolean {
  return isLoan(w) || groupOf(w) === 'CreditCards'
}

/**
 * Amount owed. Some banks send debts as a positive number: recognized by the detail, which is always positive, and by
 * loans, on which a bank owes nothing. Otherwise a positive balance is what the bank owes the customer.
 */
function toOwed(w: FinicityAccount): Decimal | null {
  const balance = toDecimal(w.account.balance)
  if (balance === null) return toDecimal(w.account.detail?.principalBalance ?? w.account.detail?.currentBalance)
  if (isTermLoan(w.account.type ?? null)) return absolute(balance)
  const detail = toDecimal(w.account.detail?.currentBalance ?? w.account.detail?.principalBalance)
  return detail !== null && compareDecimals(detail, balance) === 0 ? balance : negate(balance)
}

/** Rate: `15.789%` and `15.789` are both percent. */
function toRate(value: Amount): Decimal | null {
  return toDecimal(typeof value === 'string' ? value.trim().replace(/\s*%$/, '') : value)
}

/** Upper bound: a larger number is no count of seconds. */
const LAST_SECOND = 32_503_680_000

/** Instant; 0 means never. */
function toInstant(seconds: Amount): Date | null {
  const value = Number(seconds ?? 0)
  if (value === 0) return null
  if (!Number.isFinite(value) || Math.abs(value) > LAST_SECOND) throw new RangeError('not a time in seconds')
  return new Date(value * 1000)
}

function toDayOf(seconds: Amount): ReturnType<typeof parseDay> {
  return parseDay(toInstant(seconds)?.toISOString().slice(0, 10))
}

function toDayTimestamp(seconds: Amount): string | null {
  return dayToOffsetTimestamp(toDayOf(seconds))
}

/** Account name: shown to readers and compared when a new login is matched. */
export function nameOf({ account }: FinicityAccount): string {
  return account.accountNickname?.trim() || (account.name ?? '')
}
