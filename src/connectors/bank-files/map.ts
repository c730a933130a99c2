import type { BankAccount } from '../../model/records/bank-account.ts'
import type { BankTransaction } from '../../model/records/bank-transaction.ts'
import { type BankAccountKind, kindDisplayName } from '../../model/records/banking.ts'
import { absolute, type Decimal, negate, toDecimal } from '../../model/values/decimal.ts'
import { type AnyMapping, type Mapping, mapping } from '../contract/mapping.ts'
import { kindOf } from './type-table.ts'
import { signedAmount } from './values/amounts.ts'
import { readDay, readTimestamp } from './values/dates.ts'
import type { StatementAccount, StatementTransaction } from './wire.ts'

/** Codes of the booked balance by format; the first one present counts. */
const BALANCE_CODES = {
  ofx: ['LEDGERBAL', 'PRINBAL'],
  bai2: ['015', '030', '010', '701'],
  camt053: ['CLBD', 'ITBD'],
  mt940: ['62F'],
} as const

const accountFields: Mapping<StatementAccount, BankAccount> = {
  origId: (a) => a.origId,
  providerName: (a) => a.bankName ?? a.bankId ?? '',
  accountName: (a) => a.name ?? `${kindDisplayName(kindOf(a))} ${a.maskedNumber}`,
  accountNumber: (a) => a.maskedNumber,
  accountStatusSystem: (a, context) => {
    if (a.status === null || a.status === 'ACTIVE' || a.status === 'AVAIL') return 'ACTIVE'
    if (a.status !== 'PEND') context.unmapped('accountStatusSystem', a.status)
    return a.status === 'PEND' ? 'INACTIVE' : 'ACTIVE'
  },
  userAccountClassification: (a) => {
    if (a.classification === 'PERSONAL') return 'PERSONAL'
    return a.classification === 'BUSINESS' || a.classification === 'CORPORATE' ? 'BUSINESS' : null
  },
  kind: (a, context) => kindOf(a, (word) => context.unmapped('kind', word)),
  interestRate: (a) => toDecimal(a.rate?.replace('%', '')),
  availableCredit: (a) => {
    if (a.format === 'bai2') return amountOf(a, '703')
    return a.format === 'ofx' && isLiability(a) && !isCopyOfBalance(a) ? amountOf(a, 'AVAILBAL') : null
  },
  dueDate: (a) => readTimestamp(a.format, a.dates.DTPMTDUE),
  maturityAmount: (a) => amountOf(a, 'MATURITYAMOUNT'),
  maturityDate: (a) => readTimestamp(a.format, a.dates.MATURITYDATE ?? a.dates.DTLOANMATURITY),
  minimumAmountDue: (a) => absolute(amountOf(a, 'MINPMTDUE')),
  totalCreditLine: (a) => amountOf(a, 'CREDITLIMIT') ?? amountOf(a, 'OVERDRAFTLIMIT') ?? amountOf(a, 'CdtLine'),
  originalLoanAmount: (a) => absolute(amountOf(a, 'LOANINITBAL')),
  lender: (a) => a.lender,
  amountDue: (a) => absolute(amountOf(a, '705') ?? amountOf(a, 'BALCLOSE')),
  principalBalance: (a) => absolute(amountOf(a, 'PRINBAL') ?? amountOf(a, '701')),
  currency: (a) => a.currency,
  actualBalance: (a) => {
    const balance = signedAmount(bookedBalance(a), a.currency)
    if (balance === null || !isLiability(a)) return balance
    // NOTE banks disagree on the sign of debts: the file's own evidence decides, else the kind of account.
    if (a.owed === undefined) return absolute(balance)
    return a.owed === 'negative' ? negate(balance) : balance
  },
  actualBalanceDate: (a) => readTimestamp(a.format, bookedBalance(a)?.date),
  sourceUpdatedDate: (a) => readTimestamp(a.format, a.dates.DTSERVER ?? a.dates.fileCreated ?? a.dates.CreDtTm),
}

const transactionFields: Mapping<StatementTransaction, BankTransaction> = {
  origId: (t) => t.origId,
  accountOrigId: (t) => t.accountOrigId,
  postedOn: (t) => readDay(t.format, t.booked),
  transactionOn: (t) => readDay(t.format, t.initiated),
  amount: (t) => signedAmount(t.amount, t.currency),
  currency: (t) => t.currency,
  description: (t) => t.text ?? t.name ?? t.reference ?? '',
  counterparty: (t) => t.name ?? '',
  category: (t) => t.type ?? '',
  isPending: () => false,
  runningBalance: () => null,
}

export const accountMapping: AnyMapping = mapping<StatementAccount, BankAccount>(2, accountFields)
export const transactionMapping: AnyMapping = mapping<StatementTransaction, BankTransaction>(2, transactionFields)

function bookedBalance(account: StatementAccount): StatementAccount['amounts'][string] | undefined {
  const code = BALANCE_CODES[account.format].find((each) => account.amounts[each] !== undefined)
  return code === undefined ? undefined : account.amounts[code]
}

function amountOf(account: StatementAccount, code: string): Decimal | null {
  return signedAmount(account.amounts[code], account.currency)
}

/** Copy of the balance: banks without an available balance repeat the booked one, with either sign. */
function isCopyOfBalance(account: StatementAccount): boolean {
  const [available, balance] = [amountOf(account, 'AVAILBAL'), signedAmount(bookedBalance(account), account.currency)]
  return available !== null && balance !== null && absolute(available) === absolute(balance)
}

function isLiability(account: StatementAccount): boolean {
  const kind: BankAccountKind = kindOf(account)
  return kind.type === 'Loans' || kind.type === 'CreditCards'
}
