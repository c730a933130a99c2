import { type Static, Type } from 'typebox'
import { optional } from '../toolkit/values/wire-schemas.ts'

/**
 * Schemas of Business Central's API v2.0. Unknown properties and unknown enum values are allowed; nearly everything is
 * optional there.
 * Source: https://learn.microsoft.com/en-us/dynamics365/business-central/dev-itpro/api-reference/v2.0/
 */

const Text = optional(Type.String())
/** Numbers of more than 15 digits arrive as text. */
const Numeric = Type.Union([Type.Number(), Type.String()])

const AccountRow = Type.Object({
  id: Type.String({ minLength: 1 }),
  number: Text,
  displayName: Text,
  /** Names in `category` and `accountType` are escaped: a space is `_x0020_`. */
  category: Text,
  subCategory: Text,
  blocked: optional(Type.Boolean()),
  accountType: Text,
  directPosting: optional(Type.Boolean()),
  lastModifiedDateTime: Text,
})

/** Account with the currency of its company: all amounts of a ledger are in the one local currency. */
export const AccountWire = Type.Object({
  account: AccountRow,
  /** `currencyCode` of the company information; null when absent. */
  currencyCode: Type.Union([Type.String(), Type.Null()]),
})
export type AccountWire = Static<typeof AccountWire>

/** One line of the general ledger; entries.ts groups lines into entries. */
export const LedgerLine = Type.Object({
  /** A GUID; in API v1.0 the entry number. */
  id: Type.Union([Type.String({ minLength: 1 }), Type.Number()]),
  entryNumber: Type.Integer({ minimum: 0 }),
  postingDate: Text,
  documentNumber: Text,
  /** Escaped like `category`. */
  documentType: Text,
  accountId: Type.String({ minLength: 1 }),
  accountNumber: Text,
  description: Text,
  debitAmount: optional(Numeric),
  creditAmount: optional(Numeric),
  lastModifiedDateTime: Text,
})
export type LedgerLine = Static<typeof LedgerLine>

export const PostingWire = Type.Object({
  line: LedgerLine,
  /** Entry number of the first line of the entry. */
  entryNumber: Type.Integer(),
  currencyCode: Type.Union([Type.String(), Type.Null()]),
})
export type PostingWire = Static<typeof PostingWire>

/** Source: https://learn.microsoft.com/en-us/dynamics365/business-central/dev-itpro/webservices/api-get-environments */
export const EnvironmentRow = Type.Object({
  aadTenantId: Type.String({ minLength: 1 }),
  name: Type.String({ minLength: 1 }),
  type: Text,
})

export const CompanyRow = Type.Object({ id: Type.String({ minLength: 1 }), name: Text, displayName: Text })

export const CompanyInformationRow = Type.Object({ currencyCode: Text })

/** Answer of Entra's token endpoint. Source: https://learn.microsoft.com/en-us/entra/identity-platform/v2-oauth2-auth-code-flow */
export const TokenWire = Type.Object({
  access_token: Type.String({ minLength: 1 }),
  /** Seconds. */
  expires_in: Numeric,
  refresh_token: optional(Type.String({ minLength: 1 })),
})
export type TokenWire = Static<typeof TokenWire>

/** Sealed data of an authorization: the tokens and the path of the company. */
export const SecretWire = Type.Object({
  accessToken: Type.String(),
  refreshToken: Type.String(),
  tenantId: Type.String(),
  environment: Type.String(),
  companyId: Type.String(),
})
export type SecretWire = Static<typeof SecretWire>
