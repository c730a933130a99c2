import { type Static, type TSchema, Type } from 'typebox'

/**
 * Schemas of the fields that we read; further fields are allowed. Unknown enum values are allowed everywhere.
 * Source: https://docs.stripe.com/api/financial_connections
 */
const maybe = <T extends TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]))
const Text = Type.String()
/** Amount in minor units; more than 15 digits arrive as text. */
const Minor = Type.Union([Type.Number(), Type.String()])
/** Seconds since 1970. */
const Epoch = Type.Number()
/** Amounts by currency in lower case. NOTE: Stripe's own fixtures hold a currency `undefined`. */
const ByCurrency = Type.Record(Type.String(), Minor)

export const StripeAccount = Type.Object({
  id: Text,
  institution_name: Text,
  display_name: maybe(Text),
  last4: maybe(Text),
  category: maybe(Text),
  subcategory: maybe(Text),
  status: maybe(Text),
  balance: maybe(Type.Object({ as_of: maybe(Epoch), current: maybe(ByCurrency) })),
  balance_refresh: maybe(Type.Object({ status: maybe(Text), last_attempted_at: maybe(Epoch) })),
})
export type StripeAccount = Static<typeof StripeAccount>

export const StripeTransaction = Type.Object({
  id: Text,
  account: Text,
  amount: Minor,
  currency: Text,
  description: maybe(Text),
  status: Text,
  status_transitions: maybe(Type.Object({ posted_at: maybe(Epoch) })),
  transacted_at: maybe(Epoch),
})
export type StripeTransaction = Static<typeof StripeTransaction>

/** Response envelopes, validated first. Their records are `unknown` and are validated one by one. */
export const ListAnswer = Type.Object({ object: Type.Literal('list'), data: Type.Array(Type.Unknown()), has_more: Type.Boolean() })
export type ListAnswer = Static<typeof ListAnswer>
export const CreatedCustomer = Type.Object({ id: Text })
const Holder = Type.Object({ type: maybe(Text), customer: maybe(Text) })
export const SessionAnswer = Type.Object({
  id: Text,
  client_secret: maybe(Text),
  account_holder: maybe(Holder),
  accounts: Type.Object({ data: Type.Array(Type.Unknown()) }),
})
/** Account fields that linking and refreshing need. */
const Refresh = maybe(
  Type.Object({ id: maybe(Text), status: maybe(Text), last_attempted_at: maybe(Epoch), next_refresh_available_at: maybe(Epoch) }),
)
export const KnownAccount = Type.Object({
  id: Text,
  institution_name: Text,
  status: maybe(Text),
  permissions: maybe(Type.Array(Text)),
  subscriptions: maybe(Type.Array(Text)),
  balance_refresh: Refresh,
  transaction_refresh: Refresh,
})
export type KnownAccount = Static<typeof KnownAccount>
export const EntityAnswer = Type.Object({ institutionName: Text })
export const WebhookBody = Type.Object({
  type: Text,
  data: Type.Object({ object: Type.Object({ account_holder: maybe(Holder) }) }),
})
