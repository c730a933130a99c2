import { type Static, Type } from 'typebox'
import { optional } from '../toolkit/values/wire-schemas.ts'

/**
 * Schemas of the MYOB Business API, v2. Unknown properties and unknown enum values are allowed; only what is
 * indispensable is required.
 * Source: https://github.com/myob-oss/AccountRight_Live_API_.Net_SDK (Contracts/Version2) and https://developer.myob.com/api/myob-business-api/v2/
 */

const Text = optional(Type.String())
const Numeric = Type.Union([Type.Number(), Type.String()])

export const AccountWire = Type.Object({
  UID: Type.String({ minLength: 1 }),
  /** With the digit of the classification: `1-1100`. */
  DisplayID: Text,
  Name: Text,
  Description: Text,
  Classification: Text,
  Type: Text,
  IsActive: optional(Type.Boolean()),
  /** A heading with a total: nothing can be posted to it. */
  IsHeader: optional(Type.Boolean()),
  ForeignCurrency: optional(Type.Object({ Code: Text })),
  /** From the company file, added by read.ts. */
  baseCurrency: Type.String(),
})
export type AccountWire = Static<typeof AccountWire>

/** Amounts are in the currency of the company file. */
export const JournalLine = Type.Object({
  Account: Type.Object({ UID: Type.String({ minLength: 1 }) }),
  Amount: Numeric,
  IsCredit: Type.Boolean(),
  LineDescription: Text,
})
export type JournalLine = Static<typeof JournalLine>

const JournalHeader = Type.Object({
  UID: Type.String({ minLength: 1 }),
  DisplayID: Text,
  /** General, Sale, Purchase, CashPayment, CashReceipt, Inventory. */
  JournalType: Text,
  /** Type of the posted document: Invoice, Bill, SpendMoneyTxn, … */
  SourceTransaction: optional(Type.Object({ TransactionType: Text })),
  DateOccurred: Text,
  Description: Text,
})

export const JournalWire = Type.Object({ ...JournalHeader.properties, Lines: Type.Array(JournalLine) })
export type JournalWire = Static<typeof JournalWire>

/** Posting: the transaction without its lines, and one of the lines. */
export const PostingWire = Type.Object({
  journal: JournalHeader,
  line: JournalLine,
  /** Position of the line among all lines of the transaction, from 1: lines have no ids. */
  position: Type.Integer(),
  baseCurrency: Type.String(),
})
export type PostingWire = Static<typeof PostingWire>

export const CompanyFileWire = Type.Object({
  Id: Type.String({ minLength: 1 }),
  Name: Text,
  /** AU or NZ. */
  Country: Text,
})
export type CompanyFileWire = Static<typeof CompanyFileWire>

/** Response of the token endpoint. Source: https://apisupport.myob.com/hc/en-us/articles/360001459455 */
export const TokenWire = Type.Object({
  access_token: Type.String({ minLength: 1 }),
  /** Seconds, mostly as text. */
  expires_in: Numeric,
  refresh_token: Type.String({ minLength: 1 }),
  user: optional(Type.Object({ username: Text })),
})
export type TokenWire = Static<typeof TokenWire>

/** Sealed data of an authorization. */
export const SecretWire = Type.Object({ accessToken: Type.String(), refreshToken: Type.String(), businessId: Type.String() })
export type SecretWire = Static<typeof SecretWire>
