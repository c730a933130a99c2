import { describe, expect, test } from 'vitest'
import { sageConnector } from '../../../src/connectors/sage/client.ts'
import { closedAfterEach } from '../../harness/connector.ts'
import { failureOf, pullNamed, sessionOf } from '../../harness/connector-calls.ts'
import { connect } from '../../harness/redirect.ts'
import { BAKERY, openHarness } from './harness.ts'

const newHarness = closedAfterEach(openHarness)
const accounts = pullNamed(sageConnector, 'accounts')

async function open(login = 'lucie', options: Parameters<typeof openHarness>[0] = {}) {
  const harness = await newHarness(options)
  const session = sessionOf(harness, await connect(harness, { login }))
  return { harness, session }
}

describe('faults of a pull', () => {
  test.each(['html', 'truncated', 'empty', 'errorBody', 'noEnvelope'])('%s on a later page is bad data too', async (fault) => {
    const { harness, session } = await open('load', { giantAccounts: 450 })
    const { next } = await accounts.fetch(session, null)
    harness.simulator.fault(fault)
    expect((await failureOf(accounts.fetch(session, next))).kind).toBe('badData')
  })

  test('a listing that ends before its own total is bad data, never a short list', async () => {
    const { harness, session } = await open('load', { giantAccounts: 450 })
    harness.simulator.fault('endsEarly')
    expect((await failureOf(accounts.fetch(session, null))).kind).toBe('badData')
  })

  test('a failure names Sage’s own code', async () => {
    const { harness, session } = await open()
    harness.simulator.fault('noSubscription')
    expect((await failureOf(accounts.fetch(session, null))).message).toBe(
      'Sage answered 401 to the financial settings (AuthorizationFailure)',
    )
  })

  test('a business of another user is not accessible', async () => {
    const { session } = await open('load')
    expect((await failureOf(accounts.fetch({ ...session, entityId: BAKERY }, null))).kind).toBe('reconnect')
  })
})
