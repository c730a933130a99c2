import type { Operation, ReferenceDocument } from './reference-schema.ts'

const PROBLEM_DETAILS = {
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

/** Error responses by status; `default` applies to every operation. */
const FAULTS: Record<string, { name: string; description: string }> = {
  '400': { name: 'BadRequest', description: 'The request is malformed; `errors` says where' },
  '401': { name: 'Unauthorized', description: 'A password, code or token is wrong' },
  '403': { name: 'Forbidden', description: 'The caller may not do this' },
  '404': { name: 'NotFound', description: 'There is no such thing, or it is not yours' },
  '409': { name: 'Conflict', description: 'It does not fit the state that things are in' },
  '410': { name: 'Gone', description: 'The cursor leads to changes that are no longer kept; begin again without one' },
  '412': { name: 'PreconditionFailed', description: 'It has changed since the ETag in If-Match was given; nothing was done' },
  '416': { name: 'RangeNotSatisfiable', description: 'The range begins behind the end of the file' },
  '422': { name: 'Refused', description: 'What was sent was tried elsewhere and refused there; `detail` says why' },
  '426': { name: 'UpgradeRequired', description: 'The answer is streamed, which takes HTTP/1.1 at least' },
  '429': { name: 'TooManyRequests', description: 'Too many requests; `Retry-After` says when to come again' },
  default: {
    name: 'OtherProblem',
    description:
      '401: there is no valid token. 403: the role or the scope of the key may not do this, or the request came over plain HTTP where https is wanted. ' +
      '408: the request was not sent within its time. 409, 412, 422: see the headers `Idempotency-Key` and `If-Match`. 413: the body is larger than is taken. ' +
      '415: the body is not application/json. 429: too many requests; `Retry-After` says when to come again. 431: the headers are larger than is taken. ' +
      '500: a fault of the service; `requestId` finds it in its log. 503: the service cannot answer now; `Retry-After` says when to come again.',
  },
}

/** Adds the possible errors to each operation, and their schema: written here once, not in each route. */
export function addFaults(document: ReferenceDocument): ReferenceDocument {
  const paths = Object.fromEntries(
    Object.entries(document.paths).map(([path, item]) => [
      path,
      Object.fromEntries(Object.entries(item).map(([method, operation]) => [method, withFaults(path, operation)])),
    ]),
  )
  const given = new Set(Object.values(paths).flatMap((item) => Object.values(item).flatMap(({ responses }) => Object.keys(responses))))
  const responses = Object.fromEntries(
    Object.entries(FAULTS)
      .filter(([status]) => given.has(status))
      .map(([, { name, description }]) => [
        name,
        { description, content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/ProblemDetails' } } } },
      ]),
  )
  const schemas = { ...document.components.schemas, ProblemDetails: PROBLEM_DETAILS }
  return { ...document, paths, components: { ...document.components, schemas, responses } }
}

function withFaults(path: string, operation: Operation): Operation {
  const faults = faultsOf(path, operation).map((status) => [status, { $ref: `#/components/responses/${FAULTS[status]?.name}` }])
  return {
    ...operation,
    responses: { ...operation.responses, ...Object.fromEntries(faults.filter(([status]) => !(String(status) in operation.responses))) },
  }
}

/** 400, since unknown parameters are refused everywhere, and the statuses that the path or the description mentions. */
function faultsOf(path: string, { description = '' }: Operation): string[] {
  const named = [...description.matchAll(/\b4\d\d\b/g)].map(([status]) => status).filter((status) => status in FAULTS)
  const found = path.includes('{') ? ['404'] : []
  return [...new Set(['400', ...found, ...named])].sort().concat('default')
}
