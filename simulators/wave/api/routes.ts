import { jsonReply, type Reply } from '../../kit/http/response.ts'
import { DocumentError, parseDocument } from './graphql-document.ts'
import { runQuery, type Schema, ValidationError } from './graphql-execution.ts'

/**
 * POST /graphql/public: `{ query, variables }` as JSON. Errors of single fields come with status 200, alongside the
 * data.
 */
export function answerGraphql(body: string, schema: Schema): Reply {
  const call = readCall(body)
  if (call === null) return jsonReply(400, errorBody('BAD_REQUEST', 'POST body missing or not a GraphQL request.'))
  try {
    const { data, errors } = runQuery(schema, parseDocument(call.query), call.variables)
    return jsonReply(200, errors.length > 0 ? { errors, data } : { data })
  } catch (error) {
    if (error instanceof DocumentError) return jsonReply(400, errorBody('GRAPHQL_PARSE_FAILED', error.message))
    if (error instanceof ValidationError) return jsonReply(400, errorBody('GRAPHQL_VALIDATION_FAILED', error.message))
    throw error
  }
}

/** A body with a single error and no data. */
export function errorBody(code: string, message: string): object {
  return { errors: [{ message, extensions: { code } }] }
}

function readCall(body: string): { query: string; variables: Record<string, unknown> } | null {
  try {
    const { query, variables } = { query: null, variables: null, ...Object(JSON.parse(body)) }
    return typeof query === 'string' ? { query, variables: { ...Object(variables) } } : null
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}
