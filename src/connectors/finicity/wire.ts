import { type Static, type TSchema, Type } from 'typebox'

/**
 * The shapes that we read, open for more. A number of more than 15 digits arrives as text. Unknown words are allowed everywhere.
 * Source: components/schemas of https://github.com/Mastercard/open-banking-us-openapi (1.42.0)
 */
const maybe = <T extends TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]))
const Text = Type.String()
const Amount = Type.Union([Type.Number(), Type.String()])
/** Seconds since 1970; 0 where nothing happened yet. */
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

/** One account of a login with its bank. What holds a number of the account is cut to `mask` before it becomes a record. */
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

/** One movement with what its account says about signs and money. */
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

/** Envelopes: what must be there before anything else is believed. Their records are `unknown` and checked one by one. */
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
/** What says where an account belongs and how its login fares. */
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
/** A notice of TxPUSH. */
export const PushEvent = Type.Object({ event: Type.Object({ records: Type.Array(Type.Object({ customerId: Id })) }) })
