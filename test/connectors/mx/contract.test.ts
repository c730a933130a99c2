import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import type { RecordedCall } from '../../../simulators/mx/index.ts'
import { mxConnector } from '../../../src/connectors/mx/client.ts'
import { toKind } from '../../../src/connectors/mx/type-table.ts'
import { sessionOf } from '../../harness/connector-calls.ts'
import { openForTests } from '../../harness/for-tests.ts'
import { completeLink, startWidget } from '../../harness/redirect.ts'
import { testDocumentedCalls } from '../documented-calls.ts'
import { type Harness, link, openHarness, run, walkWidget } from './harness.ts'
import { HAS_DOCUMENT, HAS_SAMPLE, loadProviderDocument, SAMPLE_FILE } from './provider-document.ts'

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

describe.skipIf(!HAS_DOCUMENT)('MX, checked against its OpenAPI document (skipped when ../shared/specs is absent)', () => {
  const document = openForTests(() => loadProviderDocument(OPERATIONS))
  const harness = openForTests(openHarness)
  let calls: readonly RecordedCall[]

  beforeAll(async () => {
    await liveThroughEverything(harness)
    calls = harness.simulator.calls.filter(({ status }) => status < 400)
  })

  testDocumentedCalls(document, () => calls, {
    operations: OPERATIONS,
    invalid: {
      operation: 'get /users/{user_identifier}/members/{member_identifier}/accounts',
      header: 'accept-version',
      answers: [{ accounts: [{ balance: 'none' }] }, { accounts: [{ invented: 1 }] }],
    },
  })
})

describe.skipIf(!HAS_SAMPLE)('a recorded answer of MX (skipped when ../shared/samples is absent)', () => {
  test('has account types in its FDX copy that are our words too', () => {
    const sample: { vc: { credentialSubject: { accounts: Record<string, { accountType: string }>[] } } } = JSON.parse(
      readFileSync(SAMPLE_FILE, 'utf8'),
    )
    const words = sample.vc.credentialSubject.accounts.flatMap((account) => Object.values(account).map(({ accountType }) => accountType))
    // The copy writes some without spaces.
    const own: Record<string, string> = { CREDITCARD: 'CREDIT_CARD', INVESTMENTACCOUNT: 'INVESTMENT', LINEOFCREDIT: 'LINE_OF_CREDIT' }
    const unknown: string[] = []
    for (const word of new Set(words))
      toKind({ type: own[word] ?? word, subtype: null, propertyType: null }, (each) => void unknown.push(each))
    expect(words.length).toBeGreaterThan(3)
    expect(unknown).toEqual([])
  })
})

async function liveThroughEverything(harness: Harness): Promise<void> {
  const { simulator } = harness
  const grant = await link(harness)
  const session = sessionOf(harness, grant)
  await run(session, 'accounts')
  const first = await run(session, 'transactions')
  harness.moveTime(21 * 3_600_000)
  await run(session, 'accounts')
  harness.moveTime(4 * 86_400_000)
  await run(session, 'accounts')
  await run(session, 'transactions', first.resume)
  await mxConnector.listInstitutions?.(harness.kit, null)
  await mxConnector.listPopularInstitutions?.(harness.kit)
  simulator.setStatus(grant.reference ?? '', 'DENIED')
  await run(session, 'accounts').catch(() => null)
  const repair = await startWidget(harness, { reconnect: grant.credentials, locale: 'fr-CA' })
  await walkWidget(repair.widget)
  await completeLink(harness, repair.memo, {}, grant)
  const open = await startWidget(harness, { institutionId: null })
  await completeLink(harness, open.memo).catch(() => null)
  await readStatus(harness, grant.reference ?? '')
  await mxConnector.disconnect?.(harness.kit, grant.credentials)
}

/** Calls that only developers make, by hand. */
async function readStatus(harness: Harness, memberGuid: string): Promise<void> {
  const userGuid = harness.simulator.members().find(({ guid }) => guid === memberGuid)?.userGuid ?? ''
  const keys = Buffer.from(`${harness.kit.app.clientId}:${harness.kit.app.apiKey}`).toString('base64')
  const headers = { accept: 'application/json', 'accept-version': 'v20250224', authorization: `Basic ${keys}` }
  await harness.kit.http({ url: `${harness.url}/users/${userGuid}/members/${memberGuid}/status`, headers })
}
