import type { Static, TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { type Credentials, SourceError } from '../contract/contract.ts'

/**
 * Validating reader of a connector's sealed secret; another shape is our own fault and asks the owner to authorize
 * again.
 */
export function secretReader<Schema extends TSchema>(schema: Schema, source: string): (credentials: Credentials) => Static<Schema> {
  const isSecret = Compile(schema)
  return ({ secret }) => {
    if (!isSecret.Check(secret)) throw new SourceError('reconnect', `the stored credentials are not those of ${source}`)
    return secret
  }
}
