import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'

const SchemaPart = Type.Object({
  type: Type.Optional(Type.Unknown()),
  description: Type.Optional(Type.String()),
  enum: Type.Optional(Type.Array(Type.Unknown())),
  const: Type.Optional(Type.Unknown()),
  default: Type.Optional(Type.Unknown()),
  format: Type.Optional(Type.String()),
  minimum: Type.Optional(Type.Number()),
  maximum: Type.Optional(Type.Number()),
  minLength: Type.Optional(Type.Number()),
  maxLength: Type.Optional(Type.Number()),
  required: Type.Optional(Type.Array(Type.String())),
  properties: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  items: Type.Optional(Type.Unknown()),
  anyOf: Type.Optional(Type.Array(Type.Unknown())),
  examples: Type.Optional(Type.Array(Type.Unknown())),
})

const Parameter = Type.Object({
  name: Type.String(),
  in: Type.String(),
  required: Type.Optional(Type.Boolean()),
  description: Type.Optional(Type.String()),
  schema: SchemaPart,
  example: Type.Optional(Type.Unknown()),
})

const Media = Type.Object({
  schema: Type.Optional(SchemaPart),
  example: Type.Optional(Type.Unknown()),
  examples: Type.Optional(Type.Record(Type.String(), Type.Object({ value: Type.Optional(Type.Unknown()) }))),
})

const Answer = Type.Object({
  description: Type.Optional(Type.String()),
  content: Type.Optional(Type.Record(Type.String(), Media)),
})

const Operation = Type.Object({
  operationId: Type.String(),
  summary: Type.String(),
  description: Type.Optional(Type.String()),
  tags: Type.Array(Type.String(), { minItems: 1 }),
  security: Type.Optional(Type.Array(Type.Unknown())),
  parameters: Type.Optional(Type.Array(Parameter)),
  requestBody: Type.Optional(Type.Object({ content: Type.Record(Type.String(), Media) })),
  responses: Type.Record(Type.String(), Answer),
})

const Document = Type.Object({
  openapi: Type.String(),
  info: Type.Object({ title: Type.String(), version: Type.String(), description: Type.Optional(Type.String()) }),
  tags: Type.Optional(Type.Array(Type.Object({ name: Type.String(), description: Type.Optional(Type.String()) }))),
  servers: Type.Array(Type.Object({ url: Type.String() }), { minItems: 1 }),
  paths: Type.Record(Type.String(), Type.Record(Type.String(), Operation)),
  webhooks: Type.Record(Type.String(), Type.Object({ post: Operation })),
  security: Type.Array(Type.Unknown()),
  components: Type.Object({
    schemas: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    responses: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  }),
})

export type ReferenceDocument = Static<typeof Document>
export type Operation = Static<typeof Operation>
export type Parameter = Static<typeof Parameter>
export type SchemaPart = Static<typeof SchemaPart>
export type Media = Static<typeof Media>

/** Whether a generated document is one that the reference can show. */
export const referenceDocument = Compile(Document)
const schemaPart = Compile(SchemaPart)

/** Narrows a nested schema; anything else becomes an empty one. */
export function toSchemaPart(value: unknown): SchemaPart {
  return schemaPart.Check(value) ? value : {}
}
