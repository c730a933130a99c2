import { beforeAll, describe, expect, test } from 'vitest'
import type { Kit, Session } from '../../../src/connectors/contract/contract.ts'
import { plaidConnector } from '../../../src/connectors/plaid/client.ts'
import { failureOf, sessionOf } from '../../harness/connector-calls.ts'
import { openForTests } from '../../harness/for-tests.ts'
import { startLink } from '../../harness/redirect.ts'
import { type Harness, KEYS, link, openHarness, run } from './harness.ts'

describe('failures at Plaid become one of four kinds', () => {
  const harness = openForTests(openHarness)
  const grant = openForTests(() => link(harness))
  let session: Session
  beforeAll(() => {
    session = sessionOf(harness, grant)
  })

  test.each(['accounts', 'transactions'])('%s that are not ready are unavailable, not empty', async (pull) => {
    harness.simulator.fault('productNotReady')
    expect((await failureOf(run(session, pull))).kind).toBe('unavailable')
  })

  const CODES: [string, string[]][] = [
    [
      'reconnect',
      [
        'ITEM_LOGIN_REQUIRED',
        'INVALID_CREDENTIALS',
        'INVALID_MFA',
        'INSUFFICIENT_CREDENTIALS',
        'ITEM_LOCKED',
        'USER_SETUP_REQUIRED',
      ].concat(['MFA_NOT_SUPPORTED', 'ACCESS_NOT_GRANTED', 'NO_ACCOUNTS', 'ITEM_NOT_FOUND']),
    ],
    [
      'unavailable',
      ['INSTITUTION_DOWN', 'INSTITUTION_NOT_RESPONDING', 'INTERNAL_SERVER_ERROR', 'PLANNED_MAINTENANCE', 'PRODUCT_NOT_READY'],
    ],
    ['badData', ['MISSING_FIELDS', 'INVALID_FIELD', 'A_CODE_OF_TOMORROW']],
  ]
  test.each(CODES.flatMap(([kind, codes]) => codes.map((code) => [code, kind])))('the code %s is %s', async (code, kind) => {
    const kit = answering(harness, 400, { error_type: 'ITEM_ERROR', error_code: code })
    expect((await failureOf(run({ ...session, kit }, 'accounts'))).kind).toBe(kind)
  })

  test.each(['INSTITUTION_NO_LONGER_SUPPORTED', 'INSTITUTION_NOT_ENABLED_IN_ENVIRONMENT'])(
    '%s is unavailable by its type',
    async (code) => {
      const kit = answering(harness, 400, { error_type: 'INSTITUTION_ERROR', error_code: code })
      expect((await failureOf(run({ ...session, kit }, 'accounts'))).kind).toBe('unavailable')
    },
  )

  test('data that never stops changing gives the run back as unavailable', async () => {
    const kit = answering(harness, 400, { error_type: 'TRANSACTIONS_ERROR', error_code: 'TRANSACTIONS_SYNC_MUTATION_DURING_PAGINATION' })
    expect((await failureOf(run({ ...session, kit }, 'transactions'))).kind).toBe('unavailable')
  })

  test('a removed item requires a reconnect', async () => {
    const gone = await link(harness)
    await plaidConnector.disconnect?.(harness.kit, gone.credentials)
    expect((await failureOf(run(sessionOf(harness, gone), 'accounts'))).kind).toBe('reconnect')
  })

  test('a login that the bank refuses requires a reconnect until it is repaired', async () => {
    const broken = await link(harness)
    harness.simulator.resetLogin(broken.reference ?? '')
    expect((await failureOf(run(sessionOf(harness, broken), 'transactions'))).kind).toBe('reconnect')
  })

  test('a cursor that does not advance while more is promised is bad data', async () => {
    const kit = answering(harness, 200, { added: [], modified: [], removed: [], next_cursor: 'same', has_more: true })
    expect((await failureOf(run({ ...session, kit }, 'transactions'))).kind).toBe('badData')
  })

  test.each(['{"accounts":null}', '[]', '{}', 'null', '"accounts"'])('an answer of %s is bad data, not an empty list', async (body) => {
    const kit: Kit = { ...harness.kit, http: async () => ({ status: 200, headers: {}, body: new TextEncoder().encode(body) }) }
    expect((await failureOf(run({ ...session, kit }, 'accounts'))).kind).toBe('badData')
    expect((await failureOf(run({ ...session, kit }, 'transactions'))).kind).toBe('badData')
  })

  test('no error contains a key, a token or text from the source', async () => {
    const kit: Kit = {
      ...harness.kit,
      http: async (request) => {
        const echo = {
          error_type: 'ITEM_ERROR',
          error_code: `${KEYS.secret} leaked`,
          error_message: String(request.body),
          headers: request.headers,
        }
        return { status: 400, headers: {}, body: new TextEncoder().encode(JSON.stringify(echo)) }
      },
    }
    const failures = [
      await failureOf(run({ ...session, kit }, 'accounts')),
      await failureOf(startLink({ ...harness, kit }, { reconnect: grant.credentials })),
    ]
    const told = failures
      .map((failure) => `${failure.message} ${failure.stack} ${JSON.stringify(failure)} ${String(failure.cause)}`)
      .join('\n')
    const token = /access-sandbox-[\w-]+/.exec(JSON.stringify(grant.credentials))?.[0] ?? 'no token'
    expect([KEYS.secret, KEYS.clientId, token].filter((secret) => told.includes(secret))).toEqual([])
  })
})

/** A Plaid that answers every call the same way. */
function answering(harness: Harness, status: number, answer: object): Kit {
  return { ...harness.kit, http: async () => ({ status, headers: {}, body: new TextEncoder().encode(JSON.stringify(answer)) }) }
}
