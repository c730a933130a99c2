import { type Static, type TSchema, Type } from 'typebox'

/**
 * Schemas of the fields that we read; further fields are allowed. A number of more than 15 digits arrives as text.
 * Unknown enum values are allowed everywhere.
 * Source: components/schemas of https://github.com/Mastercard/open-banking-us-openapi (1.42.0)
 */
const maybe = <T extends TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]))
const Text = Type.String()
const Amount = Type.Union([Type.Number(), Type.String()])
/** Seconds since 1970; 0 for never. */
const Seconds = Type.Union([Type.Number(), Type.String()])
const Id = Type.Union([Type.String({ minLength: 1 }), Type.Integer()])

const DetailWire = Type.Object({
  periodInterestRate: maybe(Amount),
  maturityDate: maybe(Seconds),
  maturityValueAmount: maybe(Amount),
  interestRate: maybe(Amount),
  creditAvailableAmount: maybe(Amount),
  creditMaxAmount: maybe(Amount),
  currentBalance: maybe(Amount),
  paymentMinAmount: maybe(Amount),
  paymentDueDate: maybe(Seconds),
  statementCloseBalance: maybe(Amount),
  initialMlAmount: maybe(Amount),
  principalBalance: maybe(Amount),
  originalMaturityDate: maybe(Seconds),
  nextPayment: maybe(Amount),
  nextPaymentDate: maybe(Seconds),
  recurringPaymentAmount: maybe(Amount),
  lender: maybe(Text),
  loanTypeDesc: maybe(Text),
  collateral: maybe(Text),
})

/**
 * Account of a login with its bank. Properties with account numbers are reduced to `mask` before it becomes a record.
 */
export const FinicityAccount = Type.Object({
  account: Type.Object({
    id: Id,
    mask: Text,
    name: maybe(Text),
    accountNickname: maybe(Text),
    balance: maybe(Amount),
    type: maybe(Text),
    status: maybe(Text),
    financialinstitutionAccountStatus: maybe(Text),
    aggregationSuccessDate: maybe(Seconds),
    balanceDate: maybe(Seconds),
    marketSegment: maybe(Text),
    currency: maybe(Text),
    detail: maybe(DetailWire),
  }),
  institution: Type.Object({ name: maybe(Text) }),
})
export type FinicityAccount = Static<typeof FinicityAccount>

/** Transaction with its account's sign convention and currency. */
export const FinicityTransaction = Type.Object({
  transaction: Type.Object({
    id: Id,
    accountId: Id,
    amount: Amount,
    status: Text,
    description: maybe(Text),
    memo: maybe(Text),
    transactionDate: maybe(Seconds),
    postedDate: maybe(Seconds),
    categorization: maybe(Type.Object({ normalizedPayeeName: maybe(Text), category: maybe(Text) })),
    runningBalanceAmount: maybe(Amount),
  }),
  account: Type.Object({ type: maybe(Text), currency: maybe(Text) }),
})
export type FinicityTransaction = Static<typeof FinicityTransaction>

/** Response envelopes, validated first. Their records are `unknown` and are validated one by one. */
export const TokenAnswer = Type.Object({ token: Type.String({ minLength: 1 }) })
export const CustomerAnswer = Type.Object({ id: Id })
export const CustomersAnswer = Type.Object({ customers: Type.Array(Type.Object({ id: Id, username: Text })) })
export const ConnectAnswer = Type.Object({ link: Text })
export const AccountsAnswer = Type.Object({ accounts: Type.Array(Type.Unknown()) })
export const InstitutionAnswer = Type.Object({ institution: Type.Object({ name: maybe(Text), displayName: maybe(Text) }) })
export const TransactionsAnswer = Type.Object({
  moreAvailable: Type.Union([Type.Boolean(), Type.Literal('true'), Type.Literal('false')]),
  transactions: Type.Array(Type.Unknown()),
})
export const InstitutionsAnswer = Type.Object({ moreAvailable: Type.Boolean(), institutions: Type.Array(Type.Unknown()) })
export const InstitutionWire = Type.Object({
  id: Id,
  name: maybe(Text),
  displayName: maybe(Text),
  transAgg: maybe(Type.Boolean()),
  urlHomeApp: maybe(Text),
  currency: maybe(Text),
  newInstitutionId: maybe(Id),
  address: maybe(Type.Object({ country: maybe(Text) })),
})
/** Account fields for its login and its aggregation state. */
export const AccountHead = Type.Object({
  id: Id,
  institutionId: Id,
  institutionLoginId: Id,
  type: maybe(Text),
  currency: maybe(Text),
  createdDate: maybe(Seconds),
  balance: maybe(Amount),
  aggregationStatusCode: maybe(Amount),
  aggregationSuccessDate: maybe(Seconds),
})
export type AccountHead = Static<typeof AccountHead>
export const ConnectEvent = Type.Object({
  eventType: Text,
  customerId: maybe(Id),
  webhookData: maybe(Type.Object({ match: maybe(Text) })),
})
/** TxPUSH notice. */
export const PushEvent = Type.Object({ event: Type.Object({ records: Type.Array(Type.Object({ customerId: Id })) }) })
