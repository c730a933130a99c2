import { type Static, Type } from 'typebox'
import { optional } from '../toolkit/values/wire-schemas.ts'

/**
 * Schemas of Xero's accounting API, version 2.0, as JSON. Unknown properties and unknown enum values are allowed;
 * nearly everything is optional there. Numbers may arrive as text (more than 15 digits), dates as
 * `/Date(1573755038314+0000)/`.
 * Source: https://github.com/XeroAPI/Xero-OpenAPI/blob/master/xero_accounting.yaml
 */

const Text = optional(Type.String())
const Numeric = Type.Union([Type.Number(), Type.String()])
const Id = Type.String({ minLength: 1 })

/** Organisation's base currency: everything but a bank account is in it. */
const Organisation = Type.Object({ BaseCurrency: Text })

export const OrganisationsWire = Type.Object({ Organisations: Type.Array(Organisation, { minItems: 1 }) })

export const AccountWire = Type.Object({
  Account: Type.Object({
    AccountID: Id,
    Code: Text,
    Name: Text,
    Description: Text,
    Type: Text,
    Class: Text,
    Status: Text,
    BankAccountType: Text,
    SystemAccount: Text,
    ReportingCode: Text,
    CurrencyCode: Text,
    UpdatedDateUTC: Text,
  }),
  Organisation,
})
export type AccountWire = Static<typeof AccountWire>

/** A debit is positive, a credit negative; tax is a separate line. */
const JournalLine = Type.Object({
  JournalLineID: Id,
  AccountID: Id,
  Description: Text,
  NetAmount: Numeric,
})

const JournalHeader = Type.Object({
  JournalID: Id,
  JournalNumber: Numeric,
  JournalDate: Text,
  Reference: Text,
  SourceType: Text,
  CreatedDateUTC: Text,
})

export const JournalWire = Type.Object({ ...JournalHeader.properties, JournalLines: Type.Array(JournalLine) })
export type JournalWire = Static<typeof JournalWire>

/** A debit is positive, a credit negative; tax is an amount beside the line, and its account is not named. */
const ManualJournalLine = Type.Object({
  AccountID: Id,
  Description: Text,
  LineAmount: Numeric,
  TaxAmount: optional(Numeric),
})

const ManualJournalHeader = Type.Object({
  ManualJournalID: Id,
  Narration: Text,
  Date: Text,
  Status: Text,
  UpdatedDateUTC: Text,
})

const BlankLine = Type.Object({ IsBlank: Type.Literal(true) })
export const ManualJournalWire = Type.Object({
  ...ManualJournalHeader.properties,
  JournalLines: Type.Array(Type.Union([BlankLine, ManualJournalLine])),
})
export type ManualJournalWire = Static<typeof ManualJournalWire>

/** Posting: the entry without its lines, and one of the lines. */
export const PostingWire = Type.Union([
  Type.Object({ Journal: JournalHeader, Line: JournalLine, Organisation }),
  Type.Object({
    ManualJournal: ManualJournalHeader,
    Line: ManualJournalLine,
    /** Position of the line among all lines of the entry, from 1; these lines have no id. */
    position: Type.Integer(),
    Organisation,
  }),
])
export type PostingWire = Static<typeof PostingWire>

/** Response of the token endpoint. Source: https://github.com/XeroAPI/Xero-OpenAPI/blob/master/xero-identity.yaml */
export const TokenWire = Type.Object({
  access_token: Type.String({ minLength: 1 }),
  /** Seconds. */
  expires_in: Numeric,
  refresh_token: Type.String({ minLength: 1 }),
})
export type TokenWire = Static<typeof TokenWire>

/** Connections of a login to the app. */
export const ConnectionsWire = Type.Array(
  Type.Object({ id: Id, tenantId: Id, tenantType: Text, tenantName: Text, authEventId: Text, updatedDateUtc: Text }),
)
export type ConnectionWire = Static<typeof ConnectionsWire>[number]

/** Sealed data of an authorization. `connectionId` is Xero's handle of the organisation within it. */
export const SecretWire = Type.Object({ accessToken: Type.String(), refreshToken: Type.String(), connectionId: Type.String() })
export type SecretWire = Static<typeof SecretWire>
