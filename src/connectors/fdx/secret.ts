import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { type Credentials, SourceError } from '../contract/contract.ts'

/** Sealed data of one login at one bank. */
const Secret = Type.Object({
  /** Bearer token of the data API. */
  bearer: Type.String({ minLength: 1 }),
  refreshToken: Type.Union([Type.String({ minLength: 1 }), Type.Null()]),
  /** Subject of the login: the bank's id of the user. */
  subject: Type.String({ minLength: 1 }),
  /** Bank behind an aggregator. */
  institutionId: Type.Union([Type.String(), Type.Null()]),
  institutionName: Type.Union([Type.String(), Type.Null()]),
})
export type FdxSecret = Static<typeof Secret>

const isSecret = Compile(Secret)

/** Sealed secret, validated; a mismatch is a fault of ours. */
export function readSecret(credentials: Credentials): FdxSecret {
  if (isSecret.Check(credentials.secret)) return credentials.secret
  throw new SourceError('reconnect', 'the stored credentials are not those of an FDX source')
}
