import { type Static, Type } from 'typebox'
import { optional } from '../toolkit/values/wire-schemas.ts'

/**
 * Schemas of FreshBooks as JSON. Unknown properties and unknown enum values are allowed; only what is indispensable is
 * required.
 * Source: https://www.freshbooks.com/api/chart-of-accounts and https://github.com/amcintosh/freshbooks-python-sdk
 */

const Text = optional(Type.String())

export const AccountWire = Type.Object({
  uuid: Type.String({ minLength: 1 }),
  name: Text,
  /** `1000`, or `1000-1` for a sub-account. */
  number: Text,
  description: Text,
  /** asset, liability, equity, income, expense. */
  type: Text,
  /** One of ten names, e.g. `Cash & Bank`; see type-table.ts. */
  sub_type: Text,
  /** Role of an account created by FreshBooks; absent for the owner's own accounts. */
  system_account_name: Text,
  parent_account: Text,
  auto_created: optional(Type.Boolean()),
  state: Text,
  updated_at: Text,
  /** Currency from the report; null: missing there; empty in responses stored without a report. */
  currencyCode: Text,
})
export type AccountWire = Static<typeof AccountWire>

/** Response of the token endpoint. Source: https://www.freshbooks.com/api/authentication */
export const TokenWire = Type.Object({
  access_token: Type.String({ minLength: 1 }),
  refresh_token: Type.String({ minLength: 1 }),
  /** Seconds from `created_at`, which is in seconds since 1970. */
  expires_in: Type.Number(),
  created_at: optional(Type.Number()),
})
export type TokenWire = Static<typeof TokenWire>

/**
 * Person who authorized, and the businesses of this person.
 * Source: https://freshbooks-python-sdk.readthedocs.io/en/release-1.0.1/user_guide/authorization.html
 */
export const IdentityWire = Type.Object({
  response: Type.Object({
    email: Text,
    business_memberships: optional(Type.Array(Type.Object({ business: optional(Type.Object({ business_uuid: Text, name: Text })) }))),
  }),
})

/** Sealed data of an authorization. A refresh changes both tokens, never the business. */
export const SecretWire = Type.Object({ accessToken: Type.String(), refreshToken: Type.String(), businessUuid: Type.String() })
export type SecretWire = Static<typeof SecretWire>
