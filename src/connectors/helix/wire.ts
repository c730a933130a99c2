import { type Static, type TSchema, Type } from 'typebox'

/**
 * Schemas of the fields that we read; further fields are allowed. A number of more than 15 digits arrives as text.
 * Unknown enum values are allowed everywhere.
 * Source: https://github.com/socialmoney (CorePro SDKs: Account, Transaction, Customer, Envelope)
 */
const maybe = <T extends TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]))
const Text = Type.String()
const Amount = Type.Union([Type.Number(), Type.String()])
const Id = Type.Union([Type.Integer(), Text])

export const HelixAccount = Type.Object({
  program: Text,
  account: Type.Object({
    accountId: Id,
    name: maybe(Text),
    accountNumberMasked: maybe(Text),
    status: maybe(Text),
    type: maybe(Text),
    accountBalance: maybe(Amount),
    availableBalance: maybe(Amount),
    interestApr: maybe(Amount),
    balanceLastModifiedDate: maybe(Text),
    lastModifiedDate: maybe(Text),
    closedDate: maybe(Text),
  }),
})
export type HelixAccount = Static<typeof HelixAccount>

export const HelixTransaction = Type.Object({
  account: Text,
  row: Type.Object({
    transactionId: Id,
    type: maybe(Text),
    typeCode: maybe(Text),
    status: maybe(Text),
    amount: Amount,
    isCredit: Type.Boolean(),
    createdDate: maybe(Text),
    settledDate: maybe(Text),
    friendlyDescription: maybe(Text),
    nachaDescription: maybe(Text),
  }),
})
export type HelixTransaction = Static<typeof HelixTransaction>

/** Response envelope. Its records are `unknown` and are validated one by one. */
export const Envelope = Type.Object({
  data: Type.Unknown(),
  errors: maybe(Type.Array(Type.Object({ code: maybe(Id) }))),
  status: maybe(Type.Integer()),
})
export const ListData = Type.Array(Type.Unknown())
export const CustomerData = Type.Object({ customerId: Id, firstName: maybe(Text), lastName: maybe(Text), createdDate: maybe(Text) })
export const ProgramData = Type.Object({ name: maybe(Text) })
