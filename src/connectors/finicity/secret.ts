import { type Static, Type } from 'typebox'
import type { Credentials } from '../contract/contract.ts'
import { secretReader } from '../toolkit/values/wire-schemas.ts'

/** Secret of one bank login. The token is the partner's own, used by this connection only. */
const SecretWire = Type.Object({
  token: Type.String({ minLength: 1 }),
  customerId: Type.String({ minLength: 1 }),
  institutionLoginId: Type.String({ minLength: 1 }),
  institutionId: Type.String({ minLength: 1 }),
})
export type FinicitySecret = Static<typeof SecretWire>

/**
 * Token lifetime in use: valid for two hours; renewed after ninety minutes.
 * Source: POST /aggregation/v2/partners/authentication
 */
const TOKEN_USE_MS = 90 * 60_000

export function toCredentials(secret: FinicitySecret, now: Date): Credentials {
  return { secret: { ...secret }, expiresAt: new Date(now.getTime() + TOKEN_USE_MS).toISOString() }
}

export const readSecret = secretReader(SecretWire, 'a Finicity login')
