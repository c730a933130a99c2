import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { HttpRequest } from '../../../src/connectors/contract/contract.ts'
import { zohoConnector } from '../../../src/connectors/zoho/client.ts'
import { fetchPages, pullNamed, sessionOf } from '../../harness/connector-calls.ts'
import { connect } from '../../harness/redirect.ts'
import { type Call, HAS_DOCUMENTS, loadProviderDocument, type ProviderDocument } from '../xero/provider-document.ts'
import { type Harness, MAKER, openHarness, SHOP } from './harness.ts'

const BOOKS = '/books/v3'

/** Paths of the connector, with the document of each. */
const DOCUMENTS: readonly (readonly [file: string, path: string, pattern: RegExp])[] = [
  ['chart-of-accounts.yml', '/chartofaccounts', /^\/chartofaccounts$/],
  ['journals.yml', '/journals', /^\/journals$/],
  ['journals.yml', '/journals/{journal_id}', /^\/journals\/\d+$/],
  ['organizations.yml', '/organizations', /^\/organizations$/],
  ['organizations.yml', '/organizations/{organization_id}', /^\/organizations\/\d+$/],
  ['bank-accounts.yml', '/bankaccounts', /^\/bankaccounts$/],
]

describe.skipIf(!HAS_DOCUMENTS)('Zoho Books, checked against its OpenAPI documents (skipped without ../shared/specs/accounting)', () => {
  const documents = new Map<string, ProviderDocument>()
  let harness: Harness

  beforeAll(async () => {
    for (const [file, path] of DOCUMENTS) {
      documents.set(
        path,
        await loadProviderDocument(`zoho-books/${file}`, [path], (document) => {
          // The document requires the organization in every call, even in the one that lists them.
          if (path === '/organizations') delete Object(document.paths)[path].parameters
          // The document says string; recorded answers have booleans, like other flags in the document.
          if (path === '/chartofaccounts') Object(document.components).schemas.is_child_present.type = 'boolean'
        }),
      )
    }
    harness = await openHarness()
    for (const organizationId of [SHOP, MAKER]) {
      const session = sessionOf(harness, await connect(harness, {}, organizationId))
      await fetchPages(session, pullNamed(zohoConnector, 'accounts'))
      await fetchPages(session, pullNamed(zohoConnector, 'journals'))
    }
  }, 60_000)
  afterAll(() => harness?.close())

  function callsTo(pattern: RegExp): { call: Call; status: number; body: unknown }[] {
    return harness.exchanges
      .map(({ request, response }) => ({ call: toCall(request), status: response.status, body: toBody(response.body) }))
      .filter(({ call }) => pattern.test(call.path))
  }

  test('the connector called the paths of the documents and nothing else', () => {
    const paths = harness.exchanges.map(({ request }) => new URL(request.url).pathname).filter((path) => path.startsWith(BOOKS))
    const other = paths.filter((path) => !DOCUMENTS.some(([, , pattern]) => pattern.test(path.slice(BOOKS.length))))
    expect(other).toEqual([])
    expect(DOCUMENTS.filter(([, , pattern]) => callsTo(pattern).length === 0)).toEqual([])
  })

  test.each(DOCUMENTS)('%s %s: every request matches the document', (_file, path, pattern) => {
    const problems = callsTo(pattern).map(({ call }) => documents.get(path)?.requestProblem(call))
    expect(problems.filter((problem) => problem !== null)).toEqual([])
  })

  test.each(DOCUMENTS)('%s %s: every answer matches the document', (_file, path, pattern) => {
    const problems = callsTo(pattern).map(({ call, status, body }) => documents.get(path)?.responseProblem(call, status, body))
    expect(problems.filter((problem) => problem !== null)).toEqual([])
  })

  test('the documents reject an invalid call and answer, so these tests can fail', () => {
    const call = { method: 'GET', path: '/chartofaccounts', query: 'organization_id=1', headers: {} }
    const document = documents.get('/chartofaccounts')
    expect(document?.responseProblem(call, 200, { code: 0, chartofaccounts: [{ account_id: 7 }] })).toContain('string')
    expect(document?.requestProblem({ ...call, query: '' })).toContain('organization_id')
    expect(document?.requestProblem({ ...call, query: 'organization_id=1&page=many' })).toContain('integer')
  })
})

function toCall(request: HttpRequest): Call {
  const url = new URL(request.url)
  return {
    method: request.method ?? 'GET',
    path: url.pathname.startsWith(BOOKS) ? url.pathname.slice(BOOKS.length) : url.pathname,
    query: url.search.slice(1),
    headers: request.headers ?? {},
  }
}

function toBody(bytes: Uint8Array): unknown {
  return JSON.parse(new TextDecoder().decode(bytes))
}
