import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Kit, Session } from '../../../src/connectors/contract/contract.ts'
import { failureOf, sessionOf } from '../../harness/connector-calls.ts'
import { openForTests } from '../../harness/for-tests.ts'
import { refresh, startWidget } from '../../harness/redirect.ts'
import { ADMIN, idOf, link, openHarness, run, SECRET } from './harness.ts'

const OWNER = [
  ...['ACCOUNT_LOCKED', 'ADDL_AUTHENTICATION_REQUIRED', 'CREDENTIALS_UPDATE_NEEDED', 'INCORRECT_CREDENTIALS', 'INCORRECT_OAUTH_TOKEN'],
  ...['INVALID_ADDL_INFO_PROVIDED', 'NEW_AUTHENTICATION_REQUIRED', 'USER_ACTION_NEEDED_AT_SITE', 'ENROLLMENT_REQUIRED_FOR_DATASET'],
  ...['CONSENT_REQUIRED', 'CONSENT_EXPIRED', 'CONSENT_REVOKED'],
]
const PROVIDER = [
  ...['REQUEST_TIME_OUT', 'SITE_BLOCKING_ERROR', 'UNEXPECTED_SITE_ERROR', 'SITE_UNAVAILABLE', 'TECH_ERROR', 'SITE_SESSION_INVALIDATED'],
  ...['BETA_SITE_DEV_IN_PROGRESS', 'PARTIAL_DATA_RETRIEVED', 'A_STATUS_OF_TOMORROW'],
]

describe('failures at Yodlee become one of four kinds', () => {
  const harness = openForTests(openHarness)
  const grant = openForTests(() => link(harness))
  let session: Session
  beforeAll(() => {
    session = sessionOf(harness, grant)
  })
  beforeEach(() => harness.simulator.clearFaults())

  test('refused keys are reported to the operator; a user without a token to the owner', async () => {
    const refused = () => failureOf(refresh(harness, grant.credentials))
    harness.simulator.fault('invalidKeys')
    expect(await refused()).toMatchObject({ kind: 'unavailable', isClientRefused: true })
    harness.simulator.fault('revoked')
    expect(await refused()).toMatchObject({ kind: 'reconnect', isClientRefused: false })
  })

  test.each(['throttle', 'unavailable'])('a token that is refused for %s is requested later', async (fault) => {
    harness.simulator.fault(fault)
    const failure = await failureOf(refresh(harness, grant.credentials))
    expect(failure.kind).toBe(fault === 'throttle' ? 'rateLimited' : 'unavailable')
    expect(failure.isClientRefused).toBe(false)
  })

  test('a deleted provider account requires a reconnect', async () => {
    harness.simulator.fault('gone')
    expect((await failureOf(run(session, 'accounts'))).kind).toBe('reconnect')
  })

  test.each(OWNER)('a login that is %s requires a reconnect', async (word) => {
    harness.simulator.fail(idOf(grant), word)
    expect((await failureOf(run(session, 'accounts'))).kind).toBe('reconnect')
  })

  test('a login that waits for an answer of the owner requires a reconnect', async () => {
    harness.simulator.fail(idOf(grant), 'LOGIN_IN_PROGRESS', 'USER_INPUT_REQUIRED')
    expect((await failureOf(run(session, 'accounts'))).kind).toBe('reconnect')
  })

  test.each(PROVIDER)('a login with the problem %s is read as it is', async (word) => {
    harness.simulator.fail(idOf(grant), word)
    expect((await run(session, 'accounts')).items).toHaveLength(17)
  })

  test.each([
    ['LOGIN_IN_PROGRESS', 'unavailable'],
    ['DATA_RETRIEVAL_IN_PROGRESS', 'unavailable'],
    ['SITE_UNAVAILABLE', 'unavailable'],
    ['SITE_NOT_SUPPORTED', 'badData'],
    ['DATASET_NOT_SUPPORTED', 'badData'],
  ])('before the first read at the bank %s is %s, never an empty list', async (word, kind) => {
    const fresh = await link(harness, { companyId: `company-${word}` })
    harness.simulator.forgetReading(idOf(fresh))
    harness.simulator.fail(idOf(fresh), word, 'IN_PROGRESS')
    expect((await failureOf(run(sessionOf(harness, fresh), 'accounts'))).kind).toBe(kind)
  })

  test('no error contains a key, a token or text from the source', async () => {
    const kit: Kit = {
      ...harness.kit,
      http: async (request) => {
        const echo = { errorCode: `${SECRET} leaked`, errorMessage: String(request.body), headers: request.headers }
        return { status: 400, headers: {}, body: new TextEncoder().encode(JSON.stringify(echo)) }
      },
    }
    const failures = [await failureOf(run({ ...session, kit }, 'accounts')), await failureOf(startWidget({ ...harness, kit }))]
    const told = failures
      .map((failure) => `${failure.message} ${failure.stack} ${JSON.stringify(failure)} ${String(failure.cause)}`)
      .join('\n')
    const token = /"accessToken":"(\w+)"/.exec(JSON.stringify(grant.credentials))?.[1] ?? 'no token'
    expect([SECRET, ADMIN, token].filter((text) => told.includes(text))).toEqual([])
  })
})
