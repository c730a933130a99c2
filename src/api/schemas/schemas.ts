import { type TSchema, Type } from 'typebox'
import { STATUS_CODES } from '../../model/statuses.ts'

/** An id of ours. Stricter than the format `uuid`, which also takes `urn:uuid:` and which the database would refuse. */
export const Uuid = Type.String({ format: 'uuid', pattern: '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$' })

/** UTC without an offset, as most timestamps of the API are printed. */
export const PlainTimestamp = Type.String({
  description: 'UTC, ISO 8601 without an offset',
  examples: ['2026-11-20T17:43:00.123'],
})

/** Status of a connection. */
export const ConnectionStatus = Type.Integer({ enum: [...STATUS_CODES], examples: [19] })

export function orNull<Schema extends TSchema>(schema: Schema) {
  return Type.Union([schema, Type.Null()])
}

/** A body or a set of path parameters: what is not named is refused. */
export function strict<Properties extends Record<string, TSchema>>(properties: Properties, options: Record<string, unknown> = {}) {
  return Type.Object(properties, { ...options, additionalProperties: false })
}

/** The answer 204. */
export const Nothing = Type.Null({ description: 'Done; no content' })
