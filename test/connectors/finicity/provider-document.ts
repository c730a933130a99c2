import { existsSync } from 'node:fs'
import { Ajv, type ValidateFunction } from 'ajv'
import { asSchema, at, readDocument, type Schema, sharedFile, withFormats } from '../../harness/openapi.ts'

/** Mastercard's own description of the API, kept outside the repository. */
const DOCUMENT_FILE = sharedFile('specs/banking/finicity-mastercard-openbanking-us.yaml')
export const SAMPLES_FOLDER = sharedFile('samples/banking/finicity')
export const HAS_DOCUMENT = existsSync(DOCUMENT_FILE)
export const HAS_SAMPLES = existsSync(SAMPLES_FOLDER)

export interface RecordedExchange {
  method: string
  /** Address with its query. */
  url: string
  headers: Readonly<Record<string, string>>
  body: string
  status: number
  type: string
  answer: string
}

export interface ProviderDocument {
  /** Method and path template of the operation of a call; null if there is none. */
  operationOf(exchange: Pick<RecordedExchange, 'method' | 'url'>): string | null
  /** Problems of a request; empty if there are none. */
  requestProblems(exchange: RecordedExchange): string[]
  answerProblems(exchange: RecordedExchange): string[]
  schemaProblem(name: string, value: unknown): string | null
}

/** Loads the 2 MB document; validators are compiled on use. */
export function loadProviderDocument(): ProviderDocument {
  const document = readDocument(DOCUMENT_FILE)
  // The document says `object` and "can be returned as a number or a string", and shows a string.
  at(document, ['components', 'schemas', 'ErrorMessage', 'properties']).code = {}
  const ajv = withFormats(new Ajv({ strict: false, validateSchema: false, coerceTypes: false }))
  ajv.addSchema({ $id: 'finicity', components: document.components })
  const compiled = new Map<string, ValidateFunction>()
  const problem = (schema: unknown, value: unknown): string | null => {
    const text = JSON.stringify(schema).replaceAll('"#/', '"finicity#/')
    const validate = compiled.get(text) ?? ajv.compile(asSchema(JSON.parse(text)))
    compiled.set(text, validate)
    return validate(value) ? null : JSON.stringify(validate.errors)
  }
  const paths = asSchema(document.paths)
  const templates = Object.keys(paths).map((path) => ({ path, pattern: new RegExp(`^${path.replace(/\{[^}]+\}/g, '[^/]+')}$`) }))

  const find = ({ method, url }: Pick<RecordedExchange, 'method' | 'url'>) => {
    const { pathname } = new URL(url)
    const fitting = templates.filter(({ path, pattern }) => pattern.test(pathname) && method.toLowerCase() in asSchema(paths[path]))
    // A template without parameters is the better match.
    const [best] = fitting.sort((a, b) => a.path.split('{').length - b.path.split('{').length)
    return best ? { path: best.path, operation: asSchema(asSchema(paths[best.path])[method.toLowerCase()]) } : null
  }
  const resolve = (node: unknown): Schema => {
    const schema = asSchema(node)
    return typeof schema.$ref === 'string' ? resolve(at(document, schema.$ref.slice(2).split('/'))) : schema
  }

  return {
    operationOf: (exchange) => {
      const found = find(exchange)
      return found ? `${exchange.method} ${found.path}` : null
    },
    requestProblems: (exchange) => {
      const found = find(exchange)
      if (!found) return [`no operation ${exchange.method}`]
      const parameters = [...listOf(asSchema(paths[found.path]).parameters), ...listOf(found.operation.parameters)].map(resolve)
      const query = new URL(exchange.url).searchParams
      const known = parameters.filter((parameter) => parameter.in === 'query').map((parameter) => String(parameter.name))
      const problems = [...query.keys()].filter((name) => !known.includes(name)).map((name) => `unknown parameter ${name}`)
      for (const parameter of parameters.filter((each) => each.in === 'query')) {
        const value = query.get(String(parameter.name))
        if (value === null) {
          if (parameter.required === true) problems.push(`missing parameter ${parameter.name}`)
          continue
        }
        const wrong = problem(parameter.schema, asTyped(resolve(parameter.schema), value))
        if (wrong) problems.push(`${parameter.name}: ${wrong}`)
      }
      if (exchange.method === 'POST' && found.operation.requestBody) {
        const content = asSchema(resolve(found.operation.requestBody).content)
        const wrong = problem(asSchema(content['application/json']).schema, JSON.parse(exchange.body || '{}'))
        if (wrong) problems.push(wrong)
      }
      return problems
    },
    answerProblems: (exchange) => {
      const found = find(exchange)
      if (!found) return [`no operation ${exchange.method}`]
      const response = asSchema(found.operation.responses)[String(exchange.status)]
      if (response === undefined) return [`no answer ${exchange.status}`]
      const content = resolve(response).content
      if (content === undefined) return exchange.answer === '' ? [] : ['an answer where none belongs']
      const kind = asSchema(content)[exchange.type.split(';')[0] ?? '']
      if (kind === undefined) return [`no answer of type ${exchange.type}`]
      const wrong = problem(asSchema(kind).schema, exchange.type.startsWith('text/') ? exchange.answer : JSON.parse(exchange.answer))
      return wrong ? [wrong] : []
    },
    schemaProblem: (name, value) => problem({ $ref: `#/components/schemas/${name}` }, value),
  }
}

function asTyped(schema: Schema, value: string): unknown {
  if (schema.type === 'integer' || schema.type === 'number') return Number(value)
  return schema.type === 'boolean' ? value === 'true' : value
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}
