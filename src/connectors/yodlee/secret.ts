import { type Static, Type } from 'typebox'
import { secretReader } from '../toolkit/values/wire-schemas.ts'

/** Secret of one login at one bank. The token gives access to all logins of the user for half an hour. */
const SecretWire = Type.Object({
  /** User name at Yodlee: our id of the company. */
  loginName: Type.String({ minLength: 1 }),
  providerAccountId: Type.String({ minLength: 1 }),
  providerId: Type.String({ minLength: 1 }),
  accessToken: Type.String({ minLength: 1 }),
})
export type YodleeSecret = Static<typeof SecretWire>

export const readSecret = secretReader(SecretWire, 'a Yodlee provider account')

/** Id as text. Ids are integers; long ones come as text. Null for anything else. */
export function idText(value: unknown): string | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? String(value) : null
  return typeof value === 'string' && /^\d{1,20}$/.test(value) ? value : null
}
