import { type Static, Type } from 'typebox'
import { AnyList, optional } from '../toolkit/values/wire-schemas.ts'

/**
 * Schemas of Wave's public GraphQL API. Unknown properties and unknown enum values are allowed; only what is
 * indispensable is required.
 * Source: https://developer.waveapps.com/hc/en-us/articles/360019968212-API-Reference
 */

const Text = optional(Type.String())

export const AccountWire = Type.Object({
  id: Type.String({ minLength: 1 }),
  name: Text,
  description: Text,
  /** The owner's own number; most have none. */
  displayId: Text,
  currency: optional(Type.Object({ code: Text })),
  type: optional(Type.Object({ value: Text })),
  subtype: optional(Type.Object({ value: Text })),
  isArchived: optional(Type.Boolean()),
  /** Increases with each change. */
  sequence: optional(Type.Union([Type.Integer(), Type.String()])),
})
export type AccountWire = Static<typeof AccountWire>

const PageInfo = Type.Object({
  currentPage: Type.Integer(),
  totalPages: optional(Type.Integer()),
  totalCount: optional(Type.Integer()),
})

/** One page of a list. Edges are validated one by one, so that one invalid account does not affect the others. */
export const ConnectionWire = Type.Object({ pageInfo: PageInfo, edges: AnyList })
export type ConnectionWire = Static<typeof ConnectionWire>

export const BusinessesWire = Type.Object({
  user: optional(Type.Object({ defaultEmail: Text })),
  businesses: Type.Object({
    pageInfo: PageInfo,
    edges: Type.Array(
      Type.Object({ node: optional(Type.Object({ id: Type.String({ minLength: 1 }), name: Text, isArchived: optional(Type.Boolean()) })) }),
    ),
  }),
})

/** Response of the token endpoint. Source: https://developer.waveapps.com/hc/en-us/articles/360019493652-OAuth-Guide */
export const TokenWire = Type.Object({
  access_token: Type.String({ minLength: 1 }),
  /** Seconds. */
  expires_in: Type.Number(),
  /** Absent without the scope `offline_access`. */
  refresh_token: Type.String({ minLength: 1 }),
  /** The one business that the token covers. */
  businessId: Text,
})
export type TokenWire = Static<typeof TokenWire>

/** Sealed data of an authorization. Wave requires the callback URL at each refresh, too. */
export const SecretWire = Type.Object({
  accessToken: Type.String(),
  refreshToken: Type.String(),
  businessId: Type.String(),
  redirectUri: Type.String(),
})
export type SecretWire = Static<typeof SecretWire>
