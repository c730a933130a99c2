import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SourceError } from '../../../src/connectors/contract/contract.ts'
import type { Hint } from '../../../src/connectors/contract/hints.ts'
import { yodleeConnector } from '../../../src/connectors/yodlee/client.ts'
import { yodlee } from '../../../src/connectors/yodlee/index.ts'
import { webhookUrlOf } from '../../../src/sync/sources/subscribe.ts'
import { sessionOf } from '../../harness/asking.ts'
import { type Door, openDoor } from '../../hooks/stage.ts'
import { COMPANY, link, type Stage, setStage } from './stage.ts'

describe('what a webhook of Yodlee hints at', () => {
  const read = async (body: unknown): Promise<Hint[]> =>
    (await yodleeConnector.readWebhook?.({} as never, {
      headers: {},
      body: new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body)),
    })) ?? []

  test('REFRESH: the user has news', async () => {
    const body = {
      event: { info: 'REFRESH.PROCESS_COMPLETED', loginName: COMPANY, data: { providerAccount: [{ id: 1, status: 'SUCCESS' }] } },
    }
    expect(await read(body)).toEqual([{ kind: 'changed', reference: COMPANY }])
  })

  test('DATA_UPDATES: every user that it names has news, each once', async () => {
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

  test.each(['', 'null', '[]', '{"event":{}}', 'no json'])('a body of "%s" is bad data and never an error of ours', async (body) => {
    const thrown: unknown = await read(body).catch((error: unknown) => error)
    expect(thrown instanceof SourceError ? thrown.kind : thrown).toBe('badData')
  })
})

describe('webhooks of Yodlee, from the simulator to our door', () => {
  let stage: Stage
  let door: Door
  beforeAll(async () => {
    stage = await setStage()
    door = await openDoor({ yodlee: stage.kit })
  })
  afterAll(async () => {
    await door.close()
    await stage.close()
  })

  test('a connection subscribes us at the secret address; a second time changes nothing, another address moves all', async () => {
    const session = sessionOf(stage, await link(stage))
    const address = webhookUrlOf(door.sync, yodlee)
    await yodleeConnector.subscribe?.(session, 'https://old.example/hooks/yodlee/x')
    await yodleeConnector.subscribe?.(session, address)
    expect(stage.simulator.subscriptions()).toEqual({ REFRESH: address, DATA_UPDATES: address, AUTO_REFRESH_UPDATES: address })
    const before = stage.simulator.calls.length
    await yodleeConnector.subscribe?.(session, address)
    expect(stage.simulator.calls.slice(before).map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /auth/token',
      'GET /configs/notifications/events',
    ])
  })

  test('what Yodlee read at night brings a sync of every connection of that user', async () => {
    const grant = await link(stage)
    await yodleeConnector.subscribe?.(sessionOf(stage, grant), webhookUrlOf(door.sync, yodlee))
    const connectionId = await door.addConnection({ connectorKey: 'yodlee', reference: grant.reference ?? '' })
    await door.addConnection({ connectorKey: 'yodlee', reference: 'another-company' })
    stage.moveTime(25 * 3_600_000)
    await stage.simulator.webhooksSettled()
    expect((await door.listJobs()).map((job) => job.connectionId)).toEqual([connectionId])
    expect(new Set(stage.simulator.webhooks.map(({ status }) => status))).toEqual(new Set([200]))
  })
})
