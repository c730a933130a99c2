import { type Static, Type } from 'typebox'
import { AnyList, optional } from '../toolkit/values/wire-schemas.ts'

/**
 * Schemas of the fields that we read; further fields are allowed. A number of more than 15 digits arrives as text.
 * Unknown enum values are allowed everywhere.
 * Source: components/schemas of https://github.com/Mastercard/open-banking-us-openapi (1.42.0)
 */
const Text = Type.String()
const Amount = Type.Union([Type.Number(), Type.String()])
/** Seconds since 1970; 0 for never. */
const Seconds = Type.Union([Type.Number(), Type.String()])
const Id = Type.Union([Type.String({ minLength: 1 }), Type.Integer()])

const DetailWire = Type.Object({
  periodInterestRate: optional(Amount),
  maturityDate: optional(Seconds),
  maturityValueAmount: optional(Amount),
  interestRate: optional(Amount),
  creditAvailableAmount: optional(Amount),
  creditMaxAmount: optional(Amount),
  currentBalance: optional(Amount),
  paymentMinAmount: optional(Amount),
  paymentDueDate: optional(Seconds),
  statementCloseBalance: optional(Amount),
  initialMlAmount: optional(Amount),
  principalBalance: optional(Amount),
  originalMaturityDate: optional(Seconds),
  nextPayment: optional(Amount),
  nextPaymentDate: optional(Seconds),
  recurringPaymentAmount: optional(Amount),
  lender: optional(Text),
  loanTypeDesc: optional(Text),
  collateral: optional(Text),
})

/**
 * Account of a login with its bank. Properties with account numbers are reduced to `mask` before it becomes a record.
 */
export const FinicityAccount = Type.Object({
  account: Type.Object({
    id: Id,
    mask: Text,
    name: optional(Text),
    accountNickname: optional(Text),
    balance: optional(Amount),
    type: optional(Text),
    status: optional(Text),
    financialinstitutionAccountStatus: optional(Text),
    aggregationSuccessDate: optional(Seconds),
    balanceDate: optional(Seconds),
    marketSegment: optional(Text),
    currency: optional(Text),
    detail: optional(DetailWire),
  }),
  institution: Type.Object({ name: optional(Text) }),
})
export type FinicityAccount = Static<typeof FinicityAccount>

/** Transaction with its account's sign convention and currency. */
export const FinicityTransaction = Type.Object({
  transaction: Type.Object({
    id: Id,
    accountId: Id,
    amount: Amount,
    status: Text,
    description: optional(Text),
    memo: optional(Text),
    transactionDate: optional(Seconds),
    postedDate: optional(Seconds),
    categorization: optional(Type.Object({ normalizedPayeeName: optional(Text), category: optional(Text) })),
    runningBalanceAmount: optional(Amount),
  }),
  account: Type.Object({ type: optional(Text), currency: optional(Text) }),
})
export type FinicityTransaction = Static<typeof FinicityTransaction>

/** Response envelopes, validated first. Their records are `unknown` and are validated one by one. */
export const TokenAnswer = Type.Object({ token: Type.String({ minLength: 1 }) })
export const CustomerAnswer = Type.Object({ id: Id })
export const CustomersAnswer = Type.Object({ customers: Type.Array(Type.Object({ id: Id, username: Text })) })
export const ConnectAnswer = Type.Object({ link: Text })
export const AccountsAnswer = Type.Object({ accounts: AnyList })
export const InstitutionAnswer = Type.Object({ institution: Type.Object({ name: optional(Text), displayName: optional(Text) }) })
export const TransactionsAnswer = Type.Object({
  moreAvailable: Type.Union([Type.Boolean(), Type.Literal('true'), Type.Literal('false')]),
  transactions: AnyList,
})
export const InstitutionsAnswer = Type.Object({ moreAvailable: Type.Boolean(), institutions: AnyList })
export const InstitutionWire = Type.Object({
  id: Id,
  name: optional(Text),
  displayName: optional(Text),
  transAgg: optional(Type.Boolean()),
  urlHomeApp: optional(Text),
  currency: optional(Text),
  newInstitutionId: optional(Id),
  address: optional(Type.Object({ country: optional(Text) })),
})
/** Account fields for its login and its aggregation state. */
export const AccountHead = Type.Object({
  id: Id,
  institutionId: Id,
  institutionLoginId: Id,
  type: optional(Text),
  currency: optional(Text),
  createdDate: optional(Seconds),
  balance: optional(Amount),
  aggregationStatusCode: optional(Amount),
  aggregationSuccessDate: optional(Seconds),
})
export type AccountHead = Static<typeof AccountHead>
export const ConnectEvent = Type.Object({
  eventType: Text,
  customerId: optional(Id),
  webhookData: optional(Type.Object({ match: optional(Text) })),
})
/** TxPUSH notice. */
export const PushEvent = Type.Object({ event: Type.Object({ records: Type.Array(Type.Object({ customerId: Id })) }) })
