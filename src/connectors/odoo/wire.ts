import { type Static, Type } from 'typebox'

/**
 * Schemas of Odoo's `search_read`: empty is `false`, a reference to one record is `[id, name]`. Fields differ between
 * the versions, so most are optional.
 * Source: https://github.com/odoo/odoo/blob/19.0/addons/account/models/account_account.py
 */

const Text = Type.Union([Type.String(), Type.Literal(false), Type.Null()])
const Reference = Type.Union([Type.Tuple([Type.Integer(), Text]), Type.Literal(false), Type.Null()])
const Flag = Type.Union([Type.Boolean(), Type.Null()])
const Amount = Type.Union([Type.Number(), Type.String()])

/** `account.account.type`, until version 15; its names in English. */
export const UserTypeWire = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  /** `other`, `receivable`, `payable`, `liquidity`. */
  type: Type.Optional(Text),
  internal_group: Type.Optional(Text),
})
export type UserTypeWire = Static<typeof UserTypeWire>

/** `account.account` with data of other responses: the company's currency and, until version 15, its type. */
export const AccountWire = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  /** Per company since version 18, and then possibly empty. */
  code: Type.Optional(Text),
  /** From version 16 on. */
  account_type: Type.Optional(Text),
  internal_group: Type.Optional(Text),
  /** Empty when the account keeps the company's currency only. */
  currency_id: Type.Optional(Reference),
  note: Type.Optional(Text),
  description: Type.Optional(Text),
  /** From version 19 on. */
  active: Type.Optional(Flag),
  /** Until version 18. */
  deprecated: Type.Optional(Flag),
  /** A receivable or payable that no customer owes, and that is owed to no supplier: taxes, owners. From version 15 on. */
  non_trade: Type.Optional(Flag),
  userType: Type.Union([UserTypeWire, Type.Null()]),
  companyCurrency: Reference,
})
export type AccountWire = Static<typeof AccountWire>

const MoveWire = Type.Object({
  id: Type.Integer(),
  /** The number in the books, `INV/2026/00012`. */
  name: Type.Optional(Text),
  date: Type.String(),
  ref: Type.Optional(Text),
  /** `entry`, `out_invoice`, …; called `type` in version 13, absent in 12. */
  move_type: Type.Optional(Text),
  type: Type.Optional(Text),
})

/** `account.move.line`, with its move. Amounts are in the company's currency. */
export const LineWire = Type.Object({
  id: Type.Integer(),
  account_id: Type.Tuple([Type.Integer(), Text]),
  debit: Amount,
  credit: Amount,
  name: Type.Optional(Text),
  partner_id: Type.Optional(Reference),
  company_currency_id: Type.Optional(Reference),
  move: MoveWire,
})
export type LineWire = Static<typeof LineWire>
