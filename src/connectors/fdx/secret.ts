import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { type Credentials, SourceError } from '../contract/contract.ts'

/** What one login at one bank left with us. */
const Secret = Type.Object({
  /** The token that opens the data. */
  bearer: Type.String({ minLength: 1 }),
  refreshToken: Type.Union([Type.String({ minLength: 1 }), Type.Null()]),
  /** Whose login it is, in the bank's own words. */
  subject: Type.String({ minLength: 1 }),
  /** The bank behind an aggregator. */
  institutionId: Type.Union([Type.String(), Type.Null()]),
  institutionName: Type.Union([Type.String(), Type.Null()]),
})
export type FdxSecret = Static<typeof Secret>

const isSecret = Compile(Secret)

/** The sealed secret, checked; another shape is our own fault. */
export function readSecret(credentials: Credentials): FdxSecret {
  if (isSecret.Check(credentials.secret)) return credentials.secret
  throw new SourceError('reconnect', 'the stored credentials are not those of an FDX source')
}
