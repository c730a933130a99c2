import type { BankAccount } from '../../model/records/bank-account.ts'
import type { BankTransaction } from '../../model/records/bank-transaction.ts'
import type { BankAccountKind } from '../../model/records/banking.ts'
import { absolute, add, type Decimal, negate, toDecimal } from '../../model/values/decimal.ts'
import { type Day, parseDay, parseInstant, toOffsetTimestamp } from '../../model/values/timestamps.ts'
import { bankAccountMapping, type MapContext, mapping } from '../contract/mapping.ts'
import { isCreditLine, toKind } from './type-table.ts'
import type { FlinksAccount, FlinksTransaction } from './wire.ts'

/**
 * Sign of balances: banks differ in the sign of debts, and Flinks does not normalize it; debts always become positive.
 * Times without a time zone are UTC.
 */
export const toBankAccount = bankAccountMapping<FlinksAccount>(2, ['actualBalanceDate', 'sourceUpdatedDate'], {
  origId: (w) => w.account.Id,
  providerName: (w) => w.institution.name ?? '',
  accountName: (w) => w.account.Title?.trim() ?? '',
  accountNumber: (w) => w.account.Mask,
  accountStatusSystem: () => 'ACTIVE',
  userAccountClassification: (w, context) => toClassification(w, context),
  kind: (w, context) => kindOf(w, (word) => context.unmapped('kind', word)),
  interestRate: () => null,
  availableCredit: (w) => (isCreditLine(quietKindOf(w)) ? toDecimal(w.account.Balance?.Available) : null),
  dueDate: () => null,
  maturityAmount: () => null,
  maturityDate: () => null,
  minimumAmountDue: () => null,
  totalCreditLine: (w) =>
    toDecimal(isOwed(w) ? (isCreditLine(quietKindOf(w)) ? w.account.Balance?.Limit : null) : w.account.OverdraftLimit),
  originalLoanAmount: () => null,
  lender: (w) => (quietKindOf(w).type === 'Loans' ? (w.institution.name ?? null) : null),
  amountDue: () => null,
  principalBalance: (w) =>
    quietKindOf(w).type === 'Loans' && !isCreditLine(quietKindOf(w)) ? absolute(toDecimal(w.account.Balance?.Current)) : null,
  currency: (w) => (w.account.Currency ?? '').toUpperCase(),
  actualBalance: (w) => {
    const { Current, Available } = w.account.Balance ?? {}
    return isOwed(w) ? absolute(toDecimal(Current)) : toDecimal(Current ?? Available)
  },
  actualBalanceDate: (w, context) => toOffsetTimestamp(parseInstant(w.login.LastRefresh) ?? context.fetchedAt),
  sourceUpdatedDate: (w) => {
    const instant = parseInstant(w.login.LastRefresh)
    return instant === null ? null : toOffsetTimestamp(instant)
  },
})

/** A debit is money out, a credit money in, on every account. */
export const toBankTransaction = mapping<FlinksTransaction, BankTransaction>(1, {
  origId: (w) => w.transaction.Id,
  accountOrigId: (w) => w.account.Id,
  postedOn: (w) => toDay(w.transaction.Date),
  transactionOn: () => null,
  amount: (w) => toAmount(toDecimal(w.transaction.Credit), toDecimal(w.transaction.Debit)),
  currency: (w) => (w.account.Currency ?? '').toUpperCase(),
  description: (w) => w.transaction.Description?.trim() ?? '',
  counterparty: () => '',
  category: (w) => w.transaction.Code ?? '',
  isPending: () => false,
  runningBalance: (w) => {
    const balance = toDecimal(w.transaction.Balance)
    const { Category, Type, Title } = w.account
    const kind = toKind({ category: Category ?? null, type: Type ?? null, title: Title ?? '', isBusiness: false }, () => {})
    return kind.type === 'Loans' || kind.type === 'CreditCards' ? absolute(balance) : balance
  },
})

function toAmount(credit: Decimal | null, debit: Decimal | null): Decimal {
  if (credit === null && debit === null) throw new RangeError('neither a debit nor a credit')
  return add(...(credit === null ? [] : [credit]), ...(debit === null ? [] : [negate(debit)]))
}

/** `2026/11/20` or `2026-11-20`. */
function toDay(text: string): Day {
  const day = parseDay(text.replaceAll('/', '-'))
  if (day === null) throw new RangeError('no day')
  return day
}

function toClassification(w: FlinksAccount, context: MapContext): BankAccount['userAccountClassification'] {
  const word = w.account.AccountType || w.login.Type
  if (!word) return null
  if (word.toLowerCase() === 'business') return 'BUSINESS'
  if (word.toLowerCase() === 'personal') return 'PERSONAL'
  context.unmapped('userAccountClassification', word)
  return null
}

function kindOf(w: FlinksAccount, onUnknown: (word: string) => void): BankAccountKind {
  const { Category, Type, Title, AccountType } = w.account
  const isBusiness = (AccountType || w.login.Type)?.toLowerCase() === 'business'
  return toKind({ category: Category ?? null, type: Type ?? null, title: Title ?? '', isBusiness }, onUnknown)
}

/** Kind without a report, for the fields that depend on it: the field `kind` itself has reported an unknown value. */
function quietKindOf(w: FlinksAccount): BankAccountKind {
  return kindOf(w, () => {})
}

function isOwed(w: FlinksAccount): boolean {
  const { type } = quietKindOf(w)
  return type === 'Loans' || type === 'CreditCards'
}
