import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RecordedCall } from '../../../simulators/mx/index.ts'
import { mxConnector } from '../../../src/connectors/mx/client.ts'
import { toKind } from '../../../src/connectors/mx/type-table.ts'
import { sessionOf } from '../../harness/asking.ts'
import {
  HAS_DOCUMENT,
  HAS_SAMPLE,
  type JudgedRequest,
  loadProviderDocument,
  type ProviderDocument,
  SAMPLE_FILE,
} from './provider-document.ts'
import { completeLink, link, run, type Stage, setStage, startLink, walkWidget } from './stage.ts'

const OPERATIONS = [
  'get /users',
  'post /users',
  'post /users/{user_guid}/widget_urls',
  'get /institutions',
  'get /institutions/favorites',
  'get /institutions/{institution_code}',
  'get /users/{user_identifier}/members',
  'get /users/{user_identifier}/members/{member_identifier}',
  'delete /users/{user_identifier}/members/{member_identifier}',
  'post /users/{user_identifier}/members/{member_identifier}/aggregate',
  'get /users/{user_identifier}/members/{member_identifier}/status',
  'get /users/{user_identifier}/members/{member_identifier}/accounts',
  'get /users/{user_identifier}/members/{member_identifier}/transactions',
]

describe.skipIf(!HAS_DOCUMENT)('MX, held against its OpenAPI document (skipped when ../shared/specs is absent)', () => {
  let document: ProviderDocument
  let stage: Stage
  let calls: readonly RecordedCall[]

  beforeAll(async () => {
    document = await loadProviderDocument(OPERATIONS)
    stage = await setStage()
    await liveThroughEverything(stage)
    calls = stage.simulator.calls.filter(({ status }) => status < 400)
  })
  afterAll(() => stage.close())

  const of = (operation: string) => calls.filter((call) => document.operationOf(toRequest(call)) === operation)

  test.each(OPERATIONS)('%s: was called, and every request fits the document', (operation) => {
    expect(of(operation).length).toBeGreaterThan(0)
    expect(of(operation).flatMap((call) => document.requestProblem(toRequest(call)) ?? [])).toEqual([])
  })

  test.each(OPERATIONS)('%s: every answer fits the document, and says nothing that the document does not know', (operation) => {
    const problems = of(operation).map((call) => document.responseProblem(toRequest(call), call.status, call.answer))
    expect(problems.filter((problem) => problem !== null)).toEqual([])
  })

  test('no call goes anywhere else', () => {
    expect(calls.filter((call) => document.operationOf(toRequest(call)) === null).map(({ path }) => path)).toEqual([])
  })

  test('the document refuses what is no request and no answer, so that these tests can fail', () => {
    const [call] = of('get /users/{user_identifier}/members/{member_identifier}/accounts')
    if (!call) throw new Error('no call')
    const { 'accept-version': _version, ...headers } = toRequest(call).headers
    expect(document.requestProblem({ ...toRequest(call), headers })).not.toBeNull()
    expect(document.responseProblem(toRequest(call), 200, { accounts: [{ balance: 'none' }] })).not.toBeNull()
    expect(document.responseProblem(toRequest(call), 200, { accounts: [{ invented: 1 }] })).not.toBeNull()
    expect(document.responseProblem(toRequest(call), 418, {})).not.toBeNull()
  })
})

describe.skipIf(!HAS_SAMPLE)('a recorded answer of MX (skipped when ../shared/samples is absent)', () => {
  test('names account types in its FDX copy that are words of ours too', () => {
    const sample: { vc: { credentialSubject: { accounts: Record<string, { accountType: string }>[] } } } = JSON.parse(
      readFileSync(SAMPLE_FILE, 'utf8'),
    )
    const words = sample.vc.credentialSubject.accounts.flatMap((account) => Object.values(account).map(({ accountType }) => accountType))
    // The copy writes some without their spaces.
    const own: Record<string, string> = { CREDITCARD: 'CREDIT_CARD', INVESTMENTACCOUNT: 'INVESTMENT', LINEOFCREDIT: 'LINE_OF_CREDIT' }
    const unknown: string[] = []
    for (const word of new Set(words))
      toKind({ type: own[word] ?? word, subtype: null, propertyType: null }, (each) => void unknown.push(each))
    expect(words.length).toBeGreaterThan(3)
    expect(unknown).toEqual([])
  })
})

async function liveThroughEverything(stage: Stage): Promise<void> {
  const { simulator } = stage
  const grant = await link(stage)
  const session = sessionOf(stage, grant)
  await run(session, 'accounts')
  const first = await run(session, 'transactions')
  stage.moveTime(21 * 3_600_000)
  await run(session, 'accounts')
  stage.moveTime(4 * 86_400_000)
  await run(session, 'accounts')
  await run(session, 'transactions', first.resume)
  await mxConnector.listInstitutions?.(stage.kit, null)
  await mxConnector.listPopularInstitutions?.(stage.kit)
  simulator.setStatus(grant.reference ?? '', 'DENIED')
  await run(session, 'accounts').catch(() => null)
  const repair = await startLink(stage, { reconnect: grant.credentials, locale: 'fr-CA' })
  await walkWidget(repair.widget)
  await completeLink(stage, repair.memo, {}, grant)
  const open = await startLink(stage, { institutionId: null })
  await completeLink(stage, open.memo).catch(() => null)
  await readStatus(stage, grant.reference ?? '')
  await mxConnector.disconnect?.(stage.kit, grant.credentials)
}

/** What only people call, by hand. */
async function readStatus(stage: Stage, memberGuid: string): Promise<void> {
  const userGuid = stage.simulator.members().find(({ guid }) => guid === memberGuid)?.userGuid ?? ''
  const keys = Buffer.from(`${stage.kit.app.clientId}:${stage.kit.app.apiKey}`).toString('base64')
  const headers = { accept: 'application/json', 'accept-version': 'v20250224', authorization: `Basic ${keys}` }
  await stage.kit.http({ url: `${stage.url}/users/${userGuid}/members/${memberGuid}/status`, headers })
}

function toRequest({ method, path, query, headers, body }: RecordedCall): JudgedRequest {
  return {
    method: method.toLowerCase(),
    path,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
    query: Object.fromEntries(query),
    body: body === '' ? undefined : JSON.parse(body),
  }
}
