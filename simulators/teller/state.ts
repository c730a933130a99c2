import { type Static, Type } from 'typebox'

const Account = Type.Object({
  id: Type.String(),
  name: Type.String(),
  type: Type.String(),
  subtype: Type.String(),
  currency: Type.String(),
  number: Type.String(),
  /** Whether the listing includes the last digits of the number; some banks do not. */
  tellsEnding: Type.Boolean(),
  status: Type.String(),
  ledgerCents: Type.Number(),
  availableCents: Type.Number(),
  movementsPerDay: Type.Number(),
})
export type Account = Static<typeof Account>

const Enrollment = Type.Object({
  id: Type.String(),
  number: Type.Number(),
  accessToken: Type.String(),
  userId: Type.String(),
  institution: Type.Object({ id: Type.String(), name: Type.String() }),
  /** First day of the history. */
  since: Type.String(),
  accounts: Type.Array(Account),
  /** Reason of the disconnection; null while connected. */
  disconnected: Type.Union([Type.String(), Type.Null()]),
  isDeleted: Type.Boolean(),
})
export type Enrollment = Static<typeof Enrollment>

export const TellerState = Type.Object({
  enrollments: Type.Array(Enrollment),
  /** Ids of transactions that the bank removed. */
  removed: Type.Array(Type.String()),
  webhookCount: Type.Number(),
})
export type TellerState = Static<typeof TellerState>
