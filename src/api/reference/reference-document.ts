import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { addFaults } from './reference-faults.ts'
import { joinPaths } from './reference-paths.ts'

const SchemaPart = Type.Object({
  type: Type.Optional(Type.Unknown()),
  description: Type.Optional(Type.String()),
  enum: Type.Optional(Type.Array(Type.Unknown())),
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
  servers: Type.Array(Type.Object({ url: Type.String() }), { minItems: 1 }),
  paths: Type.Record(Type.String(), Type.Record(Type.String(), Operation)),
  webhooks: Type.Record(Type.String(), Type.Object({ post: Operation })),
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

const document = Compile(Document)
const schemaPart = Compile(SchemaPart)

/**
 * Parts of our OpenAPI document that the reference page shows, with errors added. Throws when a route has no `summary`,
 * `operationId`, tag or response, so that no operation stays undocumented.
 */
export function readReference(generated: unknown): ReferenceDocument {
  if (document.Check(generated)) return addExamples(addFaults(withIdempotency(joinPaths(generated))))
  const [first] = document.Errors(generated)
  throw new Error(`the routes make no whole reference: ${first?.instancePath ?? ''} ${first?.message ?? ''}`)
}

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'Any text of 1 to 255 printable ASCII characters, such as a UUID, the caller’s own. For 24 hours the same request with the same key is answered with the same status and body, marked by `Idempotent-Replayed`, ' +
    'and is done once. 422 for another request with the key; 409 while the first is under way, or when it failed inside and nobody knows whether it was done.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
}

/** Adds the idempotency header to every POST of a caller. */
function withIdempotency(reference: ReferenceDocument): ReferenceDocument {
  const paths = Object.entries(reference.paths).map(([path, item]) => {
    const { post } = item
    if (!post || post.security?.length === 0) return [path, item]
    return [path, { ...item, post: { ...post, parameters: [...(post.parameters ?? []), IDEMPOTENCY_KEY] } }]
  })
  return { ...reference, paths: Object.fromEntries(paths) }
}

/** Adds a valid example to each query parameter, so that generated requests are valid. */
function addExamples(reference: ReferenceDocument): ReferenceDocument {
  const withExample = (parameter: Parameter): Parameter => {
    const { examples, default: usual, enum: words } = parameter.schema
    const example = examples?.[0] ?? usual ?? words?.[0]
    return parameter.in !== 'query' || example === undefined ? parameter : { ...parameter, example }
  }
  const paths = Object.entries(reference.paths).map(([path, item]) => [
    path,
    Object.fromEntries(
      Object.entries(item).map(([method, operation]) => [
        method,
        { ...operation, parameters: (operation.parameters ?? []).map(withExample) },
      ]),
    ),
  ])
  return { ...reference, paths: Object.fromEntries(paths) }
}

/** Narrows a nested schema; anything else becomes an empty one. */
export function toSchemaPart(value: unknown): SchemaPart {
  return schemaPart.Check(value) ? value : {}
}
