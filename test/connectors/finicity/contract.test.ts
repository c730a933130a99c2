import { beforeAll, describe, expect, test } from 'vitest'
import { finicityConnector } from '../../../src/connectors/finicity/client.ts'
import { sessionOf } from '../../harness/connector-calls.ts'
import { openPage, submitPage } from '../../harness/hosted-pages.ts'
import { completeLink, startLink } from '../../harness/redirect.ts'
import { type Harness, link, login, loginOf, openHarness, run } from './harness.ts'
import { HAS_DOCUMENT, loadProviderDocument, type ProviderDocument, type RecordedExchange } from './provider-document.ts'

const OPERATIONS = [
  'POST /aggregation/v2/partners/authentication',
  'POST /aggregation/v2/customers/testing',
  'POST /aggregation/v2/customers/active',
  'GET /aggregation/v1/customers',
  'DELETE /aggregation/v1/customers/{customerId}',
  'POST /connect/v2/generate',
  'POST /connect/v2/generate/lite',
  'POST /connect/v2/generate/fix',
  'GET /aggregation/v1/customers/{customerId}/accounts',
  'GET /aggregation/v1/customers/{customerId}/institutionLogins/{institutionLoginId}/accounts',
  'POST /aggregation/v1/customers/{customerId}/institutionLogins/{institutionLoginId}/accounts',
  'DELETE /aggregation/v1/customers/{customerId}/institutionLogins/{institutionLoginId}',
  'GET /aggregation/v4/customers/{customerId}/accounts/{accountId}/transactions',
  'POST /aggregation/v1/customers/{customerId}/accounts/{accountId}/txpush',
  'GET /institution/v2/institutions',
  'GET /institution/v2/institutions/{institutionId}',
]

describe.skipIf(!HAS_DOCUMENT)('Finicity, checked against its OpenAPI document (skipped when ../shared/specs is absent)', () => {
  let document: ProviderDocument
  let exchanges: RecordedExchange[]

  beforeAll(async () => {
    document = loadProviderDocument()
    exchanges = await liveThroughEverything()
  })

  test('every operation of the connector was called, and no other', () => {
    expect([...new Set(exchanges.map((each) => document.operationOf(each)))].sort()).toEqual([...OPERATIONS].sort())
  })

  test.each(OPERATIONS)('%s: every request matches the document', (operation) => {
    const calls = exchanges.filter((each) => document.operationOf(each) === operation)
    expect(calls.flatMap((each) => document.requestProblems(each))).toEqual([])
  })

  test.each(OPERATIONS)('%s: every answer matches the document', (operation) => {
    const calls = exchanges.filter((each) => document.operationOf(each) === operation)
    expect(calls.flatMap((each) => document.answerProblems(each))).toEqual([])
  })

  test('every call carries the app key, and all but the authentication a token', () => {
    expect(exchanges.filter(({ headers }) => !headers['finicity-app-key'] || headers.accept !== 'application/json')).toEqual([])
    const bare = exchanges.filter(({ headers }) => headers['finicity-app-token'] === undefined)
    expect([...new Set(bare.map((each) => document.operationOf(each)))]).toEqual(['POST /aggregation/v2/partners/authentication'])
  })

  test('the answers include errors', () => {
    expect([...new Set(exchanges.map(({ status }) => status))].sort()).toEqual([200, 201, 204, 401, 404, 409])
  })

  test('the document rejects an invalid answer, so these tests can fail', () => {
    const [accounts] = exchanges.filter((each) => document.operationOf(each) === OPERATIONS[8] && each.status === 200)
    if (!accounts) throw new Error('no accounts were requested')
    expect(document.answerProblems({ ...accounts, answer: '{"accounts":[{"id":7}]}' })).not.toEqual([])
    expect(document.requestProblems({ ...accounts, url: `${accounts.url}?nonsense=1` })).not.toEqual([])
    const [generated] = exchanges.filter((each) => document.operationOf(each) === 'POST /connect/v2/generate')
    if (!generated) throw new Error('no link was requested')
    expect(document.requestProblems({ ...generated, body: '{"partnerId":1}' })).not.toEqual([])
  })
})

async function liveThroughEverything(): Promise<RecordedExchange[]> {
  const harness = await openHarness({ app: { txPush: 'yes' } })
  try {
    await live(harness)
  } finally {
    await harness.close()
  }
  return harness.exchanges.map(({ request, response }) => ({
    method: request.method ?? 'GET',
    url: request.url,
    headers: request.headers ?? {},
    body: typeof request.body === 'string' ? request.body : '',
    status: response.status,
    type: response.headers['content-type'] ?? '',
    answer: new TextDecoder().decode(response.body),
  }))
}

async function live(harness: Harness): Promise<void> {
  const grant = await link(harness)
  const session = sessionOf(harness, grant)
  await run(session, 'accounts')
  const first = await run(session, 'transactions')
  harness.moveTime(86_400_000)
  const credentials = (await finicityConnector.refreshCredentials?.(harness.kit, grant.credentials)) ?? grant.credentials
  await run({ ...session, credentials }, 'transactions', first.resume)
  await finicityConnector.subscribe?.({ ...session, credentials }, harness.webhookUrl)
  await finicityConnector.listInstitutions?.(harness.kit, null)
  // Once more for the same company, whose customer exists already.
  const anywhere = await startLink(harness, { institutionId: null, locale: 'fr-CA' })
  await completeLink(harness, anywhere.memo).catch(() => null)
  await otherEnvironment(harness)
  harness.simulator.setStatus(loginOf(grant), 103)
  await run({ ...session, credentials }, 'accounts').catch(() => null)
  const repair = await startLink(harness, { reconnect: grant.credentials })
  await submitPage((await openPage(repair.url)).html, 'login', login())
  await completeLink(harness, repair.memo, {}, grant)
  for (const fault of ['tokenExpired', 'customerGone', 'partnerRefused', 'keyRefused']) {
    harness.simulator.fault(fault)
    await run({ ...session, credentials }, 'accounts').catch(() => null)
    await finicityConnector.refreshCredentials?.(harness.kit, credentials).catch(() => null)
  }
  await finicityConnector.disconnect?.(harness.kit, credentials)
  await run({ ...session, credentials }, 'accounts').catch(() => null)
}

/** A customer of the billed environment. */
async function otherEnvironment(harness: Harness): Promise<void> {
  const { customerType: _testing, ...app } = harness.kit.app
  await startLink({ ...harness, kit: { ...harness.kit, app } }, { companyId: 'company-2' })
}
