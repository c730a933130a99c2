import { type Static, Type } from 'typebox'
import { optional } from '../toolkit/values/wire-schemas.ts'

/**
 * Schemas of QuickBooks Online, API v3, as JSON. Unknown properties and unknown enum values are allowed; nearly
 * everything is optional there. Numbers may arrive as text (more than 15 digits).
 * Source: https://github.com/intuit/QuickBooks-V3-PHP-SDK (src/XSD/Finance.xsd)
 */

const Text = optional(Type.String())
const Numeric = Type.Union([Type.Number(), Type.String()])

/** A reference: `value` is the id (or the code, for a currency), `name` its display name. */
const Reference = Type.Object({ value: optional(Numeric), name: Text })

const MetaData = Type.Object({ CreateTime: Text, LastUpdatedTime: Text })

export const AccountWire = Type.Object({
  Id: Numeric,
  MetaData: optional(MetaData),
  Name: Text,
  Description: Text,
  Active: optional(Type.Boolean()),
  /** `Deleted` in change listings; absent otherwise. */
  status: Text,
  Classification: Text,
  AccountType: Text,
  AccountSubType: Text,
  AcctNum: Text,
  CurrencyRef: optional(Reference),
})
export type AccountWire = Static<typeof AccountWire>

/** A line that posts; a line of text only has another DetailType and no detail. */
export const PostingLine = Type.Object({
  Id: optional(Numeric),
  Description: Text,
  Amount: Numeric,
  JournalEntryLineDetail: Type.Object({
    PostingType: Type.Union([Type.Literal('Debit'), Type.Literal('Credit')]),
    AccountRef: Type.Object({ value: Numeric, name: Text }),
    Entity: optional(Type.Object({ Type: Text, EntityRef: optional(Reference) })),
  }),
})
export type PostingLine = Static<typeof PostingLine>

const EntryHeader = Type.Object({
  Id: Numeric,
  MetaData: optional(MetaData),
  DocNumber: Text,
  TxnDate: Text,
  PrivateNote: Text,
  CurrencyRef: optional(Reference),
})

/** A journal entry whose lines that post are known to be complete; see read.ts. */
export const JournalEntryWire = Type.Object({
  ...EntryHeader.properties,
  Line: Type.Array(Type.Union([PostingLine, Type.Object({ DetailType: Type.Literal('DescriptionOnly') })])),
})
export type JournalEntryWire = Static<typeof JournalEntryWire>

/** Posting: the entry without its lines, and one of the lines. */
export const PostingWire = Type.Object({
  JournalEntry: EntryHeader,
  Line: PostingLine,
  /** Position of the line among all lines of the entry, from 1. */
  position: Type.Integer(),
})
export type PostingWire = Static<typeof PostingWire>

/**
 * Response of the token endpoint.
 * Source: https://developer.intuit.com/app/developer/qbo/docs/develop/authentication-and-authorization/oauth-2.0
 */
export const TokenWire = Type.Object({
  access_token: Type.String({ minLength: 1 }),
  /** Seconds. */
  expires_in: Numeric,
  refresh_token: optional(Type.String({ minLength: 1 })),
})
export type TokenWire = Static<typeof TokenWire>

export const CompanyInfoWire = Type.Object({ CompanyInfo: Type.Object({ CompanyName: Text, LegalName: Text }) })

/** Sealed data of an authorization. */
export const SecretWire = Type.Object({ accessToken: Type.String(), refreshToken: Type.String() })
export type SecretWire = Static<typeof SecretWire>
