import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { FastifyInstance } from 'fastify'

/** The part of an OpenAPI document that tests read. */
export interface ApiDocument {
  openapi: string
  info: { contact?: { name: string } }
  tags?: { name: string; description?: string }[]
  paths: Record<string, Record<string, DocumentedOperation>>
  webhooks: Record<string, object>
  components: { schemas: Record<string, object>; responses: Record<string, DocumentedAnswer>; examples: object; securitySchemes: object }
}

interface DocumentedParameter {
  name: string
  in: string
  required?: boolean
  schema: object
  example?: unknown
}

/** All operations of the served documents, each with its parameters. */
export async function readDocument(app: Pick<FastifyInstance, 'inject'>): Promise<ApiDocument> {
  const read = async (name: string) => (await app.inject({ url: `/admin/api/${name}.json` })).json<Served>()
  const [api, administration] = [await read('openapi'), await read('administration')]
  const components = {
    schemas: { ...api.components.schemas, ...administration.components.schemas },
    responses: { ...api.components.responses, ...administration.components.responses },
    examples: { ...api.components.examples, ...administration.components.examples },
    securitySchemes: { ...api.components.securitySchemes, ...administration.components.securitySchemes },
  }
  const paths = { ...api.paths, ...administration.paths }
  for (const path of Object.keys(api.paths)) paths[path] = { ...api.paths[path], ...administration.paths[path] }
  const parameters = { ...api.components.parameters, ...administration.components.parameters }
  const expanded = Object.entries(paths).map(([path, item]) => [path, expandParameters(item, parameters)])
  return { ...api, tags: [...(api.tags ?? []), ...(administration.tags ?? [])], paths: Object.fromEntries(expanded), components }
}

type Served = ApiDocument & { components: { parameters?: Record<string, DocumentedParameter> } }

function expandParameters(item: ApiDocument['paths'][string], shared: Record<string, DocumentedParameter>): ApiDocument['paths'][string] {
  const expand = (parameter: DocumentedParameter | { $ref: string }) => {
    const found = '$ref' in parameter ? shared[parameter.$ref.split('/').at(-1) ?? ''] : parameter
    if (!found) throw new Error(`the document has no parameter ${JSON.stringify(parameter)}`)
    return found
  }
  return Object.fromEntries(
    Object.entries(item).map(([method, operation]) => [method, { ...operation, parameters: (operation.parameters ?? []).map(expand) }]),
  )
}

export interface DocumentedOperation {
  operationId: string
  summary?: string
  description?: string
  tags?: string[]
  security?: unknown[]
  parameters?: DocumentedParameter[]
  requestBody?: { content: Record<string, { schema: object }> }
  responses: Record<string, DocumentedAnswer | { $ref: string }>
}

interface DocumentedAnswer {
  description: string
  content?: Record<string, { schema?: object }>
}

/** A validator of JSON Schema 2020-12, the dialect of OpenAPI 3.1. */
export function schemaValidator(): Ajv2020 {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats.default(ajv)
  return ajv
}

/** How a response differs from the document for its operation and status, as text; null if it does not. */
export function answerFault(
  document: ApiDocument,
  operationId: string,
  response: { statusCode: number; headers: Record<string, unknown>; body: string },
): string | null {
  const found = findAnswer(document, operationId, { ...response, payload: response.body })
  if (found === null || typeof found === 'string') return found
  const ajv = schemaValidator()
  const validate = ajv.compile({ ...found, components: document.components })
  return validate(toContent(response.headers, response.body))
    ? null
    : `${operationId} ${response.statusCode}: ${ajv.errorsText(validate.errors)}`
}

/** Body as the document describes it: JSON is parsed, other types are texts. */
export function toContent(headers: Record<string, unknown>, body: string): unknown {
  return /^application\/(problem\+)?json\b/.test(String(headers['content-type'])) ? JSON.parse(body) : body
}

/**
 * Schema in the document for a response; null if it correctly has no body, a text if the document has no such
 * response.
 */
export function findAnswer(
  document: ApiDocument,
  operationId: string,
  answer: { statusCode: number; headers: Record<string, unknown>; payload: string },
): object | string | null {
  const operation = Object.values(document.paths)
    .flatMap((item) => Object.values(item))
    .find((candidate) => candidate.operationId === operationId)
  if (!operation) return `there is no operation ${operationId}`
  const said = operation.responses[String(answer.statusCode)] ?? (answer.statusCode >= 400 ? operation.responses.default : undefined)
  if (!said) return `${operationId} does not say that it answers ${answer.statusCode}`
  const declared = '$ref' in said ? document.components.responses[said.$ref.split('/').at(-1) ?? ''] : said
  if (!declared?.content) return answer.payload === '' ? null : `${operationId} says that ${answer.statusCode} has no body`
  const [type = ''] = String(answer.headers['content-type']).split(';')
  return (
    declared.content[type]?.schema ??
    (answer.payload === '' ? null : `${operationId} does not say that ${answer.statusCode} can be ${type}`)
  )
}
