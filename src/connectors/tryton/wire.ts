import { type Static, Type } from 'typebox'
import type { Json } from '../../model/values/json.ts'

/**
 * Schemas of Tryton's JSON-RPC, as returned by `search_read`. Exact decimals, days and instants are objects with
 * `__class__`; a boolean is 0 or 1 where the database is SQLite; a field read through a reference (`party.name`) is
 * inside `party.`.
 * Source: trytond/protocols/jsonrpc.py and modules/account of trytond 6.0
 */

/** Any record of a result. */
export type Row = { [key: string]: Json }

const Text = Type.Union([Type.String(), Type.Null()])
const Flag = Type.Union([Type.Boolean(), Type.Number(), Type.Null()])
const Reference = Type.Union([Type.Integer(), Type.Null()])
const CurrencyOf = Type.Union([Type.Object({ code: Text }), Type.Null()])

export const TrytonDecimal = Type.Object({ __class__: Type.Literal('Decimal'), decimal: Type.String() })

const TrytonDate = Type.Object({ __class__: Type.Literal('date'), year: Type.Integer(), month: Type.Integer(), day: Type.Integer() })

/** UTC or the zone of the database's session; compared only with values of the same column. */
export const TrytonStamp = Type.Object({
  __class__: Type.Literal('datetime'),
  year: Type.Integer(),
  month: Type.Integer(),
  day: Type.Integer(),
  hour: Type.Integer(),
  minute: Type.Integer(),
  second: Type.Integer(),
  microsecond: Type.Integer(),
})
export type TrytonStamp = Static<typeof TrytonStamp>

/** `account.account.type`: a line of the balance sheet or the income statement, in a tree. */
export const TypeWire = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  /** `balance`, `income`, `off-balance`; null at the root of a tree. */
  statement: Text,
  assets: Flag,
  receivable: Flag,
  stock: Flag,
  payable: Flag,
  debt: Type.Optional(Flag),
  revenue: Flag,
  expense: Flag,
  parent: Reference,
})
export type TypeWire = Static<typeof TypeWire>

/** `account.account`, with its type resolved: the type that counts first, then its parents up to the root. */
export const AccountWire = Type.Object({
  id: Type.Integer(),
  code: Text,
  name: Type.String(),
  note: Type.Optional(Text),
  closed: Flag,
  active: Flag,
  /** Null for a view account, which only adds up its children. */
  type: Reference,
  'currency.': CurrencyOf,
  typePath: Type.Array(TypeWire),
  /**
   * Names of the accounts above, the nearest first, without the root of the chart; read only where the type holds both
   * sides.
   */
  groups: Type.Optional(Type.Array(Type.String())),
})
export type AccountWire = Static<typeof AccountWire>

const MoveWire = Type.Object({
  id: Type.Integer(),
  number: Type.Optional(Text),
  /** The number in the books, given at posting; newer versions have `number` only. */
  post_number: Type.Optional(Text),
  date: TrytonDate,
  description: Text,
  /** `model,id` of the document that made the entry, e.g. `account.invoice,12`. */
  origin: Text,
  'journal.': Type.Union([Type.Object({ name: Text, type: Type.Optional(Text) }), Type.Null()]),
})

/** `account.move.line`, with its move. */
export const LineWire = Type.Object({
  id: Type.Integer(),
  account: Type.Integer(),
  debit: TrytonDecimal,
  credit: TrytonDecimal,
  description: Type.Optional(Text),
  'party.': Type.Union([Type.Object({ name: Text }), Type.Null()]),
  'account.': Type.Union([Type.Object({ 'currency.': CurrencyOf }), Type.Null()]),
  move: MoveWire,
})
export type LineWire = Static<typeof LineWire>
