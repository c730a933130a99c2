import { type Static, Type } from 'typebox'
import { AnyList, optional } from '../toolkit/values/wire-schemas.ts'

/**
 * Schemas of the fields that we read; further fields are allowed. A number of more than 15 digits arrives as text.
 * Unknown enum values are allowed everywhere.
 * Source: components/schemas of https://github.com/plaid/plaid-openapi (2020-09-14)
 */
const Text = Type.String()
const Amount = Type.Union([Type.Number(), Type.String()])

const AccountWire = Type.Object({
  account_id: Text,
  persistent_account_id: optional(Text),
  balances: Type.Object({
    available: optional(Amount),
    current: optional(Amount),
    limit: optional(Amount),
    iso_currency_code: optional(Text),
    unofficial_currency_code: optional(Text),
    last_updated_datetime: optional(Text),
  }),
  mask: optional(Text),
  name: optional(Text),
  official_name: optional(Text),
  type: optional(Text),
  subtype: optional(Text),
  holder_category: optional(Text),
})

const CreditWire = Type.Object({
  aprs: optional(Type.Array(Type.Object({ apr_percentage: optional(Amount), apr_type: optional(Text) }))),
  last_statement_balance: optional(Amount),
  minimum_payment_amount: optional(Amount),
  next_payment_due_date: optional(Text),
})

const MortgageWire = Type.Object({
  interest_rate: optional(Type.Object({ percentage: optional(Amount) })),
  maturity_date: optional(Text),
  next_monthly_payment: optional(Amount),
  next_payment_due_date: optional(Text),
  origination_principal_amount: optional(Amount),
})

const StudentWire = Type.Object({
  interest_rate_percentage: optional(Amount),
  minimum_payment_amount: optional(Amount),
  next_payment_due_date: optional(Text),
  expected_payoff_date: optional(Text),
  origination_principal_amount: optional(Amount),
})

const UpdateStatus = optional(Type.Object({ last_successful_update: optional(Text) }))

/** Account joined with its liability and its item: the data of /accounts/get, /liabilities/get and /item/get. */
export const PlaidAccount = Type.Object({
  account: AccountWire,
  credit: optional(CreditWire),
  mortgage: optional(MortgageWire),
  student: optional(StudentWire),
  item: Type.Object({ institution_id: optional(Text), institution_name: optional(Text) }),
  status: optional(Type.Object({ transactions: UpdateStatus, investments: UpdateStatus })),
})
export type PlaidAccount = Static<typeof PlaidAccount>

export const PlaidTransaction = Type.Object({
  transaction_id: Text,
  account_id: Text,
  amount: Amount,
  iso_currency_code: optional(Text),
  unofficial_currency_code: optional(Text),
  date: Text,
  authorized_date: optional(Text),
  name: optional(Text),
  original_description: optional(Text),
  merchant_name: optional(Text),
  counterparties: optional(Type.Array(Type.Object({ name: optional(Text) }))),
  category: optional(Type.Array(Text)),
  personal_finance_category: optional(Type.Object({ primary: optional(Text), detailed: optional(Text) })),
  pending: Type.Boolean(),
  pending_transaction_id: optional(Text),
})
export type PlaidTransaction = Static<typeof PlaidTransaction>

/** Response envelopes, validated first. Their records are `unknown` and are validated one by one. */
export const LinkTokenCreated = Type.Object({ link_token: Text, hosted_link_url: Text })
export const LinkTokenState = Type.Object({
  link_sessions: Type.Optional(
    Type.Array(
      Type.Object({
        on_success: optional(
          Type.Object({
            public_token: Text,
            metadata: optional(
              Type.Object({ institution: optional(Type.Object({ institution_id: optional(Text), name: optional(Text) })) }),
            ),
          }),
        ),
        results: optional(
          Type.Object({
            item_add_results: Type.Array(
              Type.Object({
                public_token: Text,
                institution: optional(Type.Object({ institution_id: optional(Text), name: optional(Text) })),
              }),
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
    institution_id: optional(Text),
    institution_name: optional(Text),
    error: optional(Type.Object({ error_code: Text })),
  }),
})

export const AccountsAnswer = Type.Object({ accounts: AnyList })
export const ItemStatusAnswer = Type.Object({ item: Type.Object({}), status: optional(Type.Object({})) })
export const LiabilitiesAnswer = Type.Object({
  liabilities: Type.Object({
    credit: optional(AnyList),
    mortgage: optional(AnyList),
    student: optional(AnyList),
  }),
})
export const SyncAnswer = Type.Object({
  added: AnyList,
  modified: AnyList,
  removed: Type.Array(Type.Object({ transaction_id: Text })),
  next_cursor: Text,
  has_more: Type.Boolean(),
})
export const InstitutionsAnswer = Type.Object({ institutions: AnyList, total: Type.Integer({ minimum: 0 }) })
export const InstitutionWire = Type.Object({
  institution_id: Text,
  name: Text,
  country_codes: Type.Array(Text),
  routing_numbers: optional(Type.Array(Text)),
  url: optional(Text),
})
export const VerificationKeyAnswer = Type.Object({
  key: Type.Object({
    alg: Type.Literal('ES256'),
    kty: Type.Literal('EC'),
    crv: Type.Literal('P-256'),
    x: Text,
    y: Text,
    expired_at: optional(Type.Integer()),
  }),
})
export type VerificationKeyAnswer = Static<typeof VerificationKeyAnswer>
export const WebhookBody = Type.Object({
  webhook_type: Text,
  webhook_code: Text,
  item_id: optional(Text),
  link_token: optional(Text),
  status: optional(Text),
  error: optional(Type.Object({ error_code: optional(Text) })),
})
export type WebhookBody = Static<typeof WebhookBody>
