import { beforeAll, describe, expect, test } from 'vitest'
import { sageConnector } from '../../../src/connectors/sage/client.ts'
import { failureOf, listPages, pullNamed, sessionOf } from '../../harness/connector-calls.ts'
import { openForTests } from '../../harness/for-tests.ts'
import { connect } from '../../harness/redirect.ts'
import { openHarness } from './harness.ts'
import { HAS_DOCUMENT, loadProviderDocument } from './provider-document.ts'

const PATHS = ['/businesses', '/financial_settings', '/journals', '/ledger_accounts', '/user']

interface Exchange {
  path: string
  query: Record<string, string>
  status: number
  body: unknown
}

describe.skipIf(!HAS_DOCUMENT)('Sage, checked against its Swagger document (skipped when ../shared/specs/accounting is absent)', () => {
  const document = openForTests(() => loadProviderDocument(PATHS))
  const harness = openForTests(openHarness)
  let exchanges: Exchange[]

  beforeAll(async () => {
    for (const login of ['lucie', 'rene']) {
      const session = sessionOf(harness, await connect(harness, { login }))
      for (const name of ['accounts', 'journals']) await listPages(session, pullNamed(sageConnector, name))
    }
    const session = sessionOf(harness, await connect(harness))
    for (const fault of ['noSubscription', 'throttle', 'unauthorized']) {
      harness.simulator.fault(fault)
      await failureOf(pullNamed(sageConnector, 'accounts').fetch(session, null))
    }
    exchanges = harness.exchanges.flatMap(({ request, response }) => {
      const url = new URL(request.url)
      if (!url.pathname.startsWith('/v3.1/')) return []
      const body: unknown = JSON.parse(new TextDecoder().decode(response.body))
      return [{ path: url.pathname.slice('/v3.1'.length), query: Object.fromEntries(url.searchParams), status: response.status, body }]
    })
  })

  test('every operation of the connector was called', () => {
    expect([...new Set(exchanges.map(({ path }) => path))].sort()).toEqual(PATHS)
  })

  test.each(PATHS)('%s: every request matches the document', (path) => {
    const problems = exchanges.filter((each) => each.path === path).map(({ query }) => document.requestProblem(path, query))
    expect(problems.filter((problem) => problem !== null)).toEqual([])
  })

  test.each(PATHS)('%s: every answer matches the document', (path) => {
    const answers = exchanges.filter((each) => each.path === path && each.status === 200)
    expect(answers.length).toBeGreaterThan(0)
    expect(answers.map(({ body }) => document.responseProblem(path, body)).filter((problem) => problem !== null)).toEqual([])
  })

  test('errors are a list of severities and codes', () => {
    const failures = exchanges.filter(({ status }) => status !== 200)
    expect(failures).toHaveLength(3)
    for (const { body } of failures) {
      expect(body).toEqual([
        {
          $severity: 'error',
          $dataCode: expect.stringMatching(/^[A-Z][A-Za-z]+$/),
          $message: expect.any(String),
          $source: expect.any(String),
        },
      ])
    }
  })

  test.each([
    ['a page of more than 200', { items_per_page: '201' }],
    ['an unknown parameter', { pages: '1' }],
    ['a parameter of a wrong type', { page: 'first' }],
  ])('the document rejects %s, so these tests can fail', (_what, query) => {
    expect(document.requestProblem('/ledger_accounts', query)).not.toBeNull()
  })

  test.each([
    ['a bare list', []],
    [
      'an account whose code is text',
      { $total: 1, $page: 1, $next: null, $back: null, $items_per_page: 20, $items: [{ nominal_code: 'x' }] },
    ],
  ])('the document rejects %s as an answer, so these tests can fail', (_what, body) => {
    expect(document.responseProblem('/ledger_accounts', body)).not.toBeNull()
  })
})
