import { type Static, type TSchema, Type } from 'typebox'

/**
 * Schemas of the fields that we read; further fields are allowed. A number of more than 15 digits arrives as text.
 * Unknown enum values are allowed everywhere.
 * Source: components/schemas of https://github.com/plaid/plaid-openapi (2020-09-14)
 */
const maybe = <T extends TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]))
const Text = Type.String()
const Amount = Type.Union([Type.Number(), Type.String()])

const AccountWire = Type.Object({
  account_id: Text,
  persistent_account_id: maybe(Text),
  balances: Type.Object({
    available: maybe(Amount),
    current: maybe(Amount),
    limit: maybe(Amount),
    iso_currency_code: maybe(Text),
    unofficial_currency_code: maybe(Text),
    last_updated_datetime: maybe(Text),
  }),
  mask: maybe(Text),
  name: maybe(Text),
  official_name: maybe(Text),
  type: maybe(Text),
  subtype: maybe(Text),
  holder_category: maybe(Text),
})

const CreditWire = Type.Object({
  aprs: maybe(Type.Array(Type.Object({ apr_percentage: maybe(Amount), apr_type: maybe(Text) }))),
  last_statement_balance: maybe(Amount),
  minimum_payment_amount: maybe(Amount),
  next_payment_due_date: maybe(Text),
})

const MortgageWire = Type.Object({
  interest_rate: maybe(Type.Object({ percentage: maybe(Amount) })),
  maturity_date: maybe(Text),
  next_monthly_payment: maybe(Amount),
  next_payment_due_date: maybe(Text),
  origination_principal_amount: maybe(Amount),
})

const StudentWire = Type.Object({
  interest_rate_percentage: maybe(Amount),
  minimum_payment_amount: maybe(Amount),
  next_payment_due_date: maybe(Text),
  expected_payoff_date: maybe(Text),
  origination_principal_amount: maybe(Amount),
})

const UpdateStatus = maybe(Type.Object({ last_successful_update: maybe(Text) }))

/** Account joined with its liability and its item: the data of /accounts/get, /liabilities/get and /item/get. */
export const PlaidAccount = Type.Object({
  account: AccountWire,
  credit: maybe(CreditWire),
  mortgage: maybe(MortgageWire),
  student: maybe(StudentWire),
  item: Type.Object({ institution_id: maybe(Text), institution_name: maybe(Text) }),
  status: maybe(Type.Object({ transactions: UpdateStatus, investments: UpdateStatus })),
})
export type PlaidAccount = Static<typeof PlaidAccount>

export const PlaidTransaction = Type.Object({
  transaction_id: Text,
  account_id: Text,
  amount: Amount,
  iso_currency_code: maybe(Text),
  unofficial_currency_code: maybe(Text),
  date: Text,
  authorized_date: maybe(Text),
  name: maybe(Text),
  original_description: maybe(Text),
  merchant_name: maybe(Text),
  counterparties: maybe(Type.Array(Type.Object({ name: maybe(Text) }))),
  category: maybe(Type.Array(Text)),
  personal_finance_category: maybe(Type.Object({ primary: maybe(Text), detailed: maybe(Text) })),
  pending: Type.Boolean(),
  pending_transaction_id: maybe(Text),
})
export type PlaidTransaction = Static<typeof PlaidTransaction>

/** Response envelopes, validated first. Their records are `unknown` and are validated one by one. */
export const LinkTokenCreated = Type.Object({ link_token: Text, hosted_link_url: Text })
export const LinkTokenState = Type.Object({
  link_sessions: Type.Optional(
    Type.Array(
      Type.Object({
        on_success: maybe(
          Type.Object({
            public_token: Text,
            metadata: maybe(Type.Object({ institution: maybe(Type.Object({ institution_id: maybe(Text), name: maybe(Text) })) })),
          }),
        ),
        results: maybe(
          Type.Object({
            item_add_results: Type.Array(
              Type.Object({ public_token: Text, institution: maybe(Type.Object({ institution_id: maybe(Text), name: maybe(Text) })) }),
            ),
          }),
        ),
      }),
    ),
  ),
})
export type LinkTokenState = Static<typeof LinkTokenState>
export const TokenExchanged = Type.Object({ access_token: Text, item_id: Text })
export const ItemAnswer = Type.Object({
  item: Type.Object({
    item_id: Text,
    institution_id: maybe(Text),
    institution_name: maybe(Text),
    error: maybe(Type.Object({ error_code: Text })),
  }),
})

export const AccountsAnswer = Type.Object({ accounts: Type.Array(Type.Unknown()) })
export const ItemStatusAnswer = Type.Object({ item: Type.Object({}), status: maybe(Type.Object({})) })
export const LiabilitiesAnswer = Type.Object({
  liabilities: Type.Object({
    credit: maybe(Type.Array(Type.Unknown())),
    mortgage: maybe(Type.Array(Type.Unknown())),
    student: maybe(Type.Array(Type.Unknown())),
  }),
})
export const SyncAnswer = Type.Object({
  added: Type.Array(Type.Unknown()),
  modified: Type.Array(Type.Unknown()),
  removed: Type.Array(Type.Object({ transaction_id: Text })),
  next_cursor: Text,
  has_more: Type.Boolean(),
})
export const InstitutionsAnswer = Type.Object({ institutions: Type.Array(Type.Unknown()), total: Type.Integer({ minimum: 0 }) })
export const InstitutionWire = Type.Object({
  institution_id: Text,
  name: Text,
  country_codes: Type.Array(Text),
  routing_numbers: maybe(Type.Array(Text)),
  url: maybe(Text),
})
export const VerificationKeyAnswer = Type.Object({
  key: Type.Object({
    alg: Type.Literal('ES256'),
    kty: Type.Literal('EC'),
    crv: Type.Literal('P-256'),
    x: Text,
    y: Text,
    expired_at: maybe(Type.Integer()),
  }),
})
export type VerificationKeyAnswer = Static<typeof VerificationKeyAnswer>
export const WebhookBody = Type.Object({
  webhook_type: Text,
  webhook_code: Text,
  item_id: maybe(Text),
  link_token: maybe(Text),
  status: maybe(Text),
  error: maybe(Type.Object({ error_code: maybe(Text) })),
})
export type WebhookBody = Static<typeof WebhookBody>
