import { type Static, type TSchema, Type } from 'typebox'
import type { Json } from '../../model/values/json.ts'
import { isJsonObject } from '../toolkit/answers.ts'

/**
 * Schemas of the fields that we read; further fields are allowed. A number of more than 15 digits arrives as text.
 * Unknown enum values are allowed everywhere.
 * Source: https://github.com/plaid/core-exchange (public profile of FDX 5.3 and 6.4; the standard itself is given out by FDX only)
 */
const maybe = <T extends TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]))
const Text = Type.String()
const Amount = Type.Union([Type.Number(), Type.String()])

const AccountWire = Type.Object({
  accountId: Text,
  accountType: maybe(Text),
  accountNumberDisplay: maybe(Text),
  nickname: maybe(Text),
  productName: maybe(Text),
  description: maybe(Text),
  status: maybe(Text),
  currency: maybe(Type.Object({ currencyCode: maybe(Text) })),
  lineOfBusiness: maybe(Text),
  balanceAsOf: maybe(Text),
  lastActivityDate: maybe(Text),
  interestRate: maybe(Amount),
  chargedInterest: maybe(Type.Object({ rate: maybe(Amount) })),
  earnedInterest: maybe(Type.Object({ rate: maybe(Amount) })),
  purchasesApr: maybe(Amount),
  currentBalance: maybe(Amount),
  availableBalance: maybe(Amount),
  currentValue: maybe(Amount),
  principalBalance: maybe(Amount),
  originalPrincipal: maybe(Amount),
  loanProviderName: maybe(Text),
  maturityDate: maybe(Text),
  nextPaymentAmount: maybe(Amount),
  nextPaymentDate: maybe(Text),
  minimumPaymentAmount: maybe(Amount),
  creditLine: maybe(Amount),
  availableCredit: maybe(Amount),
  bills: maybe(Type.Array(Type.Object({ dueDate: maybe(Text), totalPaymentDue: maybe(Amount), minimumPaymentDue: maybe(Amount) }))),
})

/** Account with the data of list and details, and its origin. */
export const FdxAccount = Type.Object({
  account: AccountWire,
  /** Category by version 6: `DEPOSIT_ACCOUNT` … */
  category: maybe(Text),
  provider: Text,
  /** True when the bank sends rates between 0 and 1 as fractions. */
  isFraction: Type.Boolean(),
  /** Default currency of an account without one. */
  currency: maybe(Text),
})
export type FdxAccount = Static<typeof FdxAccount>

/** Transaction with the account whose list contains it: its amount is in the currency of that account. */
export const FdxTransaction = Type.Object({
  transaction: Type.Object({
    transactionId: Text,
    amount: Amount,
    debitCreditMemo: Text,
    status: maybe(Text),
    postedTimestamp: maybe(Text),
    transactionTimestamp: maybe(Text),
    description: maybe(Text),
    memo: maybe(Text),
    payee: maybe(Text),
    category: maybe(Text),
    runningBalance: maybe(Amount),
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
