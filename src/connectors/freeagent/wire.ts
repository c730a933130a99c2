import { type Static, Type } from 'typebox'
import { optional } from '../toolkit/values/wire-schemas.ts'

/**
 * Schemas of FreeAgent, API v2, as JSON. Unknown properties and unknown enum values are allowed; only what is
 * indispensable is required. Decimals are text.
 * Source: https://dev.freeagent.com/docs/categories, …/bank_accounts, …/transactions, …/company, …/users, …/oauth
 */

const Text = optional(Type.String())
const Numeric = Type.Union([Type.Number(), Type.String()])

const CategoryWire = Type.Object({
  /** URL whose last part is the id: the nominal code, or `750-65345` for a sub-account. */
  url: Type.String({ minLength: 1 }),
  description: Text,
  nominal_code: Text,
  group_description: Text,
  /** URL of the bank account of a sub-account of 750. */
  bank_account: Text,
})

export const BankAccountWire = Type.Object({
  url: Type.String({ minLength: 1 }),
  /** StandardBankAccount, CreditCardAccount, EcommerceAccount, … */
  type: Text,
  currency: Text,
  /** active or hidden. */
  status: Text,
})
export type BankAccountWire = Static<typeof BankAccountWire>

/** Company data of a chart. */
const BooksWire = Type.Object({
  /** UkLimitedCompany, UkSoleTrader, UniversalCompany, … */
  type: Text,
  currency: Text,
})
export type BooksWire = Static<typeof BooksWire>

/** Category with its group, its bank account if it has one, and its company data. */
export const AccountWire = Type.Object({
  category: CategoryWire,
  /** Key of its list, e.g. `income_categories`. */
  group: Type.String(),
  bankAccount: Type.Union([BankAccountWire, Type.Null()]),
  company: BooksWire,
})
export type AccountWire = Static<typeof AccountWire>

export const CompanyWire = Type.Object({
  company: Type.Object({
    id: optional(Numeric),
    subdomain: Text,
    name: Text,
    ...BooksWire.properties,
    company_start_date: Text,
    freeagent_start_date: Text,
    first_accounting_year_end: Text,
    annual_accounting_periods: optional(Type.Array(Type.Object({ starts_on: Type.String(), ends_on: Type.String() }))),
  }),
})
export type CompanyWire = Static<typeof CompanyWire>

export const UserWire = Type.Object({ user: Type.Object({ email: Text, permission_level: optional(Type.Integer()) }) })

export const TransactionWire = Type.Object({
  url: Type.String({ minLength: 1 }),
  dated_on: Type.String(),
  description: Text,
  /** URL of the category. */
  category: Type.String({ minLength: 1 }),
  /** Amount in the company's own currency; a credit is negative. */
  debit_value: Numeric,
  /** URL of the invoice, bill, … that posted it; some have none. */
  source_item_url: Text,
  updated_at: Text,
})
export type TransactionWire = Static<typeof TransactionWire>

/** Posting with its entry. */
export const PostingWire = Type.Object({ transaction: TransactionWire, entryId: Type.String(), company: BooksWire })
export type PostingWire = Static<typeof PostingWire>

export const TokenWire = Type.Object({
  access_token: Type.String({ minLength: 1 }),
  /** Seconds. */
  expires_in: Type.Number(),
  refresh_token: optional(Type.String({ minLength: 1 })),
})
export type TokenWire = Static<typeof TokenWire>

/** Sealed data of an authorization. */
export const SecretWire = Type.Object({ accessToken: Type.String(), refreshToken: Type.String() })
export type SecretWire = Static<typeof SecretWire>
