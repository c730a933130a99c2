import { type Static, Type } from 'typebox'
import { optional } from '../toolkit/values/wire-schemas.ts'

/**
 * Schemas of Sage Accounting, API v3.1. Unknown properties and unknown enum values are allowed; only the id is
 * required.
 * Source: https://developer.sage.com/accounting/reference/ (swagger 2.0, operations getLedgerAccounts, getJournals, getFinancialSettings)
 */

const Text = optional(Type.String())
const Flag = optional(Type.Boolean())
const Numeric = Type.Union([Type.Number(), Type.String()])

/** Base object of Sage: `id` is the key, `displayed_as` the label in the language of the business. */
const Base = Type.Object({ id: Text, displayed_as: Text })

/** Ledger account with the currency of its business, which is in another response; see read.ts. */
export const AccountWire = Type.Object({
  id: Type.String({ minLength: 1 }),
  displayed_as: Text,
  name: Text,
  display_name: Text,
  nominal_code: optional(Numeric),
  ledger_account_group: optional(Base),
  ledger_account_type: optional(Base),
  ledger_account_classification: optional(Base),
  is_control_account: Flag,
  control_name: Text,
  included_in_chart: Flag,
  visible_in_banking: Flag,
  visible_in_expenses: Flag,
  visible_in_journals: Flag,
  visible_in_other_payments: Flag,
  visible_in_other_receipts: Flag,
  visible_in_reporting: Flag,
  visible_in_sales: Flag,
  updated_at: Text,
  base_currency: optional(Base),
})
export type AccountWire = Static<typeof AccountWire>

/** A line of a journal; `debit` and `credit` are both present, one of them zero. */
export const JournalLine = Type.Object({
  id: Text,
  ledger_account: Type.Object({ id: Type.String({ minLength: 1 }) }),
  details: Text,
  debit: optional(Numeric),
  credit: optional(Numeric),
})
export type JournalLine = Static<typeof JournalLine>

const JournalHeader = Type.Object({
  id: Type.String({ minLength: 1 }),
  transaction_type: optional(Base),
  date: Text,
  reference: Text,
  description: Text,
  deleted_at: Text,
  updated_at: Text,
})

export const JournalWire = Type.Object({ ...JournalHeader.properties, journal_lines: Type.Array(JournalLine) })
export type JournalWire = Static<typeof JournalWire>

/** Posting: the journal without its lines, one of the lines, and the currency of the business. */
export const PostingWire = Type.Object({
  journal: JournalHeader,
  line: JournalLine,
  /** Position of the line among all lines of the journal, from 1. */
  position: Type.Integer(),
  base_currency: optional(Base),
})
export type PostingWire = Static<typeof PostingWire>

/**
 * Response of the token endpoint.
 * Source: https://developer.sage.com/accounting/guides/authenticating/authentication/
 */
export const TokenWire = Type.Object({
  access_token: Type.String({ minLength: 1 }),
  /** Seconds. */
  expires_in: Type.Number(),
  refresh_token: Type.String({ minLength: 1 }),
})
export type TokenWire = Static<typeof TokenWire>

export const BusinessWire = Type.Object({ id: Type.String({ minLength: 1 }), name: Text, displayed_as: Text })
export const UserWire = Type.Object({ email: Text })
export const SettingsWire = Type.Object({ base_currency: optional(Base) })

/** Sealed data of an authorization. A refresh changes both tokens, never the business. */
export const SecretWire = Type.Object({ accessToken: Type.String(), refreshToken: Type.String(), businessId: Type.String() })
export type SecretWire = Static<typeof SecretWire>
