import { existsSync } from 'node:fs'
import { asSchema, at, openBackend, problemOf, readDocument, type Schema, sharedFile } from '../../harness/openapi.ts'

/** Microsoft's own description of the API, kept outside the repository. It only covers v1.0. */
const DOCUMENT_FILE = sharedFile('specs/accounting/businesscentral-BCOAS1.0.yaml')
export const HAS_DOCUMENT = existsSync(DOCUMENT_FILE)

const PATHS = [
  '/companies',
  '/companies({company_id})/accounts',
  '/companies({company_id})/companyInformation',
  '/companies({company_id})/generalLedgerEntries',
]

export interface ProviderDocument {
  /** Why a GET does not match the document; null if it does. `path` starts after `/api/v2.0`. */
  requestProblem(path: string, query: URLSearchParams): string | null
  responseProblem(path: string, body: unknown): string | null
}

/** Loads the document, reduces it to the four lists that are read, and applies the changes of v2.0. */
export async function loadProviderDocument(): Promise<ProviderDocument> {
  const whole = readDocument(DOCUMENT_FILE)
  const document = { ...whole, security: [], paths: Object.fromEntries(PATHS.map((path) => [path, asSchema(whole.paths)[path]])) }
  patch(document)
  const backend = await openBackend(
    // The router would parse parentheses as a group, so the id becomes a path segment here.
    JSON.parse(JSON.stringify(document).replaceAll('companies({company_id})', 'companies/{company_id}')),
    { formats: { decimal: () => true } },
  )
  const operationAt = (path: string) => {
    const plain = path.replace(/^\/companies\(([^)]+)\)/, '/companies/$1')
    return { plain, operation: backend.router.matchOperation({ method: 'get', path: plain, headers: {} }) }
  }
  return {
    requestProblem: (path, query) => {
      const { plain, operation } = operationAt(path)
      if (!operation) return `the document has no ${path}`
      return problemOf(backend.validator.validateRequest({ method: 'get', path: plain, query: toQuery(query), headers: {} }, operation))
    },
    responseProblem: (path, body) => {
      const { operation } = operationAt(path)
      if (!operation) return `the document has no ${path}`
      return problemOf(backend.validator.validateResponse(body, operation, 200))
    },
  }
}

/** Differences between v1.0 and v2.0 according to Microsoft's pages; everything else stays as written. */
function patch(document: Schema): void {
  const entry = asSchema(at(document, ['components', 'schemas', 'generalLedgerEntry', 'properties']))
  entry.id = { type: 'string', format: 'uuid' }
  entry.entryNumber = { type: 'integer' }
  entry.postingDate = { type: 'string', format: 'date' }
  const account = asSchema(at(document, ['components', 'schemas', 'account', 'properties']))
  account.accountType = { type: 'string', enum: ['Posting', 'Heading', 'Total', 'Begin_x002D_Total', 'End_x002D_Total'] }
  account.directPosting = { type: 'boolean' }
  account.category = {
    enum: ['_x0020_', 'Assets', 'Liabilities', 'Equity', 'Income', 'Cost_x0020_of_x0020_Goods_x0020_Sold', 'Expense'],
  }
  for (const path of PATHS) {
    const parameters = valueAt(document, ['paths', path, 'get', 'parameters'])
    if (!Array.isArray(parameters)) throw new Error(`${path} has no parameters`)
    parameters.push({ name: '$orderby', in: 'query', schema: { type: 'string' } })
    parameters.push(
      { name: '$skiptoken', in: 'query', schema: { type: 'string' } },
      { name: 'aid', in: 'query', schema: { type: 'string' } },
    )
    const select = asSchema(parameters.find((parameter) => asSchema(parameter).name === '$select'))
    const words = valueAt(select, ['schema', 'items', 'enum'])
    if (Array.isArray(words) && path.endsWith('/accounts')) words.push('accountType', 'directPosting')
  }
}

/** `$select` is one comma-separated list (`explode: false`). */
function toQuery(query: URLSearchParams): Record<string, string | string[]> {
  return Object.fromEntries([...query].map(([name, value]) => [name, name === '$select' ? value.split(',') : value]))
}

function valueAt(node: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, name) => asSchema(inner)[name], node)
}
