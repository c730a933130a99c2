import { type Static, Type } from 'typebox'
import { AnyList, optional } from '../toolkit/values/wire-schemas.ts'

/**
 * Schemas of the fields that we read; further fields are allowed. Unknown enum values are allowed everywhere.
 * Source: https://docs.stripe.com/api/financial_connections
 */
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
  display_name: optional(Text),
  last4: optional(Text),
  category: optional(Text),
  subcategory: optional(Text),
  status: optional(Text),
  balance: optional(Type.Object({ as_of: optional(Epoch), current: optional(ByCurrency) })),
  balance_refresh: optional(Type.Object({ status: optional(Text), last_attempted_at: optional(Epoch) })),
})
export type StripeAccount = Static<typeof StripeAccount>

export const StripeTransaction = Type.Object({
  id: Text,
  account: Text,
  amount: Minor,
  currency: Text,
  description: optional(Text),
  status: Text,
  status_transitions: optional(Type.Object({ posted_at: optional(Epoch) })),
  transacted_at: optional(Epoch),
})
export type StripeTransaction = Static<typeof StripeTransaction>

/** Response envelopes, validated first. Their records are `unknown` and are validated one by one. */
export const ListAnswer = Type.Object({ object: Type.Literal('list'), data: AnyList, has_more: Type.Boolean() })
export type ListAnswer = Static<typeof ListAnswer>
export const CreatedCustomer = Type.Object({ id: Text })
const Holder = Type.Object({ type: optional(Text), customer: optional(Text) })
export const SessionAnswer = Type.Object({
  id: Text,
  client_secret: optional(Text),
  account_holder: optional(Holder),
  accounts: Type.Object({ data: AnyList }),
})
/** Account fields that linking and refreshing need. */
const Refresh = optional(
  Type.Object({
    id: optional(Text),
    status: optional(Text),
    last_attempted_at: optional(Epoch),
    next_refresh_available_at: optional(Epoch),
  }),
)
export const KnownAccount = Type.Object({
  id: Text,
  institution_name: Text,
  status: optional(Text),
  permissions: optional(Type.Array(Text)),
  subscriptions: optional(Type.Array(Text)),
  balance_refresh: Refresh,
  transaction_refresh: Refresh,
})
export type KnownAccount = Static<typeof KnownAccount>
export const EntityAnswer = Type.Object({ institutionName: Text })
export const WebhookBody = Type.Object({
  type: Text,
  data: Type.Object({ object: Type.Object({ account_holder: optional(Holder) }) }),
})
