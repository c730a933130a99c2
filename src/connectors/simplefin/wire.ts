import { type Static, type TSchema, Type } from 'typebox'

/**
 * The shapes that we read, open for more. Numbers are texts, instants are seconds since 1970.
 * Source: https://www.simplefin.org/protocol.html
 */
const maybe = <T extends TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]))
const Text = Type.String()
const Amount = Type.Union([Type.Number(), Type.String()])

const Org = Type.Object({ domain: maybe(Text), name: maybe(Text), id: maybe(Text), 'sfin-url': maybe(Text) })

const Account = Type.Object({
  id: Text,
  org: maybe(Org),
  name: maybe(Text),
  /** A code of ISO 4217, or the address of a made-up currency. */
  currency: maybe(Text),
  balance: maybe(Amount),
  'available-balance': maybe(Amount),
  'balance-date': maybe(Amount),
})

/** `id` is unique over all organizations, which the account's own need not be. */
export const SimplefinAccount = Type.Object({ id: Text, account: Account })
export type SimplefinAccount = Static<typeof SimplefinAccount>

const Movement = Type.Object({
  id: Text,
  /** May be 0 while pending. */
  posted: maybe(Amount),
  amount: Amount,
  description: maybe(Text),
  payee: maybe(Text),
  memo: maybe(Text),
  transacted_at: maybe(Amount),
  pending: maybe(Type.Boolean()),
  extra: maybe(Type.Object({ category: maybe(Text) })),
})

export const SimplefinTransaction = Type.Object({ id: Text, account: Text, currency: maybe(Text), transaction: Movement })
export type SimplefinTransaction = Static<typeof SimplefinTransaction>

/** Envelope: what must be there before anything else is believed. Servers of version 2 call the errors `errlist`. */
export const AccountSet = Type.Object({
  errors: maybe(Type.Array(Type.Unknown())),
  errlist: maybe(Type.Array(Type.Unknown())),
  accounts: Type.Array(Type.Unknown()),
})
export type AccountSet = Static<typeof AccountSet>
