import { type Static, Type } from 'typebox'
import { AnyList, optional } from '../toolkit/values/wire-schemas.ts'

/**
 * Schemas of the fields that we read; further fields are allowed. Numbers are texts, instants are seconds since 1970.
 * Source: https://www.simplefin.org/protocol.html
 */
const Text = Type.String()
const Amount = Type.Union([Type.Number(), Type.String()])

const Org = Type.Object({ domain: optional(Text), name: optional(Text), id: optional(Text), 'sfin-url': optional(Text) })

const Account = Type.Object({
  id: Text,
  org: optional(Org),
  name: optional(Text),
  /** ISO 4217 code, or the URL of a custom currency. */
  currency: optional(Text),
  balance: optional(Amount),
  'available-balance': optional(Amount),
  'balance-date': optional(Amount),
})

/** Account whose `id` is unique over all organizations, unlike the account's own. */
export const SimplefinAccount = Type.Object({ id: Text, account: Account })
export type SimplefinAccount = Static<typeof SimplefinAccount>

const Movement = Type.Object({
  id: Text,
  /** May be 0 while pending. */
  posted: optional(Amount),
  amount: Amount,
  description: optional(Text),
  payee: optional(Text),
  memo: optional(Text),
  transacted_at: optional(Amount),
  pending: optional(Type.Boolean()),
  extra: optional(Type.Object({ category: optional(Text) })),
})

export const SimplefinTransaction = Type.Object({ id: Text, account: Text, currency: optional(Text), transaction: Movement })
export type SimplefinTransaction = Static<typeof SimplefinTransaction>

/** Response envelope, validated first. Servers of version 2 call the errors `errlist`. */
export const AccountSet = Type.Object({
  errors: optional(AnyList),
  errlist: optional(AnyList),
  accounts: AnyList,
})
export type AccountSet = Static<typeof AccountSet>
