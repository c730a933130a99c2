import { type Static, Type } from 'typebox'
import { AnyList, optional } from '../toolkit/values/wire-schemas.ts'

/**
 * Schemas of the Consumer API's fields that we read; further fields are allowed. Amounts are texts there; numbers are
 * accepted too.
 * Source: https://jackhenry.dev/open-api-docs/consumer-api/api-reference/v0/accounts/details/
 */

const Text = optional(Type.String())
const Amount = optional(Type.Union([Type.Number(), Type.String()]))
const Id = Type.String({ minLength: 1 })

export const AccountWire = Type.Object({
  id: Id,
  name: Text,
  /** A text by the reference; older responses hold an object or a list. */
  numbers: Type.Optional(Type.Unknown()),
  fetchedDate: Text,
  accountStatus: Text,
  accountType: Text,
  accountSubType: Text,
  institution: optional(Type.Object({ id: Text, name: Text })),
  balance: Amount,
  availableCredit: Amount,
  creditLimit: Amount,
  paymentDueDate: Text,
  paymentDueAmount: Amount,
  minimumPaymentDue: Amount,
  interestRate: Amount,
  principalAmount: Amount,
})
export type AccountWire = Static<typeof AccountWire>

const TransactionShape = Type.Object({
  id: Id,
  /** Left out by some cores: then the requested account is meant. */
  accountId: Text,
  amount: Type.Union([Type.Number(), Type.String()]),
  currency: Text,
  pendingStatus: Text,
  datePosted: Text,
  displayName: Text,
  memo: Text,
  filteredMemo: Text,
  runningBalance: Amount,
  type: Text,
  merchant: optional(Type.Object({ name: Text })),
  enrichments: optional(Type.Object({ expenseCategory: Text })),
  lastUpdated: Text,
})

/** Transaction with the account whose list contains it. */
export const TransactionWire = Type.Object({ transaction: TransactionShape, account: Id })
export type TransactionWire = Static<typeof TransactionWire>

/** Response envelopes, validated first. */
export const AccountsWire = Type.Object({ accounts: AnyList })
export const TransactionsWire = Type.Object({
  transactions: AnyList,
  inactivatedTransactionIds: optional(Type.Array(Type.String())),
})
export const FetchWire = Type.Object({ taskId: Id })
/** Source: https://jackhenry.dev/open-api-docs/consumer-api/api-reference/v0/task-events/details/ */
export const TaskWire = Type.Object({
  events: Type.Array(Type.Object({ type: Text })),
  version: optional(Type.Union([Type.Number(), Type.String()])),
})

export const TokenWire = Type.Object({
  access_token: Id,
  /** Seconds. */
  expires_in: Type.Union([Type.Number(), Type.String()]),
  refresh_token: optional(Type.String()),
  id_token: optional(Type.String()),
})
export type TokenWire = Static<typeof TokenWire>

export const ClaimsWire = Type.Object({
  sub: Id,
  aud: Type.Union([Type.String(), Type.Array(Type.String())]),
  nonce: optional(Type.String()),
})
export const PersonWire = Type.Object({ sub: Id, name: Text, email: Text })

/** Sealed data of an authorization. */
export const SecretWire = Type.Object({ accessToken: Type.String(), refreshToken: Type.String() })
export type SecretWire = Static<typeof SecretWire>
