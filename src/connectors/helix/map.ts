import type { BankTransaction } from '../../model/records/bank-transaction.ts'
import { absolute, negate, toDecimal } from '../../model/values/decimal.ts'
import { maskAccountNumber } from '../../model/values/text.ts'
import { parseDay, parseInstant, toOffsetTimestamp } from '../../model/values/timestamps.ts'
import { bankAccountMapping, mapping } from '../contract/mapping.ts'
import { findKind, findStatus, isPending } from './type-table.ts'
import type { HelixAccount, HelixTransaction } from './wire.ts'

/** Currency of all accounts: Helix holds deposits in US dollars only and sends no currency. */
const CURRENCY = 'USD'

export const toBankAccount = bankAccountMapping<HelixAccount>(2, ['actualBalanceDate'], {
  origId: ({ account }) => String(account.accountId),
  providerName: (w) => w.program,
  accountName: ({ account }) => account.name ?? '',
  accountNumber: ({ account }) => toMasked(account.accountNumberMasked),
  accountStatusSystem: ({ account }, context) => {
    if (account.closedDate) return 'CLOSED'
    const word = account.status ?? ''
    const status = findStatus(word)
    if (status === null && word !== '') context.unmapped('accountStatusSystem', word)
    return status ?? 'ACTIVE'
  },
  userAccountClassification: () => null,
  kind: ({ account }, context) => {
    const word = account.type ?? ''
    const kind = findKind(word)
    if (kind === null && word !== '') context.unmapped('kind', word)
    return kind ?? { type: 'Cash', subType: 'OtherCash' }
  },
  interestRate: ({ account }) => toDecimal(account.interestApr),
  availableCredit: () => null,
  dueDate: () => null,
  maturityAmount: () => null,
  maturityDate: () => null,
  minimumAmountDue: () => null,
  totalCreditLine: () => null,
  originalLoanAmount: () => null,
  lender: () => null,
  amountDue: () => null,
  principalBalance: () => null,
  currency: () => CURRENCY,
  actualBalance: ({ account }) => toDecimal(account.accountBalance ?? account.availableBalance),
  actualBalanceDate: ({ account }, context) => toOffsetTimestamp(parseInstant(account.balanceLastModifiedDate) ?? context.fetchedAt),
  sourceUpdatedDate: ({ account }) => {
    const instant = parseInstant(account.lastModifiedDate ?? account.balanceLastModifiedDate)
    return instant === null ? null : toOffsetTimestamp(instant)
  },
})

/** Amounts have no sign; `isCredit` is the direction. */
export const toBankTransaction = mapping<HelixTransaction, BankTransaction>(1, {
  origId: ({ row }) => String(row.transactionId),
  accountOrigId: (w) => w.account,
  postedOn: ({ row }) => (isPending(row.status ?? '') ? null : parseDay(row.settledDate ?? row.createdDate)),
  transactionOn: ({ row }) => parseDay(row.createdDate),
  amount: ({ row }) => {
    const amount = toDecimal(row.amount)
    if (amount === null) throw new RangeError('no amount')
    return row.isCredit ? absolute(amount) : negate(absolute(amount))
  },
  currency: () => CURRENCY,
  description: ({ row }) => row.friendlyDescription?.trim() || row.nachaDescription?.trim() || (row.type ?? ''),
  counterparty: () => '',
  category: ({ row }) => row.typeCode ?? row.type ?? '',
  isPending: ({ row }) => isPending(row.status ?? ''),
  runningBalance: () => null,
})

/** Masked account number. Helix masks it already (`******4410`); at most four of the remaining characters are shown. */
function toMasked(number: string | null | undefined): string {
  const [end] = /[0-9A-Za-z]*$/.exec(number ?? '') ?? ['']
  if (end === '') return ''
  return end.length <= 4 ? `••••${end}` : maskAccountNumber(end)
}
