import { type Static, Type } from 'typebox'
import type { Json } from '../../model/values/json.ts'

/** The name of the list that a row stood in: ours and no part of the record, so that no explanation counts it among what was read. */
export const LIST = Symbol('list')

/** One row of a list of the profile; what the details said lies in it under their names. */
export const RowWire = Type.Object({ row: Type.Object({}) })
export interface RowWire {
  row: { [name: string]: Json }
  [LIST]: string
}

export const TokenWire = Type.Object({
  access_token: Type.String({ minLength: 1 }),
  /** Seconds; five minutes when the bank does not say. */
  expires_in: Type.Optional(Type.Union([Type.Number(), Type.String(), Type.Null()])),
})

/** What we keep of a connection, sealed: what was typed, and a token where there are tokens. */
export const SecretWire = Type.Object({
  fields: Type.Record(Type.String(), Type.String()),
  accessToken: Type.Optional(Type.String()),
})
export type SecretWire = Static<typeof SecretWire>
