import { type Static, Type } from 'typebox'
import { AnyList, optional } from '../toolkit/values/wire-schemas.ts'

/**
 * Schemas of the fields that we read; further fields are allowed. Amounts are texts. Unknown enum values are allowed
 * everywhere.
 * Source: https://teller.io/docs/api
 */
const Text = Type.String()
const Amount = Type.Union([Type.String(), Type.Number()])

/** Account joined with its balances and its details. */
export const TellerAccount = Type.Object({
  account: Type.Object({
    id: Text,
    currency: optional(Text),
    institution: optional(Type.Object({ id: optional(Text), name: optional(Text) })),
    last_four: optional(Text),
    name: optional(Text),
    status: optional(Text),
    type: optional(Text),
    subtype: optional(Text),
  }),
  balances: optional(Type.Object({ ledger: optional(Amount), available: optional(Amount) })),
  /** Ending of the number from the details, where the list has none. */
  ending: optional(Text),
})
export type TellerAccount = Static<typeof TellerAccount>

/** Transaction with the fields that only its account has. */
export const TellerTransaction = Type.Object({
  transaction: Type.Object({
    id: Text,
    account_id: Text,
    amount: Amount,
    date: Text,
    description: optional(Text),
    running_balance: optional(Amount),
    status: optional(Text),
    type: optional(Text),
    details: optional(
      Type.Object({ category: optional(Text), counterparty: optional(Type.Object({ name: optional(Text), type: optional(Text) })) }),
    ),
  }),
  account: Type.Object({ type: optional(Text), currency: optional(Text) }),
})
export type TellerTransaction = Static<typeof TellerTransaction>

/** Response envelopes, validated first. Their records are `unknown` and are validated one by one. */
export const ListAnswer = AnyList
export const ObjectAnswer = Type.Object({})
/** Account fields that linking needs. */
export const LinkedAccount = Type.Object({
  enrollment_id: Text,
  institution: Type.Object({ id: Text, name: Text }),
})
export const InstitutionWire = Type.Object({ id: Text, name: Text })
export const DetailsAnswer = Type.Object({ account_number: optional(Text) })
/** Account data that we add to a page of transactions. */
export const AccountWords = Type.Object({ id: Text, type: Type.Union([Text, Type.Null()]), currency: Type.Union([Text, Type.Null()]) })
export type AccountWords = Static<typeof AccountWords>
export const WebhookBody = Type.Object({
  type: Text,
  payload: Type.Object({
    enrollment_id: optional(Text),
    reason: optional(Text),
    transactions: optional(AnyList),
  }),
})
