import { type Static, type TSchema, Type } from 'typebox'

/**
 * Schemas of the fields that we read; further fields are allowed. A number of more than 15 digits arrives as text.
 * Unknown enum values are allowed everywhere.
 * Source: definitions of Yodlee's core API document, version 1.1
 */
const maybe = <T extends TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]))
const Text = Type.String()
const Id = Type.Union([Type.Integer(), Text])
const Amount = Type.Union([Type.Number(), Type.String()])
const Money = Type.Object({ amount: maybe(Amount), currency: maybe(Text) })
export type Money = Static<typeof Money>

const Dataset = Type.Object({ name: maybe(Text), additionalStatus: maybe(Text), lastUpdated: maybe(Text) })

export const YodleeAccount = Type.Object({
  id: Id,
  CONTAINER: maybe(Text),
  accountName: maybe(Text),
  accountNumber: maybe(Text),
  accountStatus: maybe(Text),
  accountType: maybe(Text),
  amountDue: maybe(Money),
  annualPercentageYield: maybe(Amount),
  apr: maybe(Amount),
  availableCredit: maybe(Money),
  balance: maybe(Money),
  classification: maybe(Text),
  currentBalance: maybe(Money),
  dataset: maybe(Type.Array(Dataset)),
  displayedName: maybe(Text),
  dueDate: maybe(Text),
  interestRate: maybe(Amount),
  lastUpdated: maybe(Text),
  lender: maybe(Text),
  maturityAmount: maybe(Money),
  maturityDate: maybe(Text),
  minimumAmountDue: maybe(Money),
  nickname: maybe(Text),
  originalLoanAmount: maybe(Money),
  overDraftLimit: maybe(Money),
  principalBalance: maybe(Money),
  providerName: maybe(Text),
  runningBalance: maybe(Money),
  totalCreditLimit: maybe(Money),
  totalCreditLine: maybe(Money),
  userClassification: maybe(Text),
})
export type YodleeAccount = Static<typeof YodleeAccount>

export const YodleeTransaction = Type.Object({
  id: Id,
  CONTAINER: Text,
  accountId: Id,
  amount: Type.Object({ amount: Amount, currency: maybe(Text) }),
  baseType: Text,
  category: maybe(Text),
  date: maybe(Text),
  description: maybe(Type.Object({ original: maybe(Text), simple: maybe(Text) })),
  merchant: maybe(Type.Object({ name: maybe(Text) })),
  postDate: maybe(Text),
  runningBalance: maybe(Money),
  status: maybe(Text),
  transactionDate: maybe(Text),
})
export type YodleeTransaction = Static<typeof YodleeTransaction>

/**
 * Response envelopes, validated first. Yodlee leaves empty lists out. Records are `unknown` and are validated one by
 * one.
 */
const Rows = Type.Optional(Type.Array(Type.Unknown()))
export const AccountsAnswer = Type.Object({ account: Rows })
export const TransactionsAnswer = Type.Object({ transaction: Rows })
export const CountAnswer = Type.Object({
  transaction: Type.Optional(Type.Object({ TOTAL: Type.Object({ count: Type.Integer({ minimum: 0 }) }) })),
})
export const ProvidersAnswer = Type.Object({ provider: Rows })
export const ProviderWire = Type.Object({
  id: Id,
  name: Text,
  countryISOCode: maybe(Text),
  status: maybe(Text),
  baseUrl: maybe(Text),
})
const ProviderAccount = Type.Object({ id: Id, providerId: maybe(Id), status: maybe(Text), dataset: maybe(Type.Array(Dataset)) })
export type ProviderAccount = Static<typeof ProviderAccount>
export const ProviderAccountsAnswer = Type.Object({ providerAccount: Type.Optional(Type.Array(ProviderAccount)) })
export const TokenAnswer = Type.Object({
  token: Type.Object({ accessToken: Type.String({ minLength: 1 }), expiresIn: Type.Integer({ minimum: 1 }) }),
})
export const EventsAnswer = Type.Object({ event: Type.Optional(Type.Array(Type.Object({ name: maybe(Text), callbackUrl: maybe(Text) }))) })
const User = Type.Object({ user: maybe(Type.Object({ loginName: maybe(Text) })) })
export const WebhookBody = Type.Object({
  event: Type.Object({
    info: Text,
    loginName: maybe(Text),
    data: maybe(Type.Object({ userData: maybe(Type.Array(User)) })),
  }),
})
