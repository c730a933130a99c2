import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import type { RecordedCall } from '../../../simulators/yodlee/index.ts'
import { accountsPull } from '../../../src/connectors/yodlee/accounts.ts'
import { yodleeConnector } from '../../../src/connectors/yodlee/client.ts'
import { normalizePage } from '../../../src/sync/runs/normalize.ts'
import { sessionOf } from '../../harness/connector-calls.ts'
import { openForTests } from '../../harness/for-tests.ts'
import { completeLink, startWidget } from '../../harness/redirect.ts'

import { testDocumentedCalls } from '../documented-calls.ts'
import { type Harness, idOf, link, openHarness, run, walkFastLink } from './harness.ts'
import { HAS_DOCUMENT, HAS_SAMPLE, loadProviderDocument, SAMPLE_FILE } from './provider-document.ts'

const OPERATIONS = [
  'post /auth/token',
  'get /providers',
  'get /providers/{providerId}',
  'get /providerAccounts',
  'get /providerAccounts/{providerAccountId}',
  'delete /providerAccounts/{providerAccountId}',
  'get /accounts',
  'get /transactions',
  'get /transactions/count',
  'put /user',
  'get /configs/notifications/events',
  'post /configs/notifications/events/{eventName}',
  'put /configs/notifications/events/{eventName}',
]

describe.skipIf(!HAS_DOCUMENT)('Yodlee, checked against its API document (skipped when ../shared/specs is absent)', () => {
  const document = openForTests(() => loadProviderDocument(OPERATIONS))
  const harness = openForTests(openHarness)
  let calls: readonly RecordedCall[]

  beforeAll(async () => {
    await liveThroughEverything(harness)
    calls = harness.simulator.calls.filter(({ status }) => status < 400)
  })

  testDocumentedCalls(document, () => calls, {
    operations: OPERATIONS,
    withoutAnswer: ['delete /providerAccounts/{providerAccountId}'],
    invalid: {
      operation: 'get /accounts',
      header: 'api-version',
      answers: [{ account: [{ CONTAINER: 'vault' }] }, { account: [{ invented: 1 }] }],
    },
  })

  test('refusals have the shape of YodleeError', () => {
    const refused = harness.simulator.calls.filter(({ status, answer }) => status >= 400 && answer !== null)
    expect(refused.length).toBeGreaterThan(0)
    for (const { answer } of refused)
      expect(answer).toEqual({
        errorCode: expect.stringMatching(/^Y\d{3}$/),
        errorMessage: expect.any(String),
        referenceCode: expect.any(String),
      })
  })
})

describe.skipIf(!HAS_SAMPLE)('a recorded answer of Yodlee (skipped when ../shared/samples is absent)', () => {
  test('a savings account of 2017 is read field by field', () => {
    const scope = {
      ...{ companyId: '5d3f0a52-8f7e-4f06-9c53-7f0b0f0a9e02', serviceId: '9c1b2a33-1111-4222-8333-444455556666' },
      ...{ serviceName: 'Yodlee', category: 'Banking' as const, fetchedAt: new Date(Date.UTC(2026, 6, 1)) },
    }
    const unmapped: string[] = []
    const items = normalizePage(
      yodleeConnector,
      accountsPull,
      { accounts: readFileSync(SAMPLE_FILE) },
      scope,
      (_entity, field, word) => void unmapped.push(`${field}: ${word}`),
    )
    const documents = [...items].map((item) => ('doc' in item ? JSON.parse(item.doc) : item))
    expect(unmapped).toEqual([])
    expect(documents).toEqual([
      expect.objectContaining({
        ...{
          origId: '2251053',
          providerName: 'Wells Fargo',
          accountName: 'Savings Account',
          accountNumber: '••••8823',
          accountStatusSystem: 'ACTIVE',
        },
        ...{
          typeSystem: 'Cash',
          subTypeSystem: 'Savings',
          currency: 'USD',
          actualBalance: 20000,
          actualBalanceDate: '2017-09-21T06:08:29.000+00:00',
        },
      }),
    ])
  })
})

async function liveThroughEverything(harness: Harness): Promise<void> {
  const { simulator } = harness
  const grant = await link(harness)
  const session = sessionOf(harness, grant)
  await run(session, 'accounts')
  const first = await run(session, 'transactions')
  harness.moveTime(4 * 86_400_000)
  await run(session, 'accounts').catch(() => null)
  const credentials = (await yodleeConnector.refreshCredentials?.(harness.kit, grant.credentials)) ?? grant.credentials
  const later = { ...session, credentials }
  await run(later, 'accounts')
  await run(later, 'transactions', first.resume)
  await yodleeConnector.listInstitutions?.(harness.kit, null)
  await yodleeConnector.listPopularInstitutions?.(harness.kit)
  await yodleeConnector.subscribe?.(later, 'https://books.example/hooks/yodlee/old')
  await yodleeConnector.subscribe?.(later, 'https://books.example/hooks/yodlee/new')
  simulator.fail(idOf(grant), 'CREDENTIALS_UPDATE_NEEDED')
  await run(later, 'accounts').catch(() => null)
  const repair = await startWidget(harness, { reconnect: grant.credentials, locale: 'fr-CA' })
  await walkFastLink(harness, repair.widget)
  await completeLink(harness, repair.memo, {}, grant)
  const open = await startWidget(harness, { institutionId: null })
  await completeLink(harness, open.memo).catch(() => null)
  await yodleeConnector.disconnect?.(harness.kit, grant.credentials)
  await simulator.webhooksSettled()
}
