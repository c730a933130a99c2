import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Kit, Session } from '../../../src/connectors/contract/contract.ts'
import { failureOf, sessionOf } from '../../harness/connector-calls.ts'
import { openForTests } from '../../harness/for-tests.ts'
import { startWidget } from '../../harness/redirect.ts'
import { API_KEY, CLIENT_ID, link, openHarness, run } from './harness.ts'

describe('failures at MX become one of four kinds', () => {
  const harness = openForTests(openHarness)
  const grant = openForTests(() => link(harness))
  let session: Session
  beforeAll(() => {
    session = sessionOf(harness, grant)
  })
  beforeEach(() => harness.simulator.clearFaults())

  test('refused keys are reported to the operator, and end no connection', async () => {
    harness.simulator.fault('invalidKeys')
    expect((await failureOf(run(session, 'accounts'))).isClientRefused).toBe(true)
  })

  test('a deleted member requires a reconnect', async () => {
    harness.simulator.fault('gone')
    expect(await failureOf(run(session, 'accounts'))).toMatchObject({ kind: 'reconnect', isClientRefused: false })
  })

  const OWNER = [
    'PREVENTED',
    'DENIED',
    'CHALLENGED',
    'REJECTED',
    'LOCKED',
    'IMPEDED',
    'IMPORTED',
    'EXPIRED',
    'IMPAIRED',
    'DISCONNECTED',
    'DISCONTINUED',
    'CLOSED',
    'DISABLED',
  ]
  test.each(OWNER)('a member that is %s requires a reconnect', async (status) => {
    harness.simulator.setStatus(grant.reference ?? '', status)
    expect((await failureOf(run(session, 'accounts'))).kind).toBe('reconnect')
    harness.simulator.setStatus(grant.reference ?? '', 'CONNECTED')
  })

  test.each(['DEGRADED', 'DELAYED', 'FAILED', 'RECONNECTED', 'UPDATED', 'RESUMED', 'A_STATUS_OF_TOMORROW'])(
    'a member that is %s is read as it is',
    async (status) => {
      harness.simulator.setStatus(grant.reference ?? '', status)
      expect((await run(session, 'accounts')).items).toHaveLength(15)
      harness.simulator.setStatus(grant.reference ?? '', 'CONNECTED')
    },
  )

  test('before the first aggregation nothing is treated as an empty list', async () => {
    const fresh = await link(harness, { companyId: 'company-fresh' })
    harness.simulator.forgetReading(fresh.reference ?? '')
    expect((await failureOf(run(sessionOf(harness, fresh), 'accounts'))).kind).toBe('unavailable')
  })

  test('no error contains a key or text from the source', async () => {
    const kit: Kit = {
      ...harness.kit,
      http: async (request) => ({
        status: 400,
        headers: {},
        body: new TextEncoder().encode(JSON.stringify({ error: { message: request.headers, url: request.url } })),
      }),
    }
    const failures = [await failureOf(run({ ...session, kit }, 'accounts')), await failureOf(startWidget({ ...harness, kit }))]
    const told = failures
      .map((failure) => `${failure.message} ${failure.stack} ${JSON.stringify(failure)} ${String(failure.cause)}`)
      .join('\n')
    const basic = Buffer.from(`${CLIENT_ID}:${API_KEY}`).toString('base64')
    expect([API_KEY, basic, grant.reference ?? 'none', 'USR-'].filter((text) => told.includes(text))).toEqual([])
  })
})
