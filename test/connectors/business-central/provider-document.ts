import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import addFormats from 'ajv-formats'
import { OpenAPIBackend } from 'openapi-backend'
import { parse } from 'yaml'

/** Microsoft's own description of the API, kept beside the checkout. There is one of v1.0 only. */
const DOCUMENT_FILE = fileURLToPath(new URL('../../../../shared/specs/accounting/businesscentral-BCOAS1.0.yaml', import.meta.url))
export const HAS_DOCUMENT = existsSync(DOCUMENT_FILE)

const PATHS = [
  '/companies',
  '/companies({company_id})/accounts',
  '/companies({company_id})/companyInformation',
  '/companies({company_id})/generalLedgerEntries',
]

interface Node {
  [key: string]: unknown
}

export interface ProviderDocument {
  /** Why a GET is not one of the document's; null when it is. `path` begins behind `/api/v2.0`. */
  requestProblem(path: string, query: URLSearchParams): string | null
  responseProblem(path: string, body: unknown): string | null
}

/** Loads the document, keeps the four lists that are read, and writes into it what v2.0 changed. */
export async function loadProviderDocument(): Promise<ProviderDocument> {
  const whole = asNode(parse(readFileSync(DOCUMENT_FILE, 'utf8')))
  const document = { ...whole, security: [], paths: Object.fromEntries(PATHS.map((path) => [path, asNode(whole.paths)[path]])) }
  patch(document)
  const backend = new OpenAPIBackend({
    // Parentheses would be read as a group by the router, so the id is a part of its own here.
    definition: JSON.parse(JSON.stringify(document).replaceAll('companies({company_id})', 'companies/{company_id}')),
    quick: true,
    strict: false,
    validate: true,
    ajvOpts: { strict: false },
    customizeAjv: (ajv) => {
      addFormats.default(ajv)
      ajv.addFormat('decimal', true)
      return ajv
    },
  })
  await backend.init()
  const operationAt = (path: string) => {
    const plain = path.replace(/^\/companies\(([^)]+)\)/, '/companies/$1')
    return { plain, operation: backend.router.matchOperation({ method: 'get', path: plain, headers: {} }) }
  }
  return {
    requestProblem: (path, query) => {
      const { plain, operation } = operationAt(path)
      if (!operation) return `the document has no ${path}`
      const result = backend.validator.validateRequest({ method: 'get', path: plain, query: toQuery(query), headers: {} }, operation)
      return result.valid ? null : JSON.stringify(result.errors)
    },
    responseProblem: (path, body) => {
      const { operation } = operationAt(path)
      if (!operation) return `the document has no ${path}`
      const result = backend.validator.validateResponse(body, operation, 200)
      return result.valid ? null : JSON.stringify(result.errors)
    },
  }
}

/** The differences between v1.0 and v2.0 that Microsoft's pages tell; everything else is held as it stands. */
function patch(document: Node): void {
  const entry = asNode(at(document, ['components', 'schemas', 'generalLedgerEntry', 'properties']))
  entry.id = { type: 'string', format: 'uuid' }
  entry.entryNumber = { type: 'integer' }
  entry.postingDate = { type: 'string', format: 'date' }
  const account = asNode(at(document, ['components', 'schemas', 'account', 'properties']))
  account.accountType = { type: 'string', enum: ['Posting', 'Heading', 'Total', 'Begin_x002D_Total', 'End_x002D_Total'] }
  account.directPosting = { type: 'boolean' }
  account.category = {
    enum: ['_x0020_', 'Assets', 'Liabilities', 'Equity', 'Income', 'Cost_x0020_of_x0020_Goods_x0020_Sold', 'Expense'],
  }
  for (const path of PATHS) {
    const parameters = at(document, ['paths', path, 'get', 'parameters'])
    if (!Array.isArray(parameters)) throw new Error(`${path} has no parameters`)
    parameters.push({ name: '$orderby', in: 'query', schema: { type: 'string' } })
    parameters.push(
      { name: '$skiptoken', in: 'query', schema: { type: 'string' } },
      { name: 'aid', in: 'query', schema: { type: 'string' } },
    )
    const select = asNode(parameters.find((parameter) => asNode(parameter).name === '$select'))
    const words = at(select, ['schema', 'items', 'enum'])
    if (Array.isArray(words) && path.endsWith('/accounts')) words.push('accountType', 'directPosting')
  }
}

/** `$select` is one list with commas (`explode: false`). */
function toQuery(query: URLSearchParams): Record<string, string | string[]> {
  return Object.fromEntries([...query].map(([name, value]) => [name, name === '$select' ? value.split(',') : value]))
}

function at(node: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, name) => asNode(inner)[name], node)
}

function asNode(value: unknown): Node {
  if (typeof value !== 'object' || value === null) throw new Error('the document lacks a part')
  return value as Node
}
