import { type Static, Type } from 'typebox'
import { secretReader } from '../toolkit/values/wire-schemas.ts'

/**
 * Stripe customer that holds the accounts of one bank; created for this connection. The operator's key gives access.
 */
const SecretWire = Type.Object({
  customer: Type.String(),
  institutionName: Type.String(),
})
export type StripeSecret = Static<typeof SecretWire>

export const readSecret = secretReader(SecretWire, 'a Stripe customer')
