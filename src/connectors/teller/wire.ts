import { type Static, type TSchema, Type } from 'typebox'

/**
 * Schemas of the fields that we read; further fields are allowed. Amounts are texts. Unknown enum values are allowed
 * everywhere.
 * Source: https://teller.io/docs/api
 */
const maybe = <T extends TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]))
const Text = Type.String()
const Amount = Type.Union([Type.String(), Type.Number()])

/** Account joined with its balances and its details. */
export const TellerAccount = Type.Object({
  account: Type.Object({
    id: Text,
    currency: maybe(Text),
    institution: maybe(Type.Object({ id: maybe(Text), name: maybe(Text) })),
    last_four: maybe(Text),
    name: maybe(Text),
    status: maybe(Text),
    type: maybe(Text),
    subtype: maybe(Text),
  }),
  balances: maybe(Type.Object({ ledger: maybe(Amount), available: maybe(Amount) })),
  /** Ending of the number from the details, where the list has none. */
  ending: maybe(Text),
})
export type TellerAccount = Static<typeof TellerAccount>

/** Transaction with the fields that only its account has. */
export const TellerTransaction = Type.Object({
  transaction: Type.Object({
    id: Text,
    account_id: Text,
    amount: Amount,
    date: Text,
    description: maybe(Text),
    running_balance: maybe(Amount),
    status: maybe(Text),
    type: maybe(Text),
    details: maybe(Type.Object({ category: maybe(Text), counterparty: maybe(Type.Object({ name: maybe(Text), type: maybe(Text) })) })),
  }),
  account: Type.Object({ type: maybe(Text), currency: maybe(Text) }),
})
export type TellerTransaction = Static<typeof TellerTransaction>

/** Response envelopes, validated first. Their records are `unknown` and are validated one by one. */
export const ListAnswer = Type.Array(Type.Unknown())
export const ObjectAnswer = Type.Object({})
/** Account fields that linking needs. */
export const LinkedAccount = Type.Object({
  enrollment_id: Text,
  institution: Type.Object({ id: Text, name: Text }),
})
export const InstitutionWire = Type.Object({ id: Text, name: Text })
export const DetailsAnswer = Type.Object({ account_number: maybe(Text) })
/** Account data that we add to a page of transactions. */
export const AccountWords = Type.Object({ id: Text, type: Type.Union([Text, Type.Null()]), currency: Type.Union([Text, Type.Null()]) })
export type AccountWords = Static<typeof AccountWords>
export const WebhookBody = Type.Object({
  type: Text,
  payload: Type.Object({
    enrollment_id: maybe(Text),
    reason: maybe(Text),
    transactions: maybe(Type.Array(Type.Unknown())),
  }),
})
