import { type Static, Type } from 'typebox'
import { optional } from '../toolkit/values/wire-schemas.ts'

/**
 * Schemas of SuiteQL responses: keys in lower case, values as text, `T` and `F` for booleans, no key for an empty
 * value. Unknown properties and unknown enum values are allowed.
 * Source: https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_157909186990.html
 */

const Text = optional(Type.String())
const Numeric = Type.Union([Type.Number(), Type.String()])

const AccountRow = Type.Object({
  id: Numeric,
  acctnumber: Text,
  /** Number and name; `accountsearchdisplaynamecopy` is the name alone. */
  accountsearchdisplayname: Text,
  accountsearchdisplaynamecopy: Text,
  fullname: Text,
  accttype: Text,
  sspecacct: Text,
  parent: optional(Numeric),
  isinactive: Text,
  issummary: Text,
  description: Text,
  currency: optional(Numeric),
})

/** Account with its currency, from another response; null when NetSuite reports none. */
export const AccountWire = Type.Object({ account: AccountRow, currency: Type.Union([Type.String(), Type.Null()]) })
export type AccountWire = Static<typeof AccountWire>

/** Accounting line of a posted transaction, with the fields of its transaction. */
export const LineRow = Type.Object({
  transaction: Numeric,
  transactionline: Numeric,
  account: Numeric,
  debit: optional(Numeric),
  credit: optional(Numeric),
  /** YYYY-MM-DD, as the query asks for it. */
  trandate: Text,
  tranid: Text,
  type: Text,
  entityname: Text,
  memo: Text,
  linememo: Text,
  subsidiary: optional(Numeric),
})
export type LineRow = Static<typeof LineRow>

export const PostingWire = Type.Object({ line: LineRow, currency: Type.Union([Type.String(), Type.Null()]) })
export type PostingWire = Static<typeof PostingWire>

export const CurrencyRow = Type.Object({ id: Numeric, symbol: Type.String(), isbasecurrency: Text })
export const SubsidiaryRow = Type.Object({ id: Numeric, currency: optional(Numeric), parent: optional(Numeric), name: Text })
export const CountRow = Type.Object({ accounts: Numeric })

/** Data of the NetSuite account that determine currencies, by id. */
export const Features = Type.Object({
  /** Symbols (ISO 4217); empty without multiple currencies. */
  currencies: Type.Record(Type.String(), Type.String()),
  /** Symbol of the base currency; null when NetSuite reports none. */
  base: Type.Union([Type.String(), Type.Null()]),
  hasCurrencies: Type.Boolean(),
  /** Currency id of each subsidiary; null without OneWorld. */
  subsidiaries: Type.Union([Type.Record(Type.String(), Type.String()), Type.Null()]),
})
export type Features = Static<typeof Features>

/**
 * Response of the token endpoint.
 * Source: https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_158081952044.html
 */
export const TokenWire = Type.Object({
  access_token: Type.String({ minLength: 1 }),
  /** Seconds. */
  expires_in: Numeric,
  /** A new one each time for public clients; missing in a refresh of the others. */
  refresh_token: optional(Type.String({ minLength: 1 })),
})
export type TokenWire = Static<typeof TokenWire>

/** Sealed data of an authorization. */
export const SecretWire = Type.Object({ accessToken: Type.String(), refreshToken: Type.String(), accountId: Type.String() })
export type SecretWire = Static<typeof SecretWire>
