import { type Static, type TSchema, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { Check } from 'typebox/value'
import { type Credentials, SourceError } from '../../contract/contract.ts'

/** Property that a source may omit or send as `null`, with the same meaning. */
export function optional<T extends TSchema>(schema: T) {
  return Type.Optional(Type.Union([schema, Type.Null()]))
}

/**
 * List in the envelope of a response, whatever its items are. `Type.Array(Type.Unknown())` looks at each of them: half a
 * second for a million, in one step.
 */
export const AnyList = Type.Unsafe<unknown[]>({ type: 'array' })

/** Validates the envelope of a response; another shape throws `badData`, so that it is never taken for an empty list. */
export function checkEnvelope<T extends TSchema>(envelope: T, value: unknown, what: string): Static<T> {
  if (Check(envelope, value)) return value
  throw new SourceError('badData', `${what}: the answer does not have the expected shape`)
}

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
