import { type Static, type TSchema, Type } from 'typebox'

/**
 * The shapes of NetSuite's SuiteQL answers: keys in lower case, values as text, `T` and `F` for yes and no, and no key
 * at all for what is empty. Unknown properties and unknown words are welcome.
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

/** An account and its currency, looked up; null where NetSuite does not say. */
export const AccountWire = Type.Object({ account: AccountRow, currency: Type.Union([Type.String(), Type.Null()]) })
export type AccountWire = Static<typeof AccountWire>

/** One accounting line of a posted transaction, with what its transaction says. */
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

/** What an account has, as far as it decides currencies; by id. */
export const Features = Type.Object({
  /** Symbols (ISO 4217); empty without multiple currencies. */
  currencies: Type.Record(Type.String(), Type.String()),
  /** Symbol of the base currency; null where NetSuite does not say. */
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

function optional<T extends TSchema>(schema: T) {
  return Type.Optional(Type.Union([schema, Type.Null()]))
}
