import { type Static, Type } from 'typebox'
import { secretReader } from '../toolkit/values/wire-schemas.ts'

/** The secret of one enrollment: a login at one bank. */
const SecretWire = Type.Object({
  accessToken: Type.String(),
  enrollmentId: Type.String(),
  institutionId: Type.String(),
})
export type TellerSecret = Static<typeof SecretWire>

export const readSecret = secretReader(SecretWire, 'a Teller enrollment')
