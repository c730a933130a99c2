import { describe, expect, test } from 'vitest'
import { SourceError } from '../../../src/connectors/contract/contract.ts'
import type { Hint } from '../../../src/connectors/contract/hints.ts'
import { yodleeConnector } from '../../../src/connectors/yodlee/client.ts'
import { yodlee } from '../../../src/connectors/yodlee/index.ts'
import { webhookUrlOf } from '../../../src/sync/provider-webhooks/subscribe.ts'
import { sessionOf } from '../../harness/connector-calls.ts'
import { openForTests } from '../../harness/for-tests.ts'
import { openHooksHarness } from '../../hooks/harness.ts'
import { COMPANY, link, openHarness } from './harness.ts'

describe('hints from Yodlee’s webhooks', () => {
  const read = async (body: unknown): Promise<Hint[]> =>
    (await yodleeConnector.readWebhook?.({} as never, {
      headers: {},
      body: new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body)),
    })) ?? []

  test('REFRESH: the user has changed data', async () => {
    const body = {
      event: { info: 'REFRESH.PROCESS_COMPLETED', loginName: COMPANY, data: { providerAccount: [{ id: 1, status: 'SUCCESS' }] } },
    }
    expect(await read(body)).toEqual([{ kind: 'changed', reference: COMPANY }])
  })

  test('DATA_UPDATES: every named user has changed data, each once', async () => {
    const userData = ['one', 'two', 'one'].map((loginName) => ({ user: { loginName }, links: [] }))
    expect(await read({ event: { info: 'DATA_UPDATES.USER_DATA', data: { userCount: 3, userData } } })).toEqual([
      { kind: 'changed', reference: 'one' },
      { kind: 'changed', reference: 'two' },
    ])
  })

  test('other events, and those that name nobody, give no hint', async () => {
    expect([
      await read({ event: { info: 'CDV_STATUS_UPDATES', loginName: COMPANY } }),
      await read({ event: { info: 'REFRESH.LOGIN_SUCCESS' } }),
    ]).toEqual([[], []])
  })

  test.each(['', 'null', '[]', '{"event":{}}', 'no json'])('a body of "%s" is bad data and never an internal error', async (body) => {
    const thrown: unknown = await read(body).catch((error: unknown) => error)
    expect(thrown instanceof SourceError ? thrown.kind : thrown).toBe('badData')
  })
})

describe('webhooks of Yodlee, from the simulator to our endpoint', () => {
  const harness = openForTests(openHarness)
  const hooksHarness = openForTests(() => openHooksHarness({ yodlee: harness.kit }))

  test('a connection subscribes us at the secret address; a second time changes nothing, another address moves all', async () => {
    const session = sessionOf(harness, await link(harness))
    const address = webhookUrlOf(hooksHarness.sync, hooksHarness.sync.baseUrl, yodlee)
    await yodleeConnector.subscribe?.(session, 'https://old.example/hooks/yodlee/x')
    await yodleeConnector.subscribe?.(session, address)
    expect(harness.simulator.subscriptions()).toEqual({ REFRESH: address, DATA_UPDATES: address, AUTO_REFRESH_UPDATES: address })
    const before = harness.simulator.calls.length
    await yodleeConnector.subscribe?.(session, address)
    expect(harness.simulator.calls.slice(before).map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /auth/token',
      'GET /configs/notifications/events',
    ])
  })

  test('what Yodlee read at night triggers a sync of every connection of that user', async () => {
    const grant = await link(harness)
    await yodleeConnector.subscribe?.(sessionOf(harness, grant), webhookUrlOf(hooksHarness.sync, hooksHarness.sync.baseUrl, yodlee))
    const connectionId = await hooksHarness.addConnection({ connectorKey: 'yodlee', reference: grant.reference ?? '' })
    await hooksHarness.addConnection({ connectorKey: 'yodlee', reference: 'another-company' })
    harness.moveTime(25 * 3_600_000)
    await harness.simulator.webhooksSettled()
    expect((await hooksHarness.listJobs()).map((job) => job.connectionId)).toEqual([connectionId])
    expect(new Set(harness.simulator.webhooks.map(({ status }) => status))).toEqual(new Set([200]))
  })
})
