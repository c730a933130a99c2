import { type Static, Type } from 'typebox'
import { AnyList, optional } from '../toolkit/values/wire-schemas.ts'

/**
 * Schemas of the fields that we read; further fields are allowed. A number of more than 15 digits arrives as text.
 * Unknown enum values are allowed everywhere.
 * Source: definitions of Yodlee's core API document, version 1.1
 */
const Text = Type.String()
const Id = Type.Union([Type.Integer(), Text])
const Amount = Type.Union([Type.Number(), Type.String()])
const Money = Type.Object({ amount: optional(Amount), currency: optional(Text) })
export type Money = Static<typeof Money>

const Dataset = Type.Object({ name: optional(Text), additionalStatus: optional(Text), lastUpdated: optional(Text) })

export const YodleeAccount = Type.Object({
  id: Id,
  CONTAINER: optional(Text),
  accountName: optional(Text),
  accountNumber: optional(Text),
  accountStatus: optional(Text),
  accountType: optional(Text),
  amountDue: optional(Money),
  annualPercentageYield: optional(Amount),
  apr: optional(Amount),
  availableCredit: optional(Money),
  balance: optional(Money),
  classification: optional(Text),
  currentBalance: optional(Money),
  dataset: optional(Type.Array(Dataset)),
  displayedName: optional(Text),
  dueDate: optional(Text),
  interestRate: optional(Amount),
  lastUpdated: optional(Text),
  lender: optional(Text),
  maturityAmount: optional(Money),
  maturityDate: optional(Text),
  minimumAmountDue: optional(Money),
  nickname: optional(Text),
  originalLoanAmount: optional(Money),
  overDraftLimit: optional(Money),
  principalBalance: optional(Money),
  providerName: optional(Text),
  runningBalance: optional(Money),
  totalCreditLimit: optional(Money),
  totalCreditLine: optional(Money),
  userClassification: optional(Text),
})
export type YodleeAccount = Static<typeof YodleeAccount>

export const YodleeTransaction = Type.Object({
  id: Id,
  CONTAINER: Text,
  accountId: Id,
  amount: Type.Object({ amount: Amount, currency: optional(Text) }),
  baseType: Text,
  category: optional(Text),
  date: optional(Text),
  description: optional(Type.Object({ original: optional(Text), simple: optional(Text) })),
  merchant: optional(Type.Object({ name: optional(Text) })),
  postDate: optional(Text),
  runningBalance: optional(Money),
  status: optional(Text),
  transactionDate: optional(Text),
})
export type YodleeTransaction = Static<typeof YodleeTransaction>

/**
 * Response envelopes, validated first. Yodlee leaves empty lists out. Records are `unknown` and are validated one by
 * one.
 */
const Rows = Type.Optional(AnyList)
export const AccountsAnswer = Type.Object({ account: Rows })
export const TransactionsAnswer = Type.Object({ transaction: Rows })
export const CountAnswer = Type.Object({
  transaction: Type.Optional(Type.Object({ TOTAL: Type.Object({ count: Type.Integer({ minimum: 0 }) }) })),
})
export const ProvidersAnswer = Type.Object({ provider: Rows })
export const ProviderWire = Type.Object({
  id: Id,
  name: Text,
  countryISOCode: optional(Text),
  status: optional(Text),
  baseUrl: optional(Text),
})
const ProviderAccount = Type.Object({ id: Id, providerId: optional(Id), status: optional(Text), dataset: optional(Type.Array(Dataset)) })
export type ProviderAccount = Static<typeof ProviderAccount>
export const ProviderAccountsAnswer = Type.Object({ providerAccount: Type.Optional(Type.Array(ProviderAccount)) })
export const TokenAnswer = Type.Object({
  token: Type.Object({ accessToken: Type.String({ minLength: 1 }), expiresIn: Type.Integer({ minimum: 1 }) }),
})
export const EventsAnswer = Type.Object({
  event: Type.Optional(Type.Array(Type.Object({ name: optional(Text), callbackUrl: optional(Text) }))),
})
const User = Type.Object({ user: optional(Type.Object({ loginName: optional(Text) })) })
export const WebhookBody = Type.Object({
  event: Type.Object({
    info: Text,
    loginName: optional(Text),
    data: optional(Type.Object({ userData: optional(Type.Array(User)) })),
  }),
})
