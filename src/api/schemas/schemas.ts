import { type TSchema, Type } from 'typebox'
import { STATUS_CODES } from '../../model/statuses.ts'

export { orNull, PlainTimestamp, Uuid } from '../../model/records/fields.ts'

/** Status of a connection. */
export const ConnectionStatus = Type.Integer({ title: 'StatusCode', enum: [...STATUS_CODES], examples: [19] })

/** Body or path parameters without additional properties. */
export function strict<Properties extends Record<string, TSchema>>(properties: Properties, options: Record<string, unknown> = {}) {
  return Type.Object(properties, { ...options, additionalProperties: false })
}

/** Response 204. */
export const NoContent = Type.Null({ description: 'Done; no content' })
