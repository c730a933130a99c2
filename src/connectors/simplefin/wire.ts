import { type Static, type TSchema, Type } from 'typebox'

/**
 * Schemas of the fields that we read; further fields are allowed. Numbers are texts, instants are seconds since 1970.
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
  /** ISO 4217 code, or the URL of a custom currency. */
  currency: maybe(Text),
  balance: maybe(Amount),
  'available-balance': maybe(Amount),
  'balance-date': maybe(Amount),
})

/** Account whose `id` is unique over all organizations, unlike the account's own. */
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

/** Response envelope, validated first. Servers of version 2 call the errors `errlist`. */
export const AccountSet = Type.Object({
  errors: maybe(Type.Array(Type.Unknown())),
  errlist: maybe(Type.Array(Type.Unknown())),
  accounts: Type.Array(Type.Unknown()),
})
export type AccountSet = Static<typeof AccountSet>
