import { type Static, Type } from 'typebox'
import { optional } from '../toolkit/values/wire-schemas.ts'

/**
 * Schemas of Zoho Books, API v3. Unknown properties and unknown enum values are allowed; an absent value is mostly the
 * empty text. Numbers may arrive as text (more than 15 digits), times as `2026-06-09T09:14:46-0400`.
 * Source: https://www.zoho.com/books/api/v3/chart-of-accounts/ and https://www.zoho.com/books/api/v3/journals/
 */

const Text = optional(Type.String())
const Numeric = Type.Union([Type.Number(), Type.String()])
/** Ids have 18 digits: a number would lose some. */
const Id = Type.String({ minLength: 1 })

export const AccountWire = Type.Object({
  account_id: Id,
  account_name: Text,
  account_code: Text,
  account_type: Text,
  description: Text,
  currency_code: Text,
  /**
   * Currency from the organization or the list of bank accounts; null: a bank account or card with unknown currency.
   */
  currencyCode: Text,
  is_active: optional(Type.Boolean()),
  last_modified_time: Text,
})
export type AccountWire = Static<typeof AccountWire>

/** Amounts are positive, in the currency of the journal. */
const JournalLine = Type.Object({
  line_id: Id,
  account_id: Id,
  customer_name: Text,
  description: Text,
  debit_or_credit: Type.Union([Type.Literal('debit'), Type.Literal('credit')]),
  amount: Numeric,
})

/** Tax is posted besides the lines, to an account that is not named. */
const Tax = Type.Object({ tax_amount: optional(Numeric) })

const JournalHeader = Type.Object({
  journal_id: Id,
  journal_date: Text,
  entry_number: Text,
  reference_number: Text,
  notes: Text,
  currency_code: Text,
  status: Text,
  last_modified_time: Text,
})

export const JournalWire = Type.Object({
  ...JournalHeader.properties,
  line_items: Type.Array(JournalLine),
  taxes: optional(Type.Array(Tax)),
})
export type JournalWire = Static<typeof JournalWire>

/** Posting: the journal without its lines, and one of the lines. */
export const PostingWire = Type.Object({ journal: JournalHeader, line: JournalLine })
export type PostingWire = Static<typeof PostingWire>

export const OrganizationsWire = Type.Object({
  organizations: Type.Array(Type.Object({ organization_id: Id, name: Text })),
})
export type OrganizationWire = Static<typeof OrganizationsWire>['organizations'][number]

export const PageContextWire = Type.Object({
  page_context: Type.Object({ page: optional(Type.Integer()), has_more_page: Type.Boolean() }),
})

/**
 * Response of the token endpoint; a refresh brings no new refresh token.
 * Source: https://www.zoho.com/books/api/v3/oauth/
 */
export const TokenWire = Type.Object({
  access_token: Type.String({ minLength: 1 }),
  /** Seconds. */
  expires_in: Numeric,
  refresh_token: optional(Type.String({ minLength: 1 })),
  api_domain: Text,
})
export type TokenWire = Static<typeof TokenWire>

/** Sealed data of an authorization. */
export const SecretWire = Type.Object({
  accessToken: Type.String(),
  refreshToken: Type.String(),
  /** Data centres where the tokens are valid: the value for that of the sign-in, and of the API. */
  accountsAt: Type.String(),
  apiAt: Type.String(),
})
export type SecretWire = Static<typeof SecretWire>
