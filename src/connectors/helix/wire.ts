import { type Static, Type } from 'typebox'
import { AnyList, optional } from '../toolkit/values/wire-schemas.ts'

/**
 * Schemas of the fields that we read; further fields are allowed. A number of more than 15 digits arrives as text.
 * Unknown enum values are allowed everywhere.
 * Source: https://github.com/socialmoney (CorePro SDKs: Account, Transaction, Customer, Envelope)
 */
const Text = Type.String()
const Amount = Type.Union([Type.Number(), Type.String()])
const Id = Type.Union([Type.Integer(), Text])

export const HelixAccount = Type.Object({
  program: Text,
  account: Type.Object({
    accountId: Id,
    name: optional(Text),
    accountNumberMasked: optional(Text),
    status: optional(Text),
    type: optional(Text),
    accountBalance: optional(Amount),
    availableBalance: optional(Amount),
    interestApr: optional(Amount),
    balanceLastModifiedDate: optional(Text),
    lastModifiedDate: optional(Text),
    closedDate: optional(Text),
  }),
})
export type HelixAccount = Static<typeof HelixAccount>

export const HelixTransaction = Type.Object({
  account: Text,
  row: Type.Object({
    transactionId: Id,
    type: optional(Text),
    typeCode: optional(Text),
    status: optional(Text),
    amount: Amount,
    isCredit: Type.Boolean(),
    createdDate: optional(Text),
    settledDate: optional(Text),
    friendlyDescription: optional(Text),
    nachaDescription: optional(Text),
  }),
})
export type HelixTransaction = Static<typeof HelixTransaction>

/** Response envelope. Its records are `unknown` and are validated one by one. */
export const Envelope = Type.Object({
  data: Type.Unknown(),
  errors: optional(Type.Array(Type.Object({ code: optional(Id) }))),
  status: optional(Type.Integer()),
})
export const ListData = AnyList
export const CustomerData = Type.Object({
  customerId: Id,
  firstName: optional(Text),
  lastName: optional(Text),
  createdDate: optional(Text),
})
export const ProgramData = Type.Object({ name: optional(Text) })
