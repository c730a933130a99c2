import type { Static, TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { type Credentials, SourceError } from '../contract/contract.ts'

/** Reads the sealed secret of a connector, checked; another shape than its own is our own fault and asks the owner anew. */
export function secretReader<Schema extends TSchema>(schema: Schema, source: string): (credentials: Credentials) => Static<Schema> {
  const isSecret = Compile(schema)
  return ({ secret }) => {
    if (!isSecret.Check(secret)) throw new SourceError('reconnect', `the stored credentials are not those of ${source}`)
    return secret
  }
}
