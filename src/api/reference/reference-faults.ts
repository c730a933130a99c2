import type { Operation, ReferenceDocument } from './reference-schema.ts'

const PROBLEM = {
  type: 'object',
  description: 'Problem details (RFC 9457) with `Code` and `Message`.',
  additionalProperties: false,
  required: ['type', 'title', 'status', 'detail', 'Code', 'Message', 'requestId'],
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    Code: { type: 'integer', description: 'The status' },
    Message: { type: 'string', description: 'What is wrong, for a person' },
    requestId: { type: 'string', format: 'uuid', description: 'For asking the operator; also in the header `X-Request-Id`' },
    reason: {
      type: 'string',
      enum: ['proof-required', 'two-step-required'],
      description: 'Of a 403 that a program can act on: prove again who the user is, or set up two-step login first',
    },
    errors: {
      type: 'array',
      description: 'One entry per field with bad input',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['field', 'message'],
        properties: { field: { type: 'string' }, message: { type: 'string' } },
      },
    },
  },
  examples: [
    {
      type: 'about:blank',
      title: 'Bad Request',
      status: 400,
      detail: 'The request has invalid values.',
      Code: 400,
      Message: 'The request has invalid values.',
      requestId: '7d1f0c7e-4a7b-4f0e-9d0b-2b8a4f6f3c11',
      errors: [{ field: 'PageSize', message: 'must be <= 500' }],
    },
  ],
} as const

/** Error responses that any operation may return, by status. */
const FAULTS: Record<string, { name: string; description: string }> = {
  '400': { name: 'BadRequest', description: 'The request is malformed; `errors` says where' },
  '401': { name: 'Unauthorized', description: 'There is no valid token' },
  '403': { name: 'Forbidden', description: 'The role may not do this, or the request came over plain HTTP where https is wanted' },
  '404': { name: 'NotFound', description: 'There is no such thing, or it is not yours' },
  '408': { name: 'RequestTimeout', description: 'The request was not sent within its time' },
  '409': { name: 'Conflict', description: 'It does not fit the state that things are in' },
  '412': { name: 'PreconditionFailed', description: 'It has changed since the ETag in If-Match was given; nothing was done' },
  '413': { name: 'TooLarge', description: 'The body is larger than is taken' },
  '415': { name: 'UnsupportedMediaType', description: 'The body is not application/json' },
  '416': { name: 'RangeNotSatisfiable', description: 'The range begins behind the end of the file' },
  '422': {
    name: 'Refused',
    description:
      'What was sent was tried elsewhere and refused there, or the Idempotency-Key was used for another request; `detail` says which',
  },
  '429': { name: 'TooManyRequests', description: 'Too many requests; `Retry-After` says when to come again' },
  '431': { name: 'HeadersTooLarge', description: 'The headers are larger than is taken' },
  '500': { name: 'InternalError', description: 'A fault of the service; `requestId` finds it in its log' },
  '503': { name: 'Unavailable', description: 'The service cannot answer now; `Retry-After` says when to come again' },
}

/** Adds the possible errors to each operation, and their schema: written here once, not in each route. */
export function addFaults(document: ReferenceDocument): ReferenceDocument {
  const responses = Object.fromEntries(
    Object.values(FAULTS).map(({ name, description }) => [
      name,
      { description, content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } } },
    ]),
  )
  const paths = Object.fromEntries(
    Object.entries(document.paths).map(([path, item]) => [
      path,
      Object.fromEntries(Object.entries(item).map(([method, operation]) => [method, withFaults(path, method, operation)])),
    ]),
  )
  const schemas = { ...document.components.schemas, Problem: PROBLEM }
  return { ...document, paths, components: { ...document.components, schemas, responses } }
}

function withFaults(path: string, method: string, operation: Operation): Operation {
  const faults = faultsOf(path, method, operation).map((status) => [status, { $ref: `#/components/responses/${FAULTS[status]?.name}` }])
  return { ...operation, responses: { ...Object.fromEntries(faults), ...operation.responses } }
}

function faultsOf(path: string, method: string, operation: Operation): string[] {
  const isPublic = operation.security?.length === 0
  // 400 everywhere: unknown parameters are rejected.
  const statuses = ['400', '403', '408', '429', '431', '500', '503']
  if (!isPublic || path.includes('/auth/')) statuses.push('401')
  if (path.includes('{') || operation.requestBody) statuses.push('404')
  if (method !== 'get' || path.endsWith('/link')) statuses.push('409')
  if (path.endsWith('/{exportId}/file')) statuses.push('409', '416')
  if (method !== 'get') statuses.push('413', '415')
  if (method !== 'get' && !isPublic) statuses.push('412')
  if ((method === 'put' && path.endsWith('/keys')) || (method === 'post' && !isPublic)) statuses.push('422')
  return statuses.sort()
}
