import { type Static, Type } from 'typebox'

const Texts = Type.Array(Type.String())

const Account = Type.Object({
  id: Type.String(),
  customer: Type.String(),
  institution: Type.String(),
  name: Type.String(),
  last4: Type.Union([Type.String(), Type.Null()]),
  category: Type.String(),
  subcategory: Type.String(),
  currency: Type.String(),
  /** Minor units; what is owed is negative. Null where the bank tells no balance. */
  balance: Type.Union([Type.Number(), Type.Null()]),
  status: Type.String(),
  permissions: Texts,
  subscriptions: Texts,
  createdAt: Type.Number(),
  /** First day of the history, counted from 1970. */
  firstDay: Type.Number(),
  movementsPerDay: Type.Number(),
  balanceAskedAt: Type.Number(),
  /** Refreshes of the transactions, oldest first; seconds. */
  refreshes: Type.Array(Type.Object({ id: Type.String(), at: Type.Number() })),
})
export type Account = Static<typeof Account>

const Session = Type.Object({
  id: Type.String(),
  clientSecret: Type.String(),
  customer: Type.String(),
  permissions: Texts,
  prefetch: Texts,
  accountIds: Texts,
})
export type Session = Static<typeof Session>

export const StripeState = Type.Object({
  customers: Type.Array(Type.Object({ id: Type.String(), metadata: Type.Record(Type.String(), Type.String()), key: Type.String() })),
  sessions: Type.Array(Session),
  accounts: Type.Array(Account),
  eventCount: Type.Number(),
})
export type StripeState = Static<typeof StripeState>
