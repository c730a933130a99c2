import { type Static, Type } from 'typebox'
import { AnyList, optional } from '../toolkit/values/wire-schemas.ts'

/**
 * Schemas of the fields that we read; further fields are allowed. A number of more than 15 digits arrives as text.
 * Unknown enum values are allowed everywhere.
 * Source: components/schemas of https://github.com/mxenabled/openapi (v20250224)
 */
const Text = Type.String()
const Flag = Type.Boolean()
const Amount = Type.Union([Type.Number(), Type.String()])

const AccountWire = Type.Object({
  guid: Text,
  account_number: optional(Text),
  apr: optional(Amount),
  apy: optional(Amount),
  available_balance: optional(Amount),
  available_credit: optional(Amount),
  balance: optional(Amount),
  credit_limit: optional(Amount),
  currency_code: optional(Text),
  day_payment_is_due: optional(Type.Integer()),
  imported_at: optional(Text),
  interest_rate: optional(Amount),
  is_closed: optional(Flag),
  is_hidden: optional(Flag),
  loan_amount: optional(Amount),
  matures_on: optional(Text),
  minimum_payment: optional(Amount),
  name: optional(Text),
  nickname: optional(Text),
  original_balance: optional(Amount),
  payment_due_at: optional(Text),
  property_type: optional(Text),
  statement_balance: optional(Amount),
  subtype: optional(Text),
  type: optional(Text),
  updated_at: optional(Text),
})

const MemberWire = Type.Object({
  guid: Text,
  connection_status: optional(Text),
  institution_code: optional(Text),
  is_being_aggregated: optional(Flag),
  name: optional(Text),
  needs_updated_credentials: optional(Flag),
  successfully_aggregated_at: optional(Text),
})
export type MxMember = Static<typeof MemberWire>

const BankWire = Type.Object({ name: optional(Text), iso_country_code: optional(Text) })

/** Account with MX's data of the login and of the bank. */
export const MxAccount = Type.Object({ account: AccountWire, member: MemberWire, institution: optional(BankWire) })
export type MxAccount = Static<typeof MxAccount>

/** Transaction; `defaultCurrency` is that of the bank's country. */
export const MxTransaction = Type.Object({
  transaction: Type.Object({
    guid: Text,
    account_guid: Text,
    amount: Amount,
    type: Text,
    category: optional(Text),
    currency_code: optional(Text),
    date: optional(Text),
    description: optional(Text),
    original_description: optional(Text),
    posted_at: optional(Text),
    status: optional(Text),
    transacted_at: optional(Text),
  }),
  defaultCurrency: Text,
})
export type MxTransaction = Static<typeof MxTransaction>

/** Response envelopes, validated first. Their records are `unknown` and are validated one by one. */
export const Pagination = Type.Object({
  current_page: Type.Integer({ minimum: 1 }),
  total_entries: Type.Integer({ minimum: 0 }),
  total_pages: Type.Integer({ minimum: 0 }),
})
export type Pagination = Static<typeof Pagination>
export const UserAnswer = Type.Object({ user: Type.Object({ guid: Text }) })
export const UsersAnswer = Type.Object({ users: Type.Array(Type.Object({ guid: Text, id: optional(Text) })) })
export const WidgetAnswer = Type.Object({ widget_url: Type.Object({ url: Text }) })
export const MemberAnswer = Type.Object({ member: MemberWire })
export const MembersAnswer = Type.Object({ members: Type.Array(MemberWire), pagination: Pagination })
export const AccountsAnswer = Type.Object({ accounts: AnyList, pagination: Pagination })
export const TransactionsAnswer = Type.Object({ transactions: AnyList, pagination: Pagination })
export const BankAnswer = Type.Object({ institution: BankWire })
export const InstitutionsAnswer = Type.Object({ institutions: AnyList, pagination: Pagination })
export const InstitutionWire = Type.Object({
  code: Text,
  name: Text,
  iso_country_code: optional(Text),
  is_disabled_by_client: optional(Flag),
  is_hidden: optional(Flag),
  url: optional(Text),
})
export const WebhookBody = Type.Object({
  type: Text,
  action: optional(Text),
  member_guid: optional(Text),
  connection_status: optional(Text),
})
export type WebhookBody = Static<typeof WebhookBody>
