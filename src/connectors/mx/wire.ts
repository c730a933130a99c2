import { type Static, type TSchema, Type } from 'typebox'

/**
 * Schemas of the fields that we read; further fields are allowed. A number of more than 15 digits arrives as text.
 * Unknown enum values are allowed everywhere.
 * Source: components/schemas of https://github.com/mxenabled/openapi (v20250224)
 */
const maybe = <T extends TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]))
const Text = Type.String()
const Flag = Type.Boolean()
const Amount = Type.Union([Type.Number(), Type.String()])

const AccountWire = Type.Object({
  guid: Text,
  account_number: maybe(Text),
  apr: maybe(Amount),
  apy: maybe(Amount),
  available_balance: maybe(Amount),
  available_credit: maybe(Amount),
  balance: maybe(Amount),
  credit_limit: maybe(Amount),
  currency_code: maybe(Text),
  day_payment_is_due: maybe(Type.Integer()),
  imported_at: maybe(Text),
  interest_rate: maybe(Amount),
  is_closed: maybe(Flag),
  is_hidden: maybe(Flag),
  loan_amount: maybe(Amount),
  matures_on: maybe(Text),
  minimum_payment: maybe(Amount),
  name: maybe(Text),
  nickname: maybe(Text),
  original_balance: maybe(Amount),
  payment_due_at: maybe(Text),
  property_type: maybe(Text),
  statement_balance: maybe(Amount),
  subtype: maybe(Text),
  type: maybe(Text),
  updated_at: maybe(Text),
})

const MemberWire = Type.Object({
  guid: Text,
  connection_status: maybe(Text),
  institution_code: maybe(Text),
  is_being_aggregated: maybe(Flag),
  name: maybe(Text),
  needs_updated_credentials: maybe(Flag),
  successfully_aggregated_at: maybe(Text),
})
export type MxMember = Static<typeof MemberWire>

const BankWire = Type.Object({ name: maybe(Text), iso_country_code: maybe(Text) })

/** Account with MX's data of the login and of the bank. */
export const MxAccount = Type.Object({ account: AccountWire, member: MemberWire, institution: maybe(BankWire) })
export type MxAccount = Static<typeof MxAccount>

/** Transaction; `defaultCurrency` is that of the bank's country. */
export const MxTransaction = Type.Object({
  transaction: Type.Object({
    guid: Text,
    account_guid: Text,
    amount: Amount,
    type: Text,
    category: maybe(Text),
    currency_code: maybe(Text),
    date: maybe(Text),
    description: maybe(Text),
    original_description: maybe(Text),
    posted_at: maybe(Text),
    status: maybe(Text),
    transacted_at: maybe(Text),
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
export const UsersAnswer = Type.Object({ users: Type.Array(Type.Object({ guid: Text, id: maybe(Text) })) })
export const WidgetAnswer = Type.Object({ widget_url: Type.Object({ url: Text }) })
export const MemberAnswer = Type.Object({ member: MemberWire })
export const MembersAnswer = Type.Object({ members: Type.Array(MemberWire), pagination: Pagination })
export const AccountsAnswer = Type.Object({ accounts: Type.Array(Type.Unknown()), pagination: Pagination })
export const TransactionsAnswer = Type.Object({ transactions: Type.Array(Type.Unknown()), pagination: Pagination })
export const BankAnswer = Type.Object({ institution: BankWire })
export const InstitutionsAnswer = Type.Object({ institutions: Type.Array(Type.Unknown()), pagination: Pagination })
export const InstitutionWire = Type.Object({
  code: Text,
  name: Text,
  iso_country_code: maybe(Text),
  is_disabled_by_client: maybe(Flag),
  is_hidden: maybe(Flag),
  url: maybe(Text),
})
export const WebhookBody = Type.Object({
  type: Text,
  action: maybe(Text),
  member_guid: maybe(Text),
  connection_status: maybe(Text),
})
export type WebhookBody = Static<typeof WebhookBody>
