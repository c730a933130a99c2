import { type Static, Type } from 'typebox'
import type { Json } from '../../model/values/json.ts'

/** Property with the name of the list from which a row came; explanations leave it out. */
export const LIST = 'list'

/** One row of a list of the profile; its details are included under their names. */
export const RowWire = Type.Object({ [LIST]: Type.String(), row: Type.Object({}) })
export interface RowWire {
  [LIST]: string
  row: { [name: string]: Json }
}

export const TokenWire = Type.Object({
  access_token: Type.String({ minLength: 1 }),
  /** Seconds; five minutes when the bank sends none. */
  expires_in: Type.Optional(Type.Union([Type.Number(), Type.String(), Type.Null()])),
})

/** Sealed data of a connection: the form fields, and a token where there are tokens. */
export const SecretWire = Type.Object({
  fields: Type.Record(Type.String(), Type.String()),
  accessToken: Type.Optional(Type.String()),
})
export type SecretWire = Static<typeof SecretWire>
