import { type Static, Type } from 'typebox'

/**
 * Schemas of hledger-web's JSON, 1.19 and later. Numbers that may exceed 15 digits arrive as text.
 * Source: Hledger.Data.Json, and the answers of hledger-web 1.25
 */

const Whole = Type.Union([Type.Integer(), Type.String({ pattern: '^-?\\d+$' })])

/**
 * `decimalMantissa` × 10^-`decimalPlaces`, rounded by the server to ten places; `floatingPoint` beside them is never
 * read.
 */
export const Quantity = Type.Object({ decimalMantissa: Whole, decimalPlaces: Type.Integer({ minimum: 0, maximum: 10 }) })
export type Quantity = Static<typeof Quantity>

const Style = Type.Object({ asprecision: Type.Optional(Type.Unknown()) })

const PlainAmount = Type.Object({
  acommodity: Type.String(),
  aquantity: Quantity,
  astyle: Type.Optional(Type.Union([Style, Type.Null()])),
})
export type PlainAmount = Static<typeof PlainAmount>

/** Cost of an amount in another commodity, per unit (`Unit…`) or for all (`Total…`). */
const Cost = Type.Union([Type.Null(), Type.Object({ tag: Type.String(), contents: PlainAmount })])

export const AmountWire = Type.Intersect([
  PlainAmount,
  /** `aprice` up to 1.40, `acost` later. */
  Type.Object({ aprice: Type.Optional(Cost), acost: Type.Optional(Cost) }),
])
export type AmountWire = Static<typeof AmountWire>

/**
 * Name and value; those of the posting's own comment first, then those of the account's declaration, then its parents'.
 */
const Tags = Type.Array(Type.Tuple([Type.String(), Type.String()]))

export const PostingWire = Type.Object({
  paccount: Type.String(),
  pamount: Type.Array(AmountWire),
  pcomment: Type.String(),
  pdate: Type.Union([Type.String(), Type.Null()]),
  ptags: Tags,
  /**
   * `RegularPosting`, `BalancedVirtualPosting` in brackets, `VirtualPosting` in parentheses, which balances with
   * nothing.
   */
  ptype: Type.String(),
})
export type PostingWire = Static<typeof PostingWire>

export const EntryWire = Type.Object({
  tdate: Type.String(),
  tdate2: Type.Union([Type.String(), Type.Null()]),
  tcode: Type.String(),
  tdescription: Type.String(),
  tpostings: Type.Array(PostingWire),
})
export type EntryWire = Static<typeof EntryWire>

/** Account as listed by `/accounts`; declarations are included from 1.32 on. */
export const ListedAccount = Type.Object({
  aname: Type.String(),
  adeclarationinfo: Type.Optional(Type.Union([Type.Null(), Type.Object({ aditags: Type.Optional(Tags) })])),
})

/** Currency of `$`, as named by the owner; absent when none was named. */
const Dollar = Type.Optional(Type.String())

/** Owner's settings for the journal, stored with the responses of a fetch so that a replay reads them the same way. */
export const Settings = Type.Object({ dollar: Type.String() })

/** Account, combined from the responses of one fetch. */
export const AccountWire = Type.Object({
  aname: Type.String(),
  /** The declared type, its own or inherited, in the journal's spelling; null when none is known. */
  type: Type.Union([Type.String(), Type.Null()]),
  /**
   * Common topmost type below the account, else around it, where all agree: a hint for accounts without a type or a
   * known name.
   */
  typeNearby: Type.Union([Type.String(), Type.Null()]),
  /** Commodity of most postings below the account; null for a tie. */
  commodity: Type.Union([Type.String(), Type.Null()]),
  dollar: Dollar,
})
export type AccountWire = Static<typeof AccountWire>

/** Amount of a posting. */
export const LineWire = Type.Object({
  origId: Type.String(),
  entryId: Type.String(),
  entry: Type.Omit(EntryWire, ['tpostings']),
  posting: Type.Omit(PostingWire, ['pamount']),
  /** Amount as written in the journal. */
  amount: AmountWire,
  /** Balancing value of the entry: the amount itself, or its cost. */
  value: Type.Object({ commodity: Type.String(), quantity: Type.String() }),
  dollar: Dollar,
})
export type LineWire = Static<typeof LineWire>
