import type { BankAccount } from '../../model/records/bank-account.ts'
import type { BankTransaction } from '../../model/records/bank-transaction.ts'
import type { BankAccountKind } from '../../model/records/banking.ts'
import { add, type Decimal, negate, toDecimal } from '../../model/values/decimal.ts'
import { parseDay, parseInstant, toOffsetTimestamp } from '../../model/values/timestamps.ts'
import { bankAccountMapping, type MapContext, mapping } from '../contract/mapping.ts'
import { toDayTimestamp, toMaskedNumber } from '../toolkit/values/raw-values.ts'
import { isCreditLine, toKind } from './type-table.ts'
import type { PlaidAccount, PlaidTransaction } from './wire.ts'

/**
 * Institution id of Sallie Mae, whose balance includes outstanding interest.
 * Source: AccountBalance.current in Plaid's OpenAPI document
 */
const PRINCIPAL_WITH_INTEREST = 'ins_116944'

/** Signs of balances equal ours: owed is positive, overdrawn is negative. */
export const toBankAccount = bankAccountMapping<PlaidAccount>(2, ['actualBalanceDate', 'sourceUpdatedDate'], {
  origId: (w) => w.account.account_id,
  providerName: (w) => w.item.institution_name ?? '',
  accountName: nameOf,
  accountNumber: (w) => toMaskedNumber(w.account.mask),
  accountStatusSystem: () => 'ACTIVE',
  userAccountClassification: (w, context) => toClassification(w.account.holder_category, context),
  kind: (w, context) => kindOf(w, (word) => context.unmapped('kind', word)),
  interestRate: (w) => toDecimal(w.mortgage?.interest_rate?.percentage ?? w.student?.interest_rate_percentage ?? purchaseRate(w)),
  availableCredit: (w) => (isCreditLine(quietKindOf(w)) ? availableCredit(w) : null),
  dueDate: (w) => toDayTimestamp(w.credit?.next_payment_due_date ?? w.mortgage?.next_payment_due_date ?? w.student?.next_payment_due_date),
  maturityAmount: () => null,
  maturityDate: (w) => toDayTimestamp(w.mortgage?.maturity_date ?? w.student?.expected_payoff_date),
  minimumAmountDue: (w) => toDecimal(w.credit?.minimum_payment_amount ?? w.student?.minimum_payment_amount),
  totalCreditLine: (w) => (isCreditLine(quietKindOf(w)) ? toDecimal(w.account.balances.limit) : null),
  originalLoanAmount: (w) => toDecimal(w.mortgage?.origination_principal_amount ?? w.student?.origination_principal_amount),
  lender: (w) => (quietKindOf(w).type === 'Loans' ? (w.item.institution_name ?? null) : null),
  amountDue: (w) => toDecimal(w.mortgage?.next_monthly_payment ?? w.credit?.last_statement_balance),
  principalBalance: (w) => (isPrincipal(w) ? toDecimal(w.account.balances.current) : null),
  currency: (w) => (w.account.balances.iso_currency_code ?? w.account.balances.unofficial_currency_code ?? '').toUpperCase(),
  actualBalance: (w) => toDecimal(w.account.balances.current ?? (isOwed(w) ? null : w.account.balances.available)),
  actualBalanceDate: (w, context) =>
    toOffsetTimestamp(parseInstant(w.account.balances.last_updated_datetime ?? updatedAt(w)) ?? context.fetchedAt),
  sourceUpdatedDate: (w) => {
    const instant = parseInstant(updatedAt(w))
    return instant === null ? null : toOffsetTimestamp(instant)
  },
})

/** Sign of amounts: Plaid counts money out as positive; the sign is inverted here and nowhere else. */
export const toBankTransaction = mapping<PlaidTransaction, BankTransaction>(1, {
  origId: (w) => w.transaction_id,
  accountOrigId: (w) => w.account_id,
  postedOn: (w) => (w.pending ? null : parseDay(w.date)),
  transactionOn: (w) => parseDay(w.authorized_date ?? (w.pending ? w.date : null)),
  amount: (w) => negate(requireAmount(w.amount)),
  currency: (w) => (w.iso_currency_code ?? w.unofficial_currency_code ?? '').toUpperCase(),
  description: (w) => w.original_description?.trim() || (w.name ?? ''),
  counterparty: (w) => w.merchant_name ?? w.counterparties?.[0]?.name ?? '',
  category: (w) => w.personal_finance_category?.detailed ?? w.personal_finance_category?.primary ?? w.category?.at(-1) ?? '',
  isPending: (w) => w.pending,
  runningBalance: () => null,
})

function toClassification(word: string | null | undefined, context: MapContext): BankAccount['userAccountClassification'] {
  if (word === 'business') return 'BUSINESS'
  if (word === 'personal') return 'PERSONAL'
  if (word !== null && word !== undefined && word !== 'unrecognized') context.unmapped('userAccountClassification', word)
  return null
}

function kindOf(w: PlaidAccount, onUnknown: (word: string) => void): BankAccountKind {
  const { type, subtype, holder_category: holder } = w.account
  return toKind({ type: type ?? null, subtype: subtype ?? null, isBusiness: holder === 'business' }, onUnknown)
}

/** Kind without a report, for the fields that depend on it: the field `kind` itself has reported an unknown value. */
function quietKindOf(w: PlaidAccount): BankAccountKind {
  return kindOf(w, () => {})
}

/** Interest rate of ordinary purchases only: a promotional or cash rate would mislead. */
function purchaseRate(w: PlaidAccount): number | string | null {
  return w.credit?.aprs?.find((apr) => apr.apr_type === 'purchase_apr')?.apr_percentage ?? null
}

function availableCredit(w: PlaidAccount): Decimal | null {
  const { available, limit, current } = w.account.balances
  const told = toDecimal(available)
  const total = toDecimal(limit)
  const used = toDecimal(current)
  return told ?? (total !== null && used !== null ? add(total, negate(used)) : null)
}

/** Amount owed: never read from `available`, which is the credit still available. */
function isOwed(w: PlaidAccount): boolean {
  const { type } = quietKindOf(w)
  return type === 'CreditCards' || type === 'Loans'
}

function isPrincipal(w: PlaidAccount): boolean {
  return quietKindOf(w).type === 'Loans' && w.item.institution_id !== PRINCIPAL_WITH_INTEREST
}

function updatedAt(w: PlaidAccount): string | null {
  const transactions = w.status?.transactions?.last_successful_update ?? null
  const investments = w.status?.investments?.last_successful_update ?? null
  return w.account.type === 'investment' ? (investments ?? transactions) : (transactions ?? investments)
}

function requireAmount(value: number | string): Decimal {
  const amount = toDecimal(value)
  if (amount === null) throw new RangeError('no amount')
  return amount
}

/** Account name: shown to readers and compared when a new login is matched. */
export function nameOf({ account }: PlaidAccount): string {
  return account.official_name?.trim() || (account.name ?? '')
}
