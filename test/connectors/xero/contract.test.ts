import { beforeAll, describe, expect, test } from 'vitest'
import type { HttpRequest } from '../../../src/connectors/contract/contract.ts'
import { xeroConnector } from '../../../src/connectors/xero/client.ts'
import { fetchPages, pullNamed, sessionOf } from '../../harness/connector-calls.ts'
import { openForTests } from '../../harness/for-tests.ts'
import { connect } from '../../harness/redirect.ts'
import { DENTIST, openHarness, PHYSIO } from './harness.ts'
import { type Call, HAS_DOCUMENTS, loadProviderDocument } from './provider-document.ts'

const ACCOUNTING = '/api.xro/2.0'
const PATHS = ['/Accounts', '/Organisation', '/Journals', '/ManualJournals']

/** A deliberately undocumented Type of the simulator, without a mapping. */
const INVENTED = 'DIGITALASSET'

describe.skipIf(!HAS_DOCUMENTS)('Xero, checked against its OpenAPI documents (skipped without ../shared/specs/accounting)', () => {
  const accounting = openForTests(() => loadProviderDocument('xero_accounting.yaml', PATHS))
  const identity = openForTests(() => loadProviderDocument('xero-identity.yaml', ['/Connections', '/Connections/{id}']))
  const harness = openForTests(openHarness)

  beforeAll(async () => {
    for (const tenantId of [DENTIST, PHYSIO]) {
      const grant = await connect(harness, { businessId: tenantId })
      const session = sessionOf(harness, grant)
      await fetchPages(session, pullNamed(xeroConnector, 'accounts'))
      await fetchPages(session, pullNamed(xeroConnector, 'journals'))
      await fetchPages(
        { ...session, kit: { ...harness.kit, app: { ...harness.kit.app, journals: 'no' } } },
        pullNamed(xeroConnector, 'journals'),
      )
      if (tenantId === PHYSIO) await xeroConnector.disconnect?.(harness.kit, grant.credentials)
    }
  }, 60_000)

  /** Calls with a path prefix; the address is relative to its document. */
  function callsTo(prefix: string): { call: Call; status: number; body: unknown }[] {
    return harness.exchanges
      .filter(({ request }) => new URL(request.url).pathname.startsWith(prefix))
      .map(({ request, response }) => ({
        call: toCall(request, prefix === ACCOUNTING ? (path) => path.slice(ACCOUNTING.length) : (path) => path.replace('/c', '/C')),
        status: response.status,
        body: response.body.length === 0 ? undefined : JSON.parse(new TextDecoder().decode(response.body)),
      }))
  }

  test('every path of the connector was called', () => {
    const called = new Set(callsTo(ACCOUNTING).map(({ call }) => call.path))
    expect([...called].sort()).toEqual([...PATHS].sort())
    expect(new Set(callsTo('/connections').map(({ call }) => call.method))).toEqual(new Set(['GET', 'DELETE']))
  })

  test.each(PATHS)('%s: every request matches the document', (path) => {
    const problems = callsTo(ACCOUNTING)
      .filter(({ call }) => call.path === path)
      .map(({ call }) => accounting.requestProblem(call))
    expect(problems.filter((problem) => problem !== null)).toEqual([])
  })

  test.each(['/Organisation', '/ManualJournals'])('%s: every answer matches the document', (path) => {
    const problems = callsTo(ACCOUNTING)
      .filter(({ call }) => call.path === path)
      .map(({ call, status, body }) => accounting.responseProblem(call, status, body))
    expect(problems.filter((problem) => problem !== null)).toEqual([])
  })

  test.each(['/Accounts', '/Journals'])('%s: every answer matches the document except for the undocumented value', (path) => {
    const calls = callsTo(ACCOUNTING).filter(({ call }) => call.path === path)
    const known = JSON.parse(JSON.stringify(calls).replaceAll(`"${INVENTED}"`, '"CURRENT"')) as typeof calls
    expect(
      known.map(({ call, status, body }) => accounting.responseProblem(call, status, body)).filter((problem) => problem !== null),
    ).toEqual([])
    expect(JSON.stringify(calls)).toContain('"JournalID"'.replace('Journal', path === '/Accounts' ? 'Account' : 'Journal'))
  })

  test('the connections match the identity document except for their dates, which have no time zone in its own example either', () => {
    const problems = callsTo('/connections').flatMap(({ call, status, body }) => {
      const problem = identity.requestProblem(call) ?? (status === 204 ? null : identity.responseProblem(call, status, body))
      return JSON.parse(problem ?? '[]') as { params: { format?: string } }[]
    })
    expect(problems.filter(({ params }) => params.format !== 'date-time')).toEqual([])
  })

  test('the documents reject an invalid call and answer, so these tests can fail', () => {
    const call = { method: 'GET', path: '/Accounts', query: '', headers: { 'xero-tenant-id': DENTIST } }
    expect(accounting.responseProblem(call, 200, { Accounts: [{ AccountID: 'seven', Type: 'BANK' }] })).toContain('uuid')
    expect(accounting.responseProblem(call, 200, { Accounts: [{ Type: INVENTED }] })).toContain('enum')
    expect(accounting.requestProblem({ ...call, headers: {} })).toContain('xero-tenant-id')
    expect(accounting.requestProblem({ ...call, path: '/Journals', query: 'offset=many' })).toContain('integer')
  })
})

function toCall(request: HttpRequest, toPath: (path: string) => string): Call {
  const url = new URL(request.url)
  return { method: request.method ?? 'GET', path: toPath(url.pathname), query: url.search.slice(1), headers: request.headers ?? {} }
}
