import { IF_MATCH_LENGTH } from '../http/preconditions.ts'
import { addFaults } from './reference-faults.ts'
import { joinPaths } from './reference-paths.ts'
import { type Operation, type Parameter, type ReferenceDocument, referenceDocument } from './reference-schema.ts'

/**
 * Parts of our OpenAPI document that the reference page shows, with errors added. Throws when a route has no `summary`,
 * `operationId`, tag or response, so that no operation stays undocumented.
 */
export function readReference(generated: unknown): ReferenceDocument {
  return addExamples(addFaults(withIfMatch(withIdempotency(joinPaths(check(generated)), IDEMPOTENCY_KEY))))
}

/** The same for operators’ own document. */
export function readOperatorReference(generated: unknown): ReferenceDocument {
  return addExamples(addFaults(withIfMatch(withIdempotency(joinPaths(check(generated)), OPERATORS_IDEMPOTENCY_KEY))))
}

function check(generated: unknown): ReferenceDocument {
  if (referenceDocument.Check(generated)) return generated
  const [first] = referenceDocument.Errors(generated)
  throw new Error(`the routes make no whole reference: ${first?.instancePath ?? ''} ${first?.message ?? ''}`)
}

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'Any text of 1 to 255 printable ASCII characters, such as a UUID, the caller’s own. For 24 hours the same request with the same key is answered with the same status, headers and body, marked by `Idempotent-Replayed`, ' +
    'and is done once. 422 for another request with the key; 409 with `Retry-After` while the first is under way. After a 429 or a 5xx the key is free for the same request, ' +
    'and after the end of a process within 15 seconds; what the first has made by then is given, not made again.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
}

const OPERATORS_IDEMPOTENCY_KEY = {
  ...IDEMPOTENCY_KEY,
  description: `${IDEMPOTENCY_KEY.description} It counts once the sign-in is complete; before that it is ignored.`,
}

/** Adds the idempotency header to every POST of a caller. */
function withIdempotency(reference: ReferenceDocument, header: Parameter): ReferenceDocument {
  const paths = Object.entries(reference.paths).map(([path, item]) => {
    const { post } = item
    if (!post || post.security?.length === 0) return [path, item]
    return [path, { ...item, post: { ...post, parameters: [...(post.parameters ?? []), header] } }]
  })
  return { ...reference, paths: Object.fromEntries(paths) }
}

const IF_MATCH = {
  name: 'If-Match',
  in: 'header',
  description:
    'ETag of the resource as its GET gave it (for its keys or logo, and for a POST below it, that of the resource above them; for a connection that of its `/status`), or `*`. 412 and no change when it has changed since, and where nothing can be compared. ' +
    'Without it the change is made whatever the state. Values that change by themselves, such as when a feed was last looked at, are not part of the ETag.',
  schema: { type: 'string', maxLength: IF_MATCH_LENGTH },
}

/** Adds the precondition to every PUT, DELETE and POST of a caller. */
function withIfMatch(reference: ReferenceDocument): ReferenceDocument {
  const add = (operation: Operation | undefined) =>
    operation && operation.security?.length !== 0 ? { ...operation, parameters: [...(operation.parameters ?? []), IF_MATCH] } : operation
  const paths = Object.entries(reference.paths).map(([path, item]) => {
    const changes = Object.entries({ put: add(item.put), delete: add(item.delete), post: add(item.post) }).filter(
      ([, operation]) => operation,
    )
    return [path, { ...item, ...Object.fromEntries(changes) }]
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
