import { type Static, Type } from 'typebox'
import type { Json } from '../../model/values/json.ts'
import { isJsonObject } from '../toolkit/http/answers.ts'
import { optional } from '../toolkit/values/wire-schemas.ts'

/**
 * Schemas of the fields that we read; further fields are allowed. A number of more than 15 digits arrives as text.
 * Unknown enum values are allowed everywhere.
 * Source: https://github.com/plaid/core-exchange (public profile of FDX 5.3 and 6.4; the standard itself is given out by FDX only)
 */
const Text = Type.String()
const Amount = Type.Union([Type.Number(), Type.String()])

const AccountWire = Type.Object({
  accountId: Text,
  accountType: optional(Text),
  accountNumberDisplay: optional(Text),
  nickname: optional(Text),
  productName: optional(Text),
  description: optional(Text),
  status: optional(Text),
  currency: optional(Type.Object({ currencyCode: optional(Text) })),
  lineOfBusiness: optional(Text),
  balanceAsOf: optional(Text),
  lastActivityDate: optional(Text),
  interestRate: optional(Amount),
  chargedInterest: optional(Type.Object({ rate: optional(Amount) })),
  earnedInterest: optional(Type.Object({ rate: optional(Amount) })),
  purchasesApr: optional(Amount),
  currentBalance: optional(Amount),
  availableBalance: optional(Amount),
  currentValue: optional(Amount),
  principalBalance: optional(Amount),
  originalPrincipal: optional(Amount),
  loanProviderName: optional(Text),
  maturityDate: optional(Text),
  nextPaymentAmount: optional(Amount),
  nextPaymentDate: optional(Text),
  minimumPaymentAmount: optional(Amount),
  creditLine: optional(Amount),
  availableCredit: optional(Amount),
  bills: optional(
    Type.Array(Type.Object({ dueDate: optional(Text), totalPaymentDue: optional(Amount), minimumPaymentDue: optional(Amount) })),
  ),
})

/** Account with the data of list and details, and its origin. */
export const FdxAccount = Type.Object({
  account: AccountWire,
  /** Category by version 6: `DEPOSIT_ACCOUNT` … */
  category: optional(Text),
  provider: Text,
  /** True when the bank sends rates between 0 and 1 as fractions. */
  isFraction: Type.Boolean(),
  /** Default currency of an account without one. */
  currency: optional(Text),
})
export type FdxAccount = Static<typeof FdxAccount>

/** Transaction with the account whose list contains it: its amount is in the currency of that account. */
export const FdxTransaction = Type.Object({
  transaction: Type.Object({
    transactionId: Text,
    amount: Amount,
    debitCreditMemo: Text,
    status: optional(Text),
    postedTimestamp: optional(Text),
    transactionTimestamp: optional(Text),
    description: optional(Text),
    memo: optional(Text),
    payee: optional(Text),
    category: optional(Text),
    runningBalance: optional(Amount),
  }),
  accountId: Text,
  currency: Text,
})
export type FdxTransaction = Static<typeof FdxTransaction>

const WRAPPERS: Readonly<Record<string, string>> = {
  depositAccount: 'DEPOSIT_ACCOUNT',
  loanAccount: 'LOAN_ACCOUNT',
  locAccount: 'LOC_ACCOUNT',
  lineOfCreditAccount: 'LOC_ACCOUNT',
  lineOfCredit: 'LOC_ACCOUNT',
  investmentAccount: 'INVESTMENT_ACCOUNT',
  commercialAccount: 'COMMERCIAL_ACCOUNT',
  insuranceAccount: 'INSURANCE_ACCOUNT',
  annuityAccount: 'ANNUITY_ACCOUNT',
  digitalWallet: 'DIGITAL_WALLET',
  digitalWalletAccount: 'DIGITAL_WALLET',
}

/**
 * Entry of a list without the wrapper of versions 4 and 5 (`{"depositAccount": {…}}`); version 6 has none and names its
 * category. Null for a value that is no entry. `idName` is the property that every entry has.
 */
export function unwrap(entry: Json, idName: string): { category: Json; inner: { [key: string]: Json } } | null {
  if (!isJsonObject(entry)) return null
  if (entry[idName] !== undefined) return { category: entry.accountCategory ?? null, inner: entry }
  const wrapped = Object.entries(entry).find((each): each is [string, { [key: string]: Json }] => isJsonObject(each[1]))
  if (!wrapped) return { category: entry.accountCategory ?? null, inner: entry }
  const [name, inner] = wrapped
  return {
    category: (Object.hasOwn(WRAPPERS, name) ? WRAPPERS[name] : null) ?? inner.accountCategory ?? entry.accountCategory ?? null,
    inner,
  }
}

/** Id of an entry; null when it has no valid one. */
export function idOf(inner: { [key: string]: Json }, idName: string): string | null {
  const id = inner[idName]
  return typeof id === 'string' && id.trim() !== '' ? id : null
}
