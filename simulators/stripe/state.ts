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
  /** Minor units; amounts owed are negative. Null if the bank reports no balance. */
  balance: Type.Union([Type.Number(), Type.Null()]),
  status: Type.String(),
  permissions: Texts,
  subscriptions: Texts,
  createdAt: Type.Number(),
  /** First day of the history, in days since the epoch. */
  firstDay: Type.Number(),
  movementsPerDay: Type.Number(),
  balanceAskedAt: Type.Number(),
  /** Transaction refreshes, oldest first, in seconds. */
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
